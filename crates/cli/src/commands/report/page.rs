//! The page: what the template is filled with.

use askama::Template;

/// All of it.
#[derive(Template)]
#[template(path = "report.html")]
pub(crate) struct Page {
    pub(crate) device: String,
    pub(crate) driver: String,
    pub(crate) version: &'static str,
    pub(crate) effort: &'static str,
    /// Pixels of a picture's sides.
    pub(crate) thumbnail: u32,
    pub(crate) amplify: f32,
    pub(crate) good: usize,
    pub(crate) wrong: usize,
    pub(crate) refused: usize,
    /// What the cards are of, by the names that `--to` has for them.
    pub(crate) targets: Vec<String>,
    pub(crate) files: Vec<FileRow>,
}

/// A file. Pictures are `data:` URLs.
#[derive(Default)]
pub(crate) struct FileRow {
    pub(crate) name: String,
    /// Format and sizes.
    pub(crate) shape: String,
    /// The file's blocks.
    pub(crate) bytes: String,
    pub(crate) picture: Option<String>,
    pub(crate) error: Option<String>,
    pub(crate) made: Vec<Card>,
}

/// What a file was made into.
pub(crate) struct Card {
    pub(crate) to: String,
    pub(crate) picture: String,
    pub(crate) difference: String,
    /// What a comparison with the twin's bytes said; empty if there was none.
    pub(crate) verdict: String,
    pub(crate) is_wrong: bool,
    pub(crate) psnr: String,
    pub(crate) psnr_alpha: Option<String>,
    pub(crate) largest: String,
    pub(crate) bytes: String,
    pub(crate) time: String,
    pub(crate) rate: Option<String>,
}

impl FileRow {
    /// `good`, `wrong` or `refused`.
    pub(crate) fn state(&self) -> &'static str {
        if self.made.iter().any(|card| card.is_wrong) {
            "wrong"
        } else if self.error.is_some() {
            "refused"
        } else {
            "good"
        }
    }

    /// What the filter looks at.
    fn words(&self) -> String {
        let targets = self.made.iter().map(|card| card.to.as_str()).collect::<Vec<_>>().join(" ");
        format!("{} {} {targets} {}", self.name, self.shape, self.error.as_deref().unwrap_or_default())
            .to_lowercase()
    }
}

impl Page {
    /// A page of these files.
    pub(crate) fn count(&mut self) {
        let of = |state| self.files.iter().filter(|file| file.state() == state).count();
        (self.good, self.wrong, self.refused) = (of("good"), of("wrong"), of("refused"));
    }
}
