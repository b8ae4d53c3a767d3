//! The window.

mod keys;
mod screen;

use crate::error::{Error, Result};
use crate::look::Action;
use crate::viewer::Viewer;
use keys::Command;
use screen::Screen;
use std::ffi::CStr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use texemu_core::{Extensions, Gpu, GpuDesc, vk};
use winit::application::ApplicationHandler;
use winit::dpi::{PhysicalPosition, PhysicalSize};
use winit::event::{ElementState, MouseButton, MouseScrollDelta, WindowEvent};
use winit::event_loop::{ActiveEventLoop, ControlFlow, EventLoop};
use winit::raw_window_handle::HasDisplayHandle;
use winit::window::{Window, WindowId};

/// How often the caller is asked whether to stop.
const PULSE: Duration = Duration::from_millis(250);
/// Pixels of a touchpad that count as a notch of a wheel.
const NOTCH: f64 = 40.0;

/// The connection to the window system: there before the device, which needs to know of it.
pub struct Desktop {
    events: EventLoop<()>,
    extensions: Vec<&'static CStr>,
}

impl Desktop {
    /// Connects to the window system; once a process, from its main thread.
    ///
    /// # Errors
    /// [`Error::Window`] if there is none.
    pub fn connect() -> Result<Self> {
        let no_window = |error: &dyn std::fmt::Display| Error::Window(error.to_string());
        let events = EventLoop::new().map_err(|error| no_window(&error))?;
        let display = events.owned_display_handle();
        let handle = display.display_handle().map_err(|error| no_window(&error))?.as_raw();
        let names = ash_window::enumerate_required_extensions(handle).map_err(|error| no_window(&error))?;
        let extensions = names
            .iter()
            .map(|&name| {
                // SAFETY: the crate hands out names that are static and end in a null.
                unsafe { CStr::from_ptr(name) }
            })
            .collect();
        Ok(Self { events, extensions })
    }

    /// Opens a device that can draw into this system's windows.
    ///
    /// # Errors
    /// [`Error::Window`] if the drivers that are there know nothing of it.
    pub fn open(&self, desc: &GpuDesc) -> Result<Gpu> {
        let device = [texemu_core::ash::khr::swapchain::NAME];
        let extensions = Extensions { instance: &self.extensions, device: &device };
        Gpu::open_with(desc, &extensions).map_err(|error| match error {
            texemu_core::Error::Vulkan { result: vk::Result::ERROR_EXTENSION_NOT_PRESENT, .. } => {
                let names: Vec<_> =
                    self.extensions.iter().chain(&device).map(|name| name.to_string_lossy()).collect();
                let names = names.join(", ");
                Error::Window(format!("the Vulkan driver cannot draw into this system's windows ({names})"))
            }
            error => error.into(),
        })
    }

    /// Shows a window of `size` pixels until it is closed, or `stop` says so. The viewer's device is from
    /// [`Desktop::open`].
    pub fn run(self, viewer: Viewer, size: [u32; 2], stop: fn() -> bool) -> Result<()> {
        let mut app = App {
            viewer,
            size,
            stop,
            screen: None,
            window: None,
            title: String::new(),
            pointer: [0.0; 2],
            dragging: false,
            failure: None,
        };
        let result = self.events.run_app(&mut app);
        match app.failure {
            Some(failure) => Err(failure),
            None => result.map_err(|error| Error::Window(error.to_string())),
        }
    }
}

struct App {
    viewer: Viewer,
    /// Of the window, in pixels.
    size: [u32; 2],
    stop: fn() -> bool,
    // Before the window, which it draws into.
    screen: Option<Screen>,
    window: Option<Arc<Window>>,
    title: String,
    pointer: [f32; 2],
    dragging: bool,
    failure: Option<Error>,
}

impl App {
    fn open_window(&mut self, events: &ActiveEventLoop) -> Result<()> {
        let [width, height] = self.size;
        let attributes = Window::default_attributes()
            .with_title("texemu")
            .with_inner_size(PhysicalSize::new(width, height));
        let window = events.create_window(attributes).map_err(|error| Error::Window(error.to_string()))?;
        let window = Arc::new(window);
        let size = window.inner_size();
        self.size = [size.width, size.height];
        self.screen = Some(Screen::new(self.viewer.gpu(), window.clone())?);
        self.window = Some(window);
        self.settle()
    }

    /// Makes what the next frame shows, and asks for it.
    fn settle(&mut self) -> Result<()> {
        self.viewer.settle()?;
        let title = self.viewer.title();
        if let Some(window) = &self.window {
            if title != self.title {
                window.set_title(&title);
                self.title = title;
            }
            window.request_redraw();
        }
        Ok(())
    }

    fn act(&mut self, action: Action) -> Result<()> {
        self.viewer.act(action, self.size);
        self.settle()
    }

    fn handle(&mut self, events: &ActiveEventLoop, event: WindowEvent) -> Result<()> {
        match event {
            WindowEvent::CloseRequested => events.exit(),
            WindowEvent::Resized(size) => {
                self.size = [size.width, size.height];
                if let Some(screen) = &mut self.screen {
                    screen.resize();
                }
                return self.settle();
            }
            WindowEvent::RedrawRequested => {
                if let Some(screen) = &mut self.screen {
                    screen.draw(&self.viewer)?;
                }
            }
            WindowEvent::Occluded(false) => return self.settle(),
            WindowEvent::DroppedFile(path) => {
                self.viewer.open_file(path);
                return self.settle();
            }
            WindowEvent::KeyboardInput { event, .. } if event.state == ElementState::Pressed => {
                match keys::command(&event.logical_key) {
                    Some(Command::Act(action)) => return self.act(action),
                    Some(Command::Renew) => {
                        if let Some(screen) = &mut self.screen {
                            screen.renew()?;
                        }
                        return self.act(Action::Reload);
                    }
                    Some(Command::Quit) => events.exit(),
                    None => {}
                }
            }
            WindowEvent::CursorMoved { position, .. } => {
                let PhysicalPosition { x, y } = position;
                let before = std::mem::replace(&mut self.pointer, [x as f32, y as f32]);
                if self.dragging {
                    return self.act(Action::Pan([self.pointer[0] - before[0], self.pointer[1] - before[1]]));
                }
            }
            WindowEvent::MouseInput { state, button: MouseButton::Left, .. } => {
                self.dragging = state == ElementState::Pressed;
            }
            WindowEvent::MouseWheel { delta, .. } => {
                let notches = match delta {
                    MouseScrollDelta::LineDelta(_, y) => y,
                    MouseScrollDelta::PixelDelta(by) => (by.y / NOTCH) as f32,
                };
                return self.act(Action::Zoom(keys::ZOOM.powf(notches), Some(self.pointer)));
            }
            _ => {}
        }
        Ok(())
    }

    fn note(&mut self, events: &ActiveEventLoop, result: Result<()>) {
        if let Err(error) = result {
            self.failure = Some(error);
            events.exit();
        }
    }
}

impl ApplicationHandler for App {
    fn resumed(&mut self, events: &ActiveEventLoop) {
        if self.window.is_none() {
            let result = self.open_window(events);
            self.note(events, result);
        }
    }

    fn suspended(&mut self, _: &ActiveEventLoop) {
        // The surface does not outlive this; both come back when the application is resumed.
        self.screen = None;
        self.window = None;
    }

    fn window_event(&mut self, events: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let result = self.handle(events, event);
        self.note(events, result);
    }

    fn about_to_wait(&mut self, events: &ActiveEventLoop) {
        if (self.stop)() {
            events.exit();
        }
        events.set_control_flow(ControlFlow::WaitUntil(Instant::now() + PULSE));
    }

    fn exiting(&mut self, _: &ActiveEventLoop) {
        // Before the connection that they were made with.
        self.screen = None;
        self.window = None;
    }
}
