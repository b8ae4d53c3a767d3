//! What keys mean.

use crate::look::{Action, Channel, Mode};
use texemu_format::Policy;
use winit::keyboard::{Key, NamedKey};

/// Pixels that an arrow key moves the picture by.
const STEP: f32 = 64.0;
/// What a key multiplies the zoom by.
pub(super) const ZOOM: f32 = 1.25;

/// What a key is for.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Command {
    Act(Action),
    /// Reads the file again, and makes the surface anew.
    Renew,
    Quit,
}

/// What `key` is for, if anything.
pub(super) fn command(key: &Key) -> Option<Command> {
    let action = match key {
        Key::Named(NamedKey::Escape) => return Some(Command::Quit),
        Key::Named(NamedKey::F5) => return Some(Command::Renew),
        Key::Named(NamedKey::PageDown) => Action::File(1),
        Key::Named(NamedKey::PageUp) => Action::File(-1),
        Key::Named(NamedKey::ArrowLeft) => Action::Pan([STEP, 0.0]),
        Key::Named(NamedKey::ArrowRight) => Action::Pan([-STEP, 0.0]),
        Key::Named(NamedKey::ArrowUp) => Action::Pan([0.0, STEP]),
        Key::Named(NamedKey::ArrowDown) => Action::Pan([0.0, -STEP]),
        Key::Named(NamedKey::Home) => Action::Fit,
        Key::Character(text) => match text.as_str() {
            "q" => return Some(Command::Quit),
            "+" | "=" => Action::Zoom(ZOOM, None),
            "-" => Action::Zoom(1.0 / ZOOM, None),
            "0" => Action::Fit,
            "z" => Action::Actual,
            "]" => Action::Level(1),
            "[" => Action::Level(-1),
            "." => Action::Layer(1),
            "," => Action::Layer(-1),
            "f" => Action::Face(1),
            "F" => Action::Face(-1),
            "s" => Action::Slice(1),
            "S" => Action::Slice(-1),
            "c" => Action::Channel(Channel::Colour),
            "o" => Action::Channel(Channel::Rgb),
            "r" => Action::Channel(Channel::Red),
            "g" => Action::Channel(Channel::Green),
            "b" => Action::Channel(Channel::Blue),
            "a" => Action::Channel(Channel::Alpha),
            "e" => Action::Exposure(0.5),
            "E" => Action::Exposure(-0.5),
            "m" => Action::Amplify(2.0),
            "M" => Action::Amplify(0.5),
            "1" => Action::Policy(Policy::Exact),
            "2" => Action::Policy(Policy::Quality),
            "3" => Action::Policy(Policy::Size),
            "4" => Action::Mode(Mode::SideBySide),
            "5" => Action::Mode(Mode::Difference),
            "6" => Action::Mode(Mode::One),
            "t" => Action::Filter,
            "l" => Action::Smooth,
            _ => return None,
        },
        _ => return None,
    };
    Some(Command::Act(action))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_mean_what_the_help_says() {
        let of = |text: &str| command(&Key::Character(text.into()));
        assert_eq!(of("]"), Some(Command::Act(Action::Level(1))));
        assert_eq!(of("F"), Some(Command::Act(Action::Face(-1))), "with shift, the other way");
        assert_eq!(of("5"), Some(Command::Act(Action::Mode(Mode::Difference))));
        assert_eq!(of("x"), None);
        assert_eq!(command(&Key::Named(NamedKey::PageUp)), Some(Command::Act(Action::File(-1))));
        assert_eq!(command(&Key::Named(NamedKey::Escape)), Some(Command::Quit));
    }
}
