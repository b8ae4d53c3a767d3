//! Between images, one or both of them emulated. Sizes are converted through blocks: a block of one format is a block, or a
//! texel, of the other, and extents round up to whole blocks at edges.

use super::regions_of;
use crate::emulator::{Emulator, Note};
use crate::error::{Error, Result};
use crate::image::EmulatedImage;
use crate::plane::{Blocks, Pitched, add_copies};
use crate::recording::{Queue, Recording};
use std::sync::Arc;
use texemu_core::vk;
use texemu_format::level_extent;
use texemu_transcode::Region;

/// `vkCmdCopyImage`'s images.
#[derive(Clone, Copy, Debug)]
pub struct ImagePair {
    /// Copied from.
    pub src: vk::Image,
    /// The layout that it is in.
    pub src_layout: vk::ImageLayout,
    /// Copied to.
    pub dst: vk::Image,
    /// The layout that it is in.
    pub dst_layout: vk::ImageLayout,
}

impl Emulator {
    /// `vkCmdCopyImage`; `false` if neither image is emulated, and nothing was recorded. An image that is not must be
    /// known: see [`Emulator::note_image`].
    ///
    /// Disturbs the compute state of `commands` if the image copied to is emulated, unless `recording` was told it.
    ///
    /// # Safety
    /// As `vkCmdCopyImage`; `recording` belongs to `commands` and knows the kind of its queue.
    #[doc(alias = "vkCmdCopyImage")]
    pub unsafe fn copy_image(
        &self,
        commands: vk::CommandBuffer,
        recording: &mut Recording,
        images: ImagePair,
        regions: &[vk::ImageCopy],
    ) -> Result<bool> {
        let (src, dst) = (self.images.get(images.src), self.images.get(images.dst));
        // SAFETY: the caller's promise.
        unsafe { self.copy_between(commands, recording, images, src, dst, regions) }
    }

    /// `vkCmdCopyImage2`; otherwise as [`Emulator::copy_image`].
    ///
    /// # Safety
    /// As [`Emulator::copy_image`], for the `2` form.
    #[doc(alias = "vkCmdCopyImage2")]
    pub unsafe fn copy_image2(
        &self,
        commands: vk::CommandBuffer,
        recording: &mut Recording,
        info: &vk::CopyImageInfo2<'_>,
    ) -> Result<bool> {
        let (src, dst) = (self.images.get(info.src_image), self.images.get(info.dst_image));
        if src.is_none() && dst.is_none() {
            return Ok(false);
        }
        let images = ImagePair {
            src: info.src_image,
            src_layout: info.src_image_layout,
            dst: info.dst_image,
            dst_layout: info.dst_image_layout,
        };
        // SAFETY: the caller's promise.
        let regions: Vec<_> = unsafe { regions_of(info.p_regions, info.region_count) }
            .iter()
            .map(|copy: &vk::ImageCopy2<'_>| vk::ImageCopy {
                src_subresource: copy.src_subresource,
                src_offset: copy.src_offset,
                dst_subresource: copy.dst_subresource,
                dst_offset: copy.dst_offset,
                extent: copy.extent,
            })
            .collect();
        // SAFETY: the caller's promise.
        unsafe { self.copy_between(commands, recording, images, src, dst, &regions) }
    }

    /// # Safety
    /// As [`Emulator::copy_image`].
    unsafe fn copy_between(
        &self,
        commands: vk::CommandBuffer,
        recording: &mut Recording,
        images: ImagePair,
        src: Option<Arc<EmulatedImage>>,
        dst: Option<Arc<EmulatedImage>>,
        regions: &[vk::ImageCopy],
    ) -> Result<bool> {
        if regions.is_empty() {
            return Ok(src.is_some() || dst.is_some());
        }
        match (&src, &dst) {
            (None, None) => return Ok(false),
            // SAFETY: the caller's promise.
            (Some(src), Some(dst)) => unsafe {
                self.emulated_to_emulated(commands, recording, src, dst, images, regions)
            },
            // SAFETY: the caller's promise.
            (Some(src), None) => unsafe { self.emulated_to_plain(commands, src, images, regions) },
            // SAFETY: the caller's promise.
            (None, Some(dst)) => unsafe { self.plain_to_emulated(commands, recording, dst, images, regions) },
        }?;
        for image in [src, dst].into_iter().flatten() {
            self.stats.image_copied(image.format);
        }
        Ok(true)
    }

    fn note(&self, image: vk::Image) -> Result<Arc<Note>> {
        self.notes.get(image).ok_or(Error::UnknownImage(image))
    }

    /// # Safety
    /// As [`Emulator::copy_image`].
    unsafe fn emulated_to_emulated(
        &self,
        commands: vk::CommandBuffer,
        recording: &mut Recording,
        src: &EmulatedImage,
        dst: &EmulatedImage,
        images: ImagePair,
        regions: &[vk::ImageCopy],
    ) -> Result<()> {
        let from = src.readable_plane()?;
        let mut copies = Vec::with_capacity(regions.len());
        let (mut written, mut direct) = (Vec::with_capacity(regions.len()), Vec::new());
        for copy in regions {
            let source = src.blocks(&src.side(copy, Side::Src))?;
            let target = dst.box_at(copy, source.size)?;
            let place = src.layout.levels[source.level as usize].place(src.format, source.first);
            let level = &dst.layout.levels[target.level as usize];
            let to = level.place(dst.format, target.first);
            add_copies(&mut copies, place, to, target.size, dst.format.block_bytes);
            direct.push(place.region(dst.format, &target, level.extent, dst.layered()));
            written.push(target);
        }
        match dst.plane {
            Some(plane) => {
                // SAFETY: the caller's promise; both planes hold what was checked above.
                unsafe { self.copy_buffer(commands, from.buffer, plane.buffer, &copies) };
                // SAFETY: the caller's promise.
                unsafe { self.decode_written(commands, recording, dst, images.dst_layout, &written) }
            }
            None => {
                // SAFETY: the caller's promise; the source's plane has texel-buffer usage.
                unsafe { self.decode_from(commands, recording, dst, images.dst_layout, from.buffer, &direct) }
            }
        }
    }

    /// # Safety
    /// As [`Emulator::copy_image`].
    unsafe fn emulated_to_plain(
        &self,
        commands: vk::CommandBuffer,
        src: &EmulatedImage,
        images: ImagePair,
        regions: &[vk::ImageCopy],
    ) -> Result<()> {
        let (from, note) = (src.readable_plane()?, self.note(images.dst)?);
        let mut copies = Vec::with_capacity(regions.len());
        for copy in regions {
            let blocks = src.blocks(&src.side(copy, Side::Src))?;
            let place = src.layout.levels[blocks.level as usize].place(src.format, blocks.first);
            let one = note.copy(&copy.dst_subresource, copy.dst_offset, place, blocks.size);
            copies.push(one.ok_or_else(|| src.too_large(blocks.size))?);
        }
        // SAFETY: the caller's promise; the plane's writes were made visible to transfers when they were recorded.
        unsafe {
            self.gpu.device().cmd_copy_buffer_to_image(
                commands,
                from.buffer,
                images.dst,
                images.dst_layout,
                &copies,
            );
        }
        Ok(())
    }

    /// # Safety
    /// As [`Emulator::copy_image`].
    unsafe fn plain_to_emulated(
        &self,
        commands: vk::CommandBuffer,
        recording: &mut Recording,
        dst: &EmulatedImage,
        images: ImagePair,
        regions: &[vk::ImageCopy],
    ) -> Result<()> {
        let note = self.note(images.src)?;
        let mut written = Vec::with_capacity(regions.len());
        for copy in regions {
            written.push(dst.box_at(copy, note.size(copy))?);
        }
        let staged = match dst.plane {
            Some(_) => None,
            None => Some(self.scratch_for(recording, dst, &written)?),
        };
        let mut copies = Vec::with_capacity(regions.len());
        for (index, (copy, blocks)) in regions.iter().zip(&written).enumerate() {
            let place = match &staged {
                Some(staged) => staged.places[index],
                None => dst.layout.levels[blocks.level as usize].place(dst.format, blocks.first),
            };
            let one = note.copy(&copy.src_subresource, copy.src_offset, place, blocks.size);
            copies.push(one.ok_or_else(|| dst.too_large(blocks.size))?);
        }
        let buffer = staged.as_ref().map(|staged| staged.buffer).or(dst.plane.map(|plane| plane.buffer));
        let Some(buffer) = buffer else { return Err(Error::UnknownImage(dst.handle)) };
        // SAFETY: the caller's promise; plane or scratch hold what the copies address.
        unsafe {
            self.gpu.device().cmd_copy_image_to_buffer(
                commands,
                images.src,
                images.src_layout,
                buffer,
                &copies,
            );
        }
        match staged {
            // SAFETY: the caller's promise; scratch has texel-buffer usage.
            Some(staged) => unsafe {
                self.decode_from(commands, recording, dst, images.dst_layout, buffer, &staged.regions)
            },
            // SAFETY: the caller's promise.
            None => unsafe { self.decode_written(commands, recording, dst, images.dst_layout, &written) },
        }
    }

    /// Decodes what was just copied into the plane, if the queue can.
    ///
    /// # Safety
    /// As [`Emulator::decode_from`].
    unsafe fn decode_written(
        &self,
        commands: vk::CommandBuffer,
        recording: &mut Recording,
        image: &EmulatedImage,
        layout: vk::ImageLayout,
        blocks: &[Blocks],
    ) -> Result<()> {
        if recording.queue == Queue::TransferOnly {
            // SAFETY: the caller records outside a render pass.
            unsafe { self.transfer_barrier(commands) };
            self.defer(recording, image, layout, blocks);
            return Ok(());
        }
        // SAFETY: the caller's promise.
        unsafe { self.decode_plane(commands, recording, image, layout, blocks) }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Src,
    Dst,
}

impl EmulatedImage {
    /// One side of an image copy as a region; its extent is in this image's texels only for the source.
    fn side(&self, copy: &vk::ImageCopy, side: Side) -> Region {
        let (subresource, offset) = match side {
            Side::Src => (&copy.src_subresource, copy.src_offset),
            Side::Dst => (&copy.dst_subresource, copy.dst_offset),
        };
        let layer_count = if self.layered() { self.layer_count(subresource) } else { 1 };
        let depth = if self.layered() { 1 } else { slices(copy) };
        Region {
            level: subresource.mip_level,
            base_layer: if self.layered() { subresource.base_array_layer } else { 0 },
            layer_count,
            offset: [offset.x, offset.y, offset.z].map(|value| value as u32),
            extent: [copy.extent.width, copy.extent.height, depth],
            ..Region::default()
        }
    }

    /// The box of `size` blocks that a copy writes here.
    fn box_at(&self, copy: &vk::ImageCopy, size: [u32; 3]) -> Result<Blocks> {
        let mut region = self.side(copy, Side::Dst);
        let [width, height] = self.format.footprint;
        let level = self.layout.levels.get(region.level as usize);
        let edge = level.map_or([0; 3], |level| level.extent);
        let clip = |blocks: u32, block: u32, axis: usize| {
            blocks.saturating_mul(block).min(edge[axis].saturating_sub(region.offset[axis]))
        };
        let extent = [clip(size[0], width, 0), clip(size[1], height, 1)];
        let (depth, layers) = if self.layered() { (1, size[2]) } else { (size[2], 1) };
        region.extent = [extent[0], extent[1], depth];
        region.layer_count = layers;
        let blocks = self.blocks(&region)?;
        if blocks.size == size { Ok(blocks) } else { Err(self.too_large(size)) }
    }

    fn too_large(&self, size: [u32; 3]) -> Error {
        Error::Unsupported {
            format: self.format,
            what: format!("a copy of {size:?} blocks to or from a level that has fewer"),
        }
    }
}

/// Layers or slices of a copy: where one image has layers and the other slices, the extent counts the slices.
fn slices(copy: &vk::ImageCopy) -> u32 {
    let layers = |layers: &vk::ImageSubresourceLayers| {
        if layers.layer_count == vk::REMAINING_ARRAY_LAYERS { 1 } else { layers.layer_count }
    };
    copy.extent.depth.max(layers(&copy.src_subresource)).max(layers(&copy.dst_subresource))
}

impl Note {
    /// Blocks of a copy from this image.
    fn size(&self, copy: &vk::ImageCopy) -> [u32; 3] {
        let remaining = copy.src_subresource.layer_count == vk::REMAINING_ARRAY_LAYERS;
        let layered = self.image_type != vk::ImageType::TYPE_3D;
        let slices = if remaining && layered {
            self.layers.saturating_sub(copy.src_subresource.base_array_layer)
        } else {
            slices(copy)
        };
        [
            copy.extent.width.div_ceil(self.footprint[0]),
            copy.extent.height.div_ceil(self.footprint[1]),
            slices,
        ]
    }

    /// The copy between blocks in a buffer and this image. `None` if it does not hold that many.
    fn copy(
        &self,
        subresource: &vk::ImageSubresourceLayers,
        offset: vk::Offset3D,
        place: Pitched,
        size: [u32; 3],
    ) -> Option<vk::BufferImageCopy> {
        let level = level_extent(self.extent, subresource.mip_level);
        let rows = place.slice.checked_div(place.row)?;
        let texels = |blocks: u64, axis: usize| u32::try_from(blocks * u64::from(self.footprint[axis])).ok();
        let clip = |axis: usize, offset: i32| {
            let left = level[axis].checked_sub(u32::try_from(offset).ok()?)?;
            let extent = size[axis].checked_mul(self.footprint[axis])?.min(left);
            (extent.div_ceil(self.footprint[axis]) == size[axis]).then_some(extent)
        };
        let layered = self.image_type != vk::ImageType::TYPE_3D;
        let (depth, layers) = if layered { (1, size[2]) } else { (size[2], 1) };
        Some(vk::BufferImageCopy {
            buffer_offset: place.offset,
            buffer_row_length: texels(place.row, 0)?,
            buffer_image_height: texels(rows, 1)?,
            image_subresource: vk::ImageSubresourceLayers { layer_count: layers, ..*subresource },
            image_offset: offset,
            image_extent: vk::Extent3D { width: clip(0, offset.x)?, height: clip(1, offset.y)?, depth },
        })
    }
}
