//! Files, what the device holds of the one that is shown, and the drawing of it.

use crate::error::{Error, Result};
use crate::filtered::{Filtered, Workshop, place};
use crate::look::{Action, Look, Mode, stepped};
use crate::pass::{Draw, Pass, PassDesc, Sampled};
use crate::picture::Picture;
use crate::placement::{self, Panel, Placement, panels};
use bytemuck::{Pod, Zeroable};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use texemu_container::Texture;
use texemu_core::{Commands, Gpu, vk};
use texemu_emulate::{Emulator, EmulatorDesc, Settings};
use texemu_format::{Numeric, Policy};

/// Reads a file.
pub type Open = Box<dyn Fn(&Path) -> Result<Texture, Box<dyn std::error::Error + Send + Sync>>>;

const POLICIES: [Policy; 3] = [Policy::Exact, Policy::Quality, Policy::Size];
/// Behind the picture.
const BACKGROUND: f32 = 0.1;

/// What stays a file's own while the others are shown.
struct Shown {
    texture: Texture,
    /// By policy, made when first shown.
    pictures: [Option<Picture>; 3],
    filtered: [Option<Filtered>; 3],
}

/// Shows textures: holds the files, the state, and what the device needs. Nothing is in flight between calls.
pub struct Viewer {
    gpu: Gpu,
    open: Open,
    files: Vec<PathBuf>,
    current: usize,
    /// What is shown, and how.
    look: Look,
    /// Nothing, if the file could not be opened.
    shown: Option<Shown>,
    problem: Option<String>,
    emulators: [Option<Arc<Emulator>>; 3],
    workshop: Option<Workshop>,
    commands: Commands,
}

/// `present/show.glsl`.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Push {
    place: [f32; 4],
    coordinates: [f32; 4],
    origin: [f32; 2],
    level: f32,
    slice: f32,
    gain: f32,
    amplification: f32,
    channel: u32,
    flags: u32,
}

mod flags {
    pub(super) const LINEAR: u32 = 1;
    pub(super) const SIGNED: u32 = 2;
    pub(super) const MAGNITUDE: u32 = 4;
    pub(super) const DIFFERENCE: u32 = 8;
    pub(super) const PREMULTIPLIED: u32 = 16;
    pub(super) const ENCODES: u32 = 32;
}

impl Viewer {
    /// A viewer of `files`, read with `open`. The first that can be opened is shown; those before it are told of in the log.
    ///
    /// # Errors
    /// What opening the last says, if none can be; [`Error::Outside`] if the file does not have what `look` is to show.
    ///
    /// # Panics
    /// If there is no file.
    pub fn new(gpu: &Gpu, files: Vec<PathBuf>, look: Look, open: Open) -> Result<Self> {
        let mut viewer = Self {
            gpu: gpu.clone(),
            open,
            files,
            current: 0,
            look,
            shown: None,
            problem: None,
            emulators: [const { None }; 3],
            workshop: None,
            commands: Commands::new(gpu)?,
        };
        let texture = loop {
            match viewer.read() {
                Ok(texture) => break texture,
                Err(error) if viewer.current + 1 == viewer.files.len() => return Err(error),
                Err(error) => viewer.fail(&error),
            }
            viewer.current += 1;
        };
        viewer.look.check(texture.shape())?;
        viewer.show(texture);
        viewer.prepare()?;
        Ok(viewer)
    }

    /// What is shown, and how.
    pub fn look(&self) -> &Look {
        &self.look
    }

    /// The device.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// The file that is shown.
    pub fn file(&self) -> &Path {
        &self.files[self.current]
    }

    fn read(&self) -> Result<Texture> {
        Ok((self.open)(self.file())?)
    }

    fn show(&mut self, texture: Texture) {
        self.look.keep_within(texture.shape());
        self.problem = None;
        self.shown = Some(Shown { texture, pictures: [const { None }; 3], filtered: [const { None }; 3] });
    }

    /// Shows the current file anew. What goes wrong is shown in the title, and the window stays.
    fn reopen(&mut self) {
        self.shown = None;
        match self.read() {
            Ok(texture) => self.show(texture),
            Err(error) => self.fail(&error),
        }
    }

    fn fail(&mut self, error: &Error) {
        let mut text = error.to_string();
        let mut source = std::error::Error::source(error);
        while let Some(cause) = source {
            text = format!("{text}: {cause}");
            source = cause.source();
        }
        let path = self.file().display().to_string();
        if !text.starts_with(&path) {
            text = format!("{path}: {text}");
        }
        log::warn!("{text}");
        self.problem = Some(text);
        self.shown = None;
    }

    /// Adds a file behind the current one, and shows it.
    pub fn open_file(&mut self, path: PathBuf) {
        self.current += 1;
        self.files.insert(self.current, path);
        self.reopen();
    }

    /// Does what a person wants, in a window of `size` pixels.
    pub fn act(&mut self, action: Action, size: [u32; 2]) {
        match action {
            Action::File(by) => {
                self.current = stepped(self.current as u32, by, self.files.len() as u32) as usize;
                return self.reopen();
            }
            Action::Reload => return self.reopen(),
            _ => {}
        }
        let Some(shown) = &self.shown else { return };
        let shape = shown.texture.shape();
        let [width, height, _] = shape.level_extent(self.look.level);
        match action {
            Action::Zoom(factor, at) => {
                placement::zoom(&mut self.look, factor, at, size, [width, height]);
            }
            Action::Pan(by) => placement::pan(&mut self.look, by, size, [width, height]),
            other => {
                self.look.apply(other, shape);
            }
        }
    }

    /// Makes what the next frame shows.
    ///
    /// # Errors
    /// What the device cannot hold or do; the texture is shown no longer then.
    pub fn prepare(&mut self) -> Result<()> {
        let Some(mut shown) = self.shown.take() else { return Ok(()) };
        for policy in self.look.policies() {
            self.prepare_policy(&mut shown, policy as usize)?;
        }
        self.shown = Some(shown);
        Ok(())
    }

    /// As [`Viewer::prepare`], but what goes wrong with one texture is shown in the title, and the others can still be.
    ///
    /// # Errors
    /// What leaves no device to go on with.
    pub fn settle(&mut self) -> Result<()> {
        match self.prepare() {
            Err(error) if error.is_device_lost() => Err(error),
            Err(error) => {
                self.fail(&error);
                Ok(())
            }
            Ok(()) => Ok(()),
        }
    }

    fn prepare_policy(&mut self, shown: &mut Shown, index: usize) -> Result<()> {
        let shape = *shown.texture.shape();
        if shown.pictures[index].is_none() {
            let emulator = match &self.emulators[index] {
                Some(emulator) => emulator.clone(),
                None => {
                    let emulator = create_emulator(&self.gpu, POLICIES[index])?;
                    self.emulators[index].insert(emulator).clone()
                }
            };
            let picture = Picture::upload(&emulator, &mut self.commands, &shown.texture)?;
            shown.pictures[index] = Some(picture);
        }
        let (Some(picture), Some(filter)) = (&shown.pictures[index], self.look.filter) else { return Ok(()) };
        let current = |filtered: &Filtered| filtered.filter == filter && filtered.place == place(&self.look);
        if shown.filtered[index].as_ref().is_some_and(current) {
            return Ok(());
        }
        let workshop = match &mut self.workshop {
            Some(workshop) => workshop,
            empty => empty.insert(Workshop::new(&self.gpu)?),
        };
        let filtered = Filtered::new(workshop, &mut self.commands, picture, &shape, &self.look, filter)?;
        shown.filtered[index] = Some(filtered);
        Ok(())
    }

    /// The pass that draws frames into attachments of `format` and leaves them in `layout`.
    pub(crate) fn create_pass(gpu: &Gpu, format: vk::Format, layout: vk::ImageLayout) -> Result<Pass> {
        let fragments = [&texemu_shaders::SHOW_2D_ARRAY, &texemu_shaders::SHOW_3D];
        Pass::new(gpu, &PassDesc { format, layout, vertex: &texemu_shaders::SHOW_VERTEX, fragments })
    }

    /// Records a frame of what was prepared; `encodes` if the attachment turns linear light into sRGB.
    ///
    /// # Safety
    /// As [`Pass::record`]; the viewer is not changed until the commands have run.
    pub(crate) unsafe fn record(
        &self,
        commands: vk::CommandBuffer,
        pass: &Pass,
        framebuffer: vk::Framebuffer,
        size: [u32; 2],
        encodes: bool,
    ) -> Result<()> {
        let mut frames = Vec::new();
        let panels = panels(self.look.mode, size);
        let policies = self.look.policies();
        for (index, panel) in panels.iter().enumerate() {
            let (first, second) = match self.look.mode {
                Mode::Difference => (policies[0], policies[1]),
                _ => (policies[index], policies[index]),
            };
            frames.extend(self.panel(panel, [first, second], size, encodes));
        }
        let draws: Vec<_> = frames
            .iter()
            .map(|(panel, volume, images, push)| Draw {
                volume: *volume,
                images,
                scissor: vk::Rect2D {
                    offset: vk::Offset2D { x: panel.x as i32, y: 0 },
                    extent: vk::Extent2D { width: panel.width, height: panel.height },
                },
                push: bytemuck::bytes_of(push),
                vertices: 4,
            })
            .collect();
        let background = if encodes { BACKGROUND.powf(2.2) } else { BACKGROUND };
        // SAFETY: the caller's promise.
        unsafe { pass.record(commands, framebuffer, size, [background, background, background, 1.0], &draws) }
    }

    fn panel(
        &self,
        panel: &Panel,
        policies: [Policy; 2],
        size: [u32; 2],
        encodes: bool,
    ) -> Option<(Panel, bool, [Sampled; 2], Push)> {
        let shown = self.shown.as_ref()?;
        let (look, shape) = (&self.look, shown.texture.shape());
        let [width, height, depth] = shape.level_extent(look.level);
        let placement = Placement::new(look, panel, [width, height]);
        let seen = placement.seen(panel)?;
        // Texels larger than pixels are seen as they are, unless asked for; smaller ones would flicker.
        let linear = look.smooth || placement.zoom < 1.0;
        let mut images = [Sampled { view: vk::ImageView::null(), linear: false }; 2];
        for (image, policy) in images.iter_mut().zip(policies) {
            *image = match look.filter {
                Some(_) => {
                    let filtered = shown.filtered[policy as usize].as_ref()?;
                    Sampled { view: filtered.view, linear: linear && filtered.linear }
                }
                None => {
                    let picture = shown.pictures[policy as usize].as_ref()?;
                    Sampled { view: picture.view, linear: linear && picture.linear }
                }
            };
        }
        let filtered = look.filter.is_some();
        let volume = shape.is_3d() && !filtered;
        let numeric = shown.texture.format().numeric;
        let mut bits = 0;
        let mut set = |flag: u32, wanted: bool| bits |= if wanted { flag } else { 0 };
        set(flags::LINEAR, matches!(numeric, Numeric::Srgb | Numeric::Sfloat | Numeric::Ufloat));
        set(flags::SIGNED, numeric == Numeric::Snorm && !filtered);
        set(flags::MAGNITUDE, filtered);
        set(flags::DIFFERENCE, look.mode == Mode::Difference);
        set(flags::PREMULTIPLIED, shown.texture.notes().premultiplied);
        set(flags::ENCODES, encodes);
        let clip = |pixel: f64, side: u32| (pixel / f64::from(side) * 2.0 - 1.0) as f32;
        let [left, top, right, bottom] = seen.pixels;
        let push = Push {
            place: [clip(left, size[0]), clip(top, size[1]), clip(right, size[0]), clip(bottom, size[1])],
            coordinates: seen.coordinates.map(|value| value as f32),
            origin: placement.corner().map(|value| value as f32),
            level: if filtered { 0.0 } else { look.level as f32 },
            slice: match (filtered, volume) {
                (true, _) => 0.0,
                (false, true) => (look.slice as f32 + 0.5) / depth as f32,
                (false, false) => look.array_layer(shape) as f32,
            },
            gain: look.exposure.exp2(),
            amplification: look.amplification,
            channel: look.channel as u32,
            flags: bits,
        };
        Some((*panel, volume, images, push))
    }

    /// What is shown, in a line: file, format, part, and for each policy the target, its bytes, and the device's time.
    pub fn title(&self) -> String {
        let path = self.file();
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
        if let Some(problem) = &self.problem {
            return problem.clone();
        }
        let Some(shown) = &self.shown else { return name.into_owned() };
        let (look, shape) = (&self.look, shown.texture.shape());
        let mut parts = vec![format!("{name}: {shape}")];
        for (what, index, count) in [
            ("level", look.level, shape.levels()),
            ("layer", look.layer, shape.layers()),
            ("face", look.face, shape.faces()),
            ("slice", look.slice, shape.level_extent(look.level)[2]),
        ] {
            if count > 1 {
                parts.push(format!("{what} {index} of {count}"));
            }
        }
        for policy in look.policies() {
            parts.extend(shown.pictures[policy as usize].as_ref().map(described));
        }
        if look.mode == Mode::Difference {
            parts.push(format!("difference x {}", look.amplification));
        }
        if let Some(filter) = look.filter {
            parts.push(filter.name().to_owned());
        }
        if look.channel != Default::default() {
            parts.push(format!("{:?}", look.channel).to_lowercase());
        }
        if look.exposure != 0.0 {
            parts.push(format!("{:+} stops", look.exposure));
        }
        if self.files.len() > 1 {
            parts.push(format!("file {} of {}", self.current + 1, self.files.len()));
        }
        parts.join(", ")
    }
}

/// The target, its bytes, and the device's time.
fn described(picture: &Picture) -> String {
    let time = picture.nanoseconds.map(|time| format!(" in {:.3} ms", time / 1e6)).unwrap_or_default();
    format!("{} {:.1} KiB{time}", picture.target.name, picture.bytes as f64 / 1024.0)
}

/// An emulator that emulates even what the device has, so that policies can be compared everywhere.
fn create_emulator(gpu: &Gpu, policy: Policy) -> Result<Arc<Emulator>> {
    let policy = match policy {
        Policy::Exact => texemu_emulate::Policy::Exact,
        Policy::Quality => texemu_emulate::Policy::Quality,
        Policy::Size => texemu_emulate::Policy::Size,
    };
    // Pipelines are compiled by the first upload that needs them.
    let settings = Settings { policy, force: true, prepare: false, ..Settings::default() };
    Ok(Arc::new(Emulator::new(&EmulatorDesc { gpu, settings: &settings, queue_families: &[] })?))
}
