//! The table of kernels as it is shipped: one compressed file, for builds without a shader compiler.
//!
//! Inside are the bytes of the text's length (8, little-endian), the table as [`emit`](crate::emit) writes it with each module's
//! words replaced by their number, and then all words, byte by byte: first the lowest byte of every word, then the next.
//! Sorted so, and with Zstandard's long matches, variants of one shader cost little.

#[cfg(any(test, feature = "prebuilt-spirv"))]
use std::io::Read;

/// What stands around a module's words in the table.
const MODULE: (&str, &str) = ("spirv: &[", "],");
/// Marks a number that stands for as many words.
const COUNT: char = '#';
/// No table of ours is longer: what a damaged file says it holds is not allocated.
#[cfg(any(test, feature = "prebuilt-spirv"))]
const MAX_BYTES: u64 = 256 << 20;

/// Takes the words out of a table; `stand_in` says what each module's place becomes, given its first word and how many it has.
pub(crate) fn split(
    table: &str,
    stand_in: impl Fn(usize, usize) -> String,
) -> Result<(String, Vec<u32>), String> {
    let (mut text, mut words) = (String::new(), Vec::new());
    let mut rest = table;
    while let Some((before, module)) = rest.split_once(MODULE.0) {
        let (list, after) = module.split_once(MODULE.1).ok_or("a module without an end")?;
        let first = words.len();
        for word in list.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            words.push(word.parse::<u32>().map_err(|error| format!("{word}: {error}"))?);
        }
        text.push_str(before);
        text.push_str(&stand_in(first, words.len() - first));
        rest = after;
    }
    text.push_str(rest);
    Ok((text, words))
}

/// A table as it is shipped, before compression.
#[cfg_attr(not(test), expect(dead_code, reason = "a test packs what a build unpacks"))]
pub(crate) fn pack(table: &str) -> Result<Vec<u8>, String> {
    let (text, words) = split(table, |_, count| format!("{}{COUNT}{count}{}", MODULE.0, MODULE.1))?;
    let mut bytes = (text.len() as u64).to_le_bytes().to_vec();
    bytes.extend_from_slice(text.as_bytes());
    for plane in 0..4 {
        bytes.extend(words.iter().map(|word| word.to_le_bytes()[plane]));
    }
    Ok(bytes)
}

/// Puts them back.
#[cfg(any(test, feature = "prebuilt-spirv"))]
pub(crate) fn unpack(bytes: &[u8]) -> Result<String, String> {
    let (length, rest) = bytes.split_first_chunk::<8>().ok_or("no length")?;
    let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| "too long")?;
    let (text, planes) = rest.split_at_checked(length).ok_or("shorter than its text")?;
    let text = std::str::from_utf8(text).map_err(|error| error.to_string())?;
    if !planes.len().is_multiple_of(4) {
        return Err("words that are not whole".into());
    }
    let count = planes.len() / 4;
    let word = |index: usize| u32::from_le_bytes(std::array::from_fn(|plane| planes[plane * count + index]));
    let (mut table, mut next) = (String::new(), 0usize);
    let mut rest = text;
    while let Some((before, module)) = rest.split_once(MODULE.0) {
        let (number, after) = module.split_once(MODULE.1).ok_or("a module without an end")?;
        let number = number.strip_prefix(COUNT).and_then(|number| number.parse::<usize>().ok());
        let end = number.and_then(|number| next.checked_add(number)).filter(|&end| end <= count);
        let end = end.ok_or("a module with more words than there are")?;
        let list: Vec<String> = (next..end).map(|index| word(index).to_string()).collect();
        table.extend([before, MODULE.0, &list.join(", "), MODULE.1]);
        next = end;
        rest = after;
    }
    table.push_str(rest);
    if next == count { Ok(table) } else { Err("words that belong to no module".into()) }
}

/// Reads an archive.
#[cfg(any(test, feature = "prebuilt-spirv"))]
pub(crate) fn read(compressed: &[u8]) -> Result<String, String> {
    let decoder = ruzstd::decoding::StreamingDecoder::new(compressed).map_err(|error| error.to_string())?;
    let mut bytes = Vec::new();
    decoder.take(MAX_BYTES).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    unpack(&bytes)
}
