//! Bars that show how far long work is: on a terminal, nothing elsewhere.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar of `length` steps; indicatif's template says how it looks.
fn bar(length: u64, template: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::stderr());
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// For things done one by one, of which the message names the present one.
pub(crate) fn items(count: usize) -> ProgressBar {
    bar(count as u64, "{pos}/{len} {msg}")
}

/// For the texels of one thing after the other.
pub(crate) fn texels(count: u64) -> ProgressBar {
    bar(count, "{bar:30} {percent:>3}% {msg}")
}
