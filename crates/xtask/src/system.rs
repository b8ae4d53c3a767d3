//! Which operating system this is, and whether packages may be installed on it.

use std::env;
use std::fs;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A family of systems whose packages have the same names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum System {
    Debian,
    /// Debian's names, but its Chromium is no Debian package, so SwiftShader does not come with it.
    Ubuntu,
    Fedora,
    Arch,
    OtherLinux,
    MacOs,
    Windows,
}

/// How a command gets to be root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Privilege {
    Root,
    Sudo,
    /// `sudo -n`: nobody is there to type a password.
    SudoWithoutPrompt,
    None,
}

impl System {
    /// The system below `root`.
    pub(crate) fn detect(root: &Path) -> Self {
        match env::consts::OS {
            "macos" => Self::MacOs,
            "windows" => Self::Windows,
            _ => fs::read_to_string(root.join("etc/os-release"))
                .map_or(Self::OtherLinux, |text| Self::from_os_release(&text)),
        }
    }

    /// Reads `ID` and, where that is a name we do not know, `ID_LIKE` (os-release(5)).
    fn from_os_release(text: &str) -> Self {
        let value = |key: &str| {
            text.lines()
                .filter_map(|line| line.split_once('='))
                .find(|(name, _)| *name == key)
                .map(|(_, value)| value.trim_matches(['"', '\'']).to_owned())
                .unwrap_or_default()
        };
        let named = |name: &str| match name {
            "debian" => Some(Self::Debian),
            "ubuntu" => Some(Self::Ubuntu),
            "fedora" | "rhel" | "centos" => Some(Self::Fedora),
            "arch" => Some(Self::Arch),
            _ => None,
        };
        named(&value("ID"))
            .or_else(|| value("ID_LIKE").split_whitespace().find_map(named))
            .unwrap_or(Self::OtherLinux)
    }

    /// Whether `apt-get` is how packages come here.
    pub(crate) fn uses_apt(self) -> bool {
        matches!(self, Self::Debian | Self::Ubuntu)
    }
}

impl Privilege {
    /// What this process may do.
    pub(crate) fn detect() -> Self {
        let id = Command::new("id").arg("-u").stderr(Stdio::null()).output();
        if id.is_ok_and(|output| output.stdout.trim_ascii() == b"0") {
            Self::Root
        } else if find_program("sudo").is_none() {
            Self::None
        } else if std::io::stdin().is_terminal() {
            Self::Sudo
        } else {
            Self::SudoWithoutPrompt
        }
    }

    /// What to write before a command that must run as root; nothing if it cannot be done.
    pub(crate) fn prefix(self) -> Option<&'static [&'static str]> {
        match self {
            Self::Root => Some(&[]),
            Self::Sudo => Some(&["sudo"]),
            Self::SudoWithoutPrompt => Some(&["sudo", "-n"]),
            Self::None => None,
        }
    }
}

/// The first `name` in `PATH`.
pub(crate) fn find_program(name: &str) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?).map(|dir| dir.join(name)).find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn os_release_tells_the_family() {
        let cases = [
            ("NAME=\"Debian GNU/Linux\"\nID=debian\n", System::Debian),
            ("ID=ubuntu\nID_LIKE=debian\n", System::Ubuntu),
            ("ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n", System::Ubuntu),
            ("ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n", System::Fedora),
            ("ID=arch\n", System::Arch),
            ("ID=nixos\n", System::OtherLinux),
            ("", System::OtherLinux),
        ];
        for (text, system) in cases {
            assert_eq!(System::from_os_release(text), system, "{text:?}");
        }
    }
}
