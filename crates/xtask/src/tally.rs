//! Adding up what cargo's test binaries report.

use std::fmt;
use std::ops::AddAssign;

/// How many tests did what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    pub(crate) skipped: u64,
}

impl Tally {
    /// What one line of a test binary's output adds; `None` if it is not its closing line.
    ///
    /// The line reads `test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; ...`.
    pub(crate) fn from_line(line: &str) -> Option<Self> {
        let (_, counts) = line.trim().strip_prefix("test result: ")?.split_once(". ")?;
        let mut tally = Self::default();
        for part in counts.split(';') {
            let (number, what) = part.trim().split_once(' ')?;
            let Ok(number) = number.parse::<u64>() else { continue };
            match what {
                "passed" => tally.passed = number,
                "failed" => tally.failed = number,
                "ignored" => tally.skipped = number,
                _ => {}
            }
        }
        Some(tally)
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_lines_are_added_up() {
        let text = "\
running 4 tests
test a ... ok
test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.10s

test result: FAILED. 10 passed; 2 failed; 0 ignored; 0 measured; 5 filtered out; finished in 1.00s
";
        let mut sum = Tally::default();
        for tally in text.lines().filter_map(Tally::from_line) {
            sum += tally;
        }
        assert_eq!(sum, Tally { passed: 13, failed: 2, skipped: 1 }, "two closing lines");
        assert_eq!(sum.to_string(), "13 passed, 2 failed, 1 skipped", "the plain line");
    }

    #[test]
    fn other_lines_add_nothing() {
        for line in ["", "test result", "test x ... ok", "running 3 tests", "error: test failed"] {
            assert_eq!(Tally::from_line(line), None, "{line:?}");
        }
    }
}
