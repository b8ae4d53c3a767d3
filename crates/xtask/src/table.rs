//! A table in plain text.

/// The rows under their headings, each column as wide as its widest cell.
pub(crate) fn render(headings: &[&str], rows: &[Vec<String>]) -> String {
    let mut widths: Vec<usize> = headings.iter().map(|heading| heading.chars().count()).collect();
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let line = |cells: &mut dyn Iterator<Item = &str>| {
        let padded: Vec<String> = cells.zip(&widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        format!("{}\n", padded.join("  ").trim_end())
    };
    let mut text = line(&mut headings.iter().copied());
    let rule: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
    text += &line(&mut rule.iter().map(String::as_str));
    for row in rows {
        text += &line(&mut row.iter().map(String::as_str));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let rows = [vec!["a.astc".to_owned(), "1".to_owned()], vec!["b".to_owned(), "22".to_owned()]];
        let expected = "file    n\n------  --\na.astc  1\nb       22\n";
        assert_eq!(render(&["file", "n"], &rows), expected, "cells are padded, line ends are not");
    }
}
