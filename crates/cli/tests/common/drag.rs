//! Drags a file into a window, as a file manager does (XDND, version 5).

use std::path::Path;
use x11rb::connection::Connection;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    AtomEnum, ClientMessageEvent, ConnectionExt, CreateWindowAux, EventMask, PropMode,
    SELECTION_NOTIFY_EVENT, SelectionNotifyEvent, WindowClass,
};
use x11rb::wrapper::ConnectionExt as _;

/// Drops `file` on `window`, and returns when the window says that it took it.
pub(crate) fn drop_file(display: &str, window: u32, file: &Path) {
    let (x, screen) = x11rb::connect(Some(display)).expect("the display is there");
    let screen = &x.setup().roots[screen];
    let source = x.generate_id().expect("an id");
    let none = CreateWindowAux::new();
    x.create_window(0, source, screen.root, 0, 0, 1, 1, 0, WindowClass::INPUT_ONLY, 0, &none)
        .expect("a window");
    let atom =
        |name: &str| x.intern_atom(false, name.as_bytes()).expect("sent").reply().expect("an atom").atom;
    let (selection, uris) = (atom("XdndSelection"), atom("text/uri-list"));
    x.set_selection_owner(source, selection, x11rb::CURRENT_TIME).expect("sent");
    let send = |name: &str, data: [u32; 5]| {
        let message = ClientMessageEvent::new(32, window, atom(name), data);
        x.send_event(false, window, EventMask::NO_EVENT, message).expect("sent");
        x.flush().expect("flushed");
    };
    send("XdndEnter", [source, 5 << 24, uris, 0, 0]);
    send("XdndPosition", [source, 0, 10 << 16 | 10, x11rb::CURRENT_TIME, atom("XdndActionCopy")]);
    let finished = atom("XdndFinished");
    loop {
        match x.wait_for_event().expect("the display is there") {
            Event::SelectionRequest(request) => {
                let text = format!("file://{}\r\n", file.display());
                let kind = if request.target == uris { uris } else { AtomEnum::STRING.into() };
                x.change_property8(
                    PropMode::REPLACE,
                    request.requestor,
                    request.property,
                    kind,
                    text.as_bytes(),
                )
                .expect("sent");
                let notice = SelectionNotifyEvent {
                    response_type: SELECTION_NOTIFY_EVENT,
                    sequence: 0,
                    time: request.time,
                    requestor: request.requestor,
                    selection,
                    target: request.target,
                    property: request.property,
                };
                x.send_event(false, request.requestor, EventMask::NO_EVENT, notice).expect("sent");
                send("XdndDrop", [source, 0, x11rb::CURRENT_TIME, 0, 0]);
            }
            Event::ClientMessage(message) if message.type_ == finished => {
                assert_eq!(message.data.as_data32()[1] & 1, 1, "the window took the file");
                return;
            }
            _ => {}
        }
    }
}
