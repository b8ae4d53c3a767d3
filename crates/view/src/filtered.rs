//! A picture's level as a filter leaves it.

use crate::error::Result;
use crate::filter::{FORMAT, Filter, Runner};
use crate::look::Look;
use crate::pass::{Attachment, Draw, Pass, PassDesc, Sampled, create_view, image_barrier};
use crate::picture::Picture;
use texemu_container::Shape;
use texemu_core::{Arena, Commands, Gpu, PipelineMap, vk};

/// What filtering needs whatever is filtered.
pub(crate) struct Workshop {
    gpu: Gpu,
    /// Brings what a sampler sees of a level into an image that filters can load from: one draw, a pixel a texel.
    fetch: Pass,
    pipelines: PipelineMap,
    arena: Arena,
}

impl Workshop {
    pub(crate) fn new(gpu: &Gpu) -> Result<Self> {
        let desc = PassDesc {
            format: FORMAT,
            layout: vk::ImageLayout::GENERAL,
            vertex: &texemu_shaders::SAMPLE_VERTEX,
            fragments: [&texemu_shaders::SAMPLE_2D_ARRAY, &texemu_shaders::SAMPLE_3D],
        };
        Ok(Self {
            gpu: gpu.clone(),
            fetch: Pass::new(gpu, &desc)?,
            pipelines: PipelineMap::new(gpu),
            arena: Arena::new(gpu),
        })
    }
}

/// Of what a [`Filtered`] was made: level, layer, face and slice.
pub(crate) type Place = [u32; 4];

/// The place that `look` shows.
pub(crate) fn place(look: &Look) -> Place {
    [look.level, look.layer, look.face, look.slice]
}

/// The result, in `SHADER_READ_ONLY_OPTIMAL`.
pub(crate) struct Filtered {
    gpu: Gpu,
    pub(crate) filter: Filter,
    pub(crate) place: Place,
    _image: Attachment,
    /// Of type `2D_ARRAY`.
    pub(crate) view: vk::ImageView,
    pub(crate) linear: bool,
}

impl Filtered {
    /// Filters what `look` shows of `picture`, and waits for it.
    pub(crate) fn new(
        workshop: &mut Workshop,
        commands: &mut Commands,
        picture: &Picture,
        shape: &Shape,
        look: &Look,
        filter: Filter,
    ) -> Result<Self> {
        let Workshop { gpu, fetch, pipelines, arena } = workshop;
        let [width, height, depth] = shape.level_extent(look.level);
        let size = [width, height];
        let usage = vk::ImageUsageFlags::STORAGE | vk::ImageUsageFlags::SAMPLED;
        let image = Attachment::new(gpu, fetch, FORMAT, size, usage)?;
        let runner = Runner::new(gpu, pipelines, filter, size)?;
        let slice = if shape.is_3d() {
            (look.slice as f32 + 0.5) / depth as f32
        } else {
            look.array_layer(shape) as f32
        };
        let push = [0.0, 0.0, look.level as f32, slice];
        let images = [Sampled { view: picture.view, linear: false }];
        let scissor = vk::Rect2D { offset: vk::Offset2D::default(), extent: vk::Extent2D { width, height } };
        let push = bytemuck::cast_slice(&push);
        let draw = Draw { volume: shape.is_3d(), images: &images, scissor, push, vertices: 3 };
        // SAFETY: `Commands::run` waited for everything recorded before.
        unsafe { arena.reset() }?;
        commands.run(|commands| {
            // SAFETY: everything lives until `run` has waited, here and below.
            unsafe { fetch.record(commands, image.framebuffer, size, [0.0; 4], &[draw]) }?;
            // SAFETY: the pass leaves the attachment in GENERAL and visible.
            unsafe { runner.record(commands, arena, image.view) }?;
            let layouts = [vk::ImageLayout::GENERAL, vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL];
            let accesses = [vk::AccessFlags::SHADER_WRITE, vk::AccessFlags::SHADER_READ];
            let barrier = [image_barrier(image.image.handle(), layouts, accesses)];
            let (from, to) =
                (vk::PipelineStageFlags::COMPUTE_SHADER, vk::PipelineStageFlags::FRAGMENT_SHADER);
            let flags = vk::DependencyFlags::empty();
            // SAFETY: recorded outside a render pass.
            unsafe { gpu.device().cmd_pipeline_barrier(commands, from, to, flags, &[], &[], &barrier) };
            Ok::<_, crate::Error>(())
        })?;
        let view = create_view(gpu, image.image.handle(), vk::ImageViewType::TYPE_2D_ARRAY, FORMAT, 1)?;
        // SAFETY: the physical device is the device's own.
        let properties =
            unsafe { gpu.instance().get_physical_device_format_properties(gpu.physical_device(), FORMAT) };
        let linear =
            properties.optimal_tiling_features.contains(vk::FormatFeatureFlags::SAMPLED_IMAGE_FILTER_LINEAR);
        Ok(Self { gpu: gpu.clone(), filter, place: place(look), _image: image, view, linear })
    }
}

impl Drop for Filtered {
    fn drop(&mut self) {
        // SAFETY: the owner waited for every recording.
        unsafe { self.gpu.device().destroy_image_view(self.view, None) };
    }
}
