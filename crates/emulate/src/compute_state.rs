//! What an application has bound for compute, remembered so that it can be bound again after a decode.
//!
//! A decode binds a compute pipeline and descriptor set 0 of the compute bind point, and pushes constants. Binding set 0 with
//! a layout of our own disturbs the sets above it too (Vulkan specification, "Pipeline Layout Compatibility"), and push
//! constants are shared by all bind points. Nothing else of a command buffer's state is touched: neither the graphics
//! pipeline, nor graphics or ray-tracing sets, nor dynamic state, nor queries.

use texemu_core::{Gpu, ash, vk};

/// The compute state of one command buffer. An embedder that binds for compute between copies of emulated images either
/// binds everything again after them, or tells this state what it binds; then the copies restore it.
#[derive(Default)]
pub struct ComputeState {
    pipeline: vk::Pipeline,
    /// Bound instead of a pipeline.
    shader: Option<Shader>,
    sets: Vec<Sets>,
    /// `vkCmdPushDescriptorSet`, where it is not the extension's.
    push: Option<vk::PFN_vkCmdPushDescriptorSetKHR>,
    constants: Vec<Constants>,
    conditional: Option<Conditional>,
}

enum Sets {
    Bound {
        layout: vk::PipelineLayout,
        first: u32,
        sets: Vec<vk::DescriptorSet>,
        offsets: Vec<u32>,
    },
    Pushed {
        layout: vk::PipelineLayout,
        set: u32,
        write: Push,
    },
    /// Offsets into descriptor buffers.
    Offsets {
        layout: vk::PipelineLayout,
        first: u32,
        buffers: Vec<u32>,
        offsets: Vec<u64>,
        function: vk::PFN_vkCmdSetDescriptorBufferOffsetsEXT,
    },
    /// A set of embedded samplers.
    Samplers {
        layout: vk::PipelineLayout,
        set: u32,
        function: vk::PFN_vkCmdBindDescriptorBufferEmbeddedSamplersEXT,
    },
}

#[derive(Clone, Copy)]
struct Shader {
    handle: vk::ShaderEXT,
    function: vk::PFN_vkCmdBindShadersEXT,
}

/// `VkWriteDescriptorSet`, with what it points to.
struct Push {
    binding: u32,
    element: u32,
    kind: vk::DescriptorType,
    images: Vec<vk::DescriptorImageInfo>,
    buffers: Vec<vk::DescriptorBufferInfo>,
    texels: Vec<vk::BufferView>,
    structures: Vec<vk::AccelerationStructureKHR>,
}

struct Constants {
    layout: vk::PipelineLayout,
    stages: vk::ShaderStageFlags,
    offset: u32,
    bytes: Vec<u8>,
}

#[derive(Clone, Copy)]
struct Conditional {
    buffer: vk::Buffer,
    offset: u64,
    flags: vk::ConditionalRenderingFlagsEXT,
    functions: vk_functions::Conditional,
}

/// Functions of extensions, which only an application that enabled them can hand over.
mod vk_functions {
    use super::vk;

    #[derive(Clone, Copy)]
    pub(super) struct Conditional {
        pub(super) begin: vk::PFN_vkCmdBeginConditionalRenderingEXT,
        pub(super) end: vk::PFN_vkCmdEndConditionalRenderingEXT,
    }
}

impl ComputeState {
    /// `vkCmdBindPipeline`. Other bind points are ignored.
    #[doc(alias = "vkCmdBindPipeline")]
    pub fn bind_pipeline(&mut self, point: vk::PipelineBindPoint, pipeline: vk::Pipeline) {
        if point == vk::PipelineBindPoint::COMPUTE {
            self.pipeline = pipeline;
            self.shader = None;
        }
    }

    /// `vkCmdBindShadersEXT`, which is `function`; `shaders` is empty if the command's pointer is null. Other stages are
    /// ignored.
    #[doc(alias = "vkCmdBindShadersEXT")]
    pub fn bind_shaders(
        &mut self,
        function: vk::PFN_vkCmdBindShadersEXT,
        stages: &[vk::ShaderStageFlags],
        shaders: &[vk::ShaderEXT],
    ) {
        let Some(index) = stages.iter().position(|&stage| stage == vk::ShaderStageFlags::COMPUTE) else {
            return;
        };
        let handle = shaders.get(index).copied().unwrap_or_default();
        // Both take the place of a pipeline.
        self.pipeline = vk::Pipeline::null();
        self.shader = (handle != vk::ShaderEXT::null()).then_some(Shader { handle, function });
    }

    /// `vkCmdBindDescriptorSets`. Other bind points are ignored.
    #[doc(alias = "vkCmdBindDescriptorSets")]
    pub fn bind_descriptor_sets(
        &mut self,
        point: vk::PipelineBindPoint,
        layout: vk::PipelineLayout,
        first: u32,
        sets: &[vk::DescriptorSet],
        offsets: &[u32],
    ) {
        if point != vk::PipelineBindPoint::COMPUTE || sets.is_empty() {
            return;
        }
        let covered = covered_by(first, sets.len());
        // Bound over and over, it takes no memory: what it replaces is filled anew, and is the last again.
        let spare = self.sets.iter().position(|other| matches!(other, Sets::Bound { .. }) && covered(other));
        let (mut own_sets, mut own_offsets) = match spare.map(|index| self.sets.remove(index)) {
            Some(Sets::Bound { sets, offsets, .. }) => (sets, offsets),
            _ => Default::default(),
        };
        self.sets.retain(|other| !covered(other));
        own_sets.clear();
        own_sets.extend_from_slice(sets);
        own_offsets.clear();
        own_offsets.extend_from_slice(offsets);
        self.sets.push(Sets::Bound { layout, first, sets: own_sets, offsets: own_offsets });
    }

    /// `vkCmdSetDescriptorBufferOffsetsEXT`, which is `function`. Other bind points are ignored.
    #[doc(alias = "vkCmdSetDescriptorBufferOffsetsEXT")]
    pub fn set_descriptor_buffer_offsets(
        &mut self,
        function: vk::PFN_vkCmdSetDescriptorBufferOffsetsEXT,
        point: vk::PipelineBindPoint,
        layout: vk::PipelineLayout,
        first: u32,
        buffers: &[u32],
        offsets: &[u64],
    ) {
        if point != vk::PipelineBindPoint::COMPUTE {
            return;
        }
        self.sets.retain(|other| !covered_by(first, buffers.len())(other));
        let (buffers, offsets) = (buffers.to_vec(), offsets.to_vec());
        self.sets.push(Sets::Offsets { layout, first, buffers, offsets, function });
    }

    /// `vkCmdBindDescriptorBufferEmbeddedSamplersEXT`, which is `function`. Other bind points are ignored.
    #[doc(alias = "vkCmdBindDescriptorBufferEmbeddedSamplersEXT")]
    pub fn bind_embedded_samplers(
        &mut self,
        function: vk::PFN_vkCmdBindDescriptorBufferEmbeddedSamplersEXT,
        point: vk::PipelineBindPoint,
        layout: vk::PipelineLayout,
        set: u32,
    ) {
        if point == vk::PipelineBindPoint::COMPUTE {
            self.sets.retain(|other| !covered_by(set, 1)(other));
            self.sets.push(Sets::Samplers { layout, set, function });
        }
    }

    /// `vkCmdBindDescriptorBuffersEXT`: the offsets into those that were bound before are no longer valid. A decode leaves the
    /// buffers themselves bound.
    #[doc(alias = "vkCmdBindDescriptorBuffersEXT")]
    pub fn bind_descriptor_buffers(&mut self) {
        self.sets.retain(|other| !matches!(other, Sets::Offsets { .. }));
    }

    /// What descriptors are pushed again with: `vkCmdPushDescriptorSet` of Vulkan 1.4. Not needed on devices that were created
    /// with `VK_KHR_push_descriptor`.
    #[doc(alias = "vkCmdPushDescriptorSet")]
    pub fn push_with(&mut self, function: vk::PFN_vkCmdPushDescriptorSetKHR) {
        self.push = Some(function);
    }

    /// `vkCmdPushDescriptorSetKHR`. Other bind points are ignored. Does nothing for templates: whoever knows the template
    /// hands over the writes it stands for.
    ///
    /// # Safety
    /// The arrays that `writes` point to are valid.
    #[doc(alias = "vkCmdPushDescriptorSetKHR")]
    pub unsafe fn push_descriptor_set(
        &mut self,
        point: vk::PipelineBindPoint,
        layout: vk::PipelineLayout,
        set: u32,
        writes: &[vk::WriteDescriptorSet<'_>],
    ) {
        if point != vk::PipelineBindPoint::COMPUTE {
            return;
        }
        // A set that was bound at this number is gone; other numbers of the same call stay.
        self.sets.retain(|other| matches!(other, Sets::Pushed { .. }) || other.range() != (set, set + 1));
        for write in writes {
            // SAFETY: the caller's promise.
            let write = unsafe { Push::copy(write) };
            self.sets.retain(|other| match other {
                Sets::Pushed { set: other_set, write: other, .. } => {
                    *other_set != set
                        || (other.binding, other.element, other.len())
                            != (write.binding, write.element, write.len())
                }
                _ => true,
            });
            self.sets.push(Sets::Pushed { layout, set, write });
        }
    }

    /// `vkCmdPushConstants`, of any stages.
    #[doc(alias = "vkCmdPushConstants")]
    pub fn push_constants(
        &mut self,
        layout: vk::PipelineLayout,
        stages: vk::ShaderStageFlags,
        offset: u32,
        bytes: &[u8],
    ) {
        let end = offset as usize + bytes.len();
        let covered = |other: &Constants| {
            let inside = other.offset >= offset && other.offset as usize + other.bytes.len() <= end;
            inside && stages.contains(other.stages)
        };
        // As with sets.
        let spare = self.constants.iter().position(covered).map(|index| self.constants.remove(index).bytes);
        self.constants.retain(|other| !covered(other));
        let mut own = spare.unwrap_or_default();
        own.clear();
        own.extend_from_slice(bytes);
        self.constants.push(Constants { layout, stages, offset, bytes: own });
    }

    /// `vkCmdBeginConditionalRenderingEXT`: copies run whatever the condition says, dispatches do not, so a decode has to
    /// step out of it. `device` holds the extension's functions.
    ///
    /// # Safety
    /// `info` is what the command buffer was given.
    #[doc(alias = "vkCmdBeginConditionalRenderingEXT")]
    pub unsafe fn begin_conditional_rendering(
        &mut self,
        device: &ash::ext::conditional_rendering::Device,
        info: &vk::ConditionalRenderingBeginInfoEXT<'_>,
    ) {
        self.conditional = Some(Conditional {
            buffer: info.buffer,
            offset: info.offset,
            flags: info.flags,
            functions: vk_functions::Conditional {
                begin: device.fp().cmd_begin_conditional_rendering_ext,
                end: device.fp().cmd_end_conditional_rendering_ext,
            },
        });
    }

    /// `vkCmdEndConditionalRenderingEXT`.
    #[doc(alias = "vkCmdEndConditionalRenderingEXT")]
    pub fn end_conditional_rendering(&mut self) {
        self.conditional = None;
    }

    /// Forgets everything: a command buffer that begins, or that executed secondary ones, has no state.
    pub fn clear(&mut self) {
        self.pipeline = vk::Pipeline::null();
        self.shader = None;
        self.sets.clear();
        self.constants.clear();
        self.conditional = None;
    }

    /// Makes ready for a decode.
    ///
    /// # Safety
    /// `commands` is being recorded and is in the state that was told here.
    pub(crate) unsafe fn suspend(&self, commands: vk::CommandBuffer) {
        if let Some(conditional) = &self.conditional {
            // SAFETY: the caller's promise: conditional rendering is active.
            unsafe { (conditional.functions.end)(commands) };
        }
    }

    /// Binds everything again after a decode.
    ///
    /// # Safety
    /// `commands` is being recorded on the device, outside a render pass; what was bound is still alive, as it has to be
    /// for a command buffer that uses it.
    pub(crate) unsafe fn restore(&self, gpu: &Gpu, commands: vk::CommandBuffer) {
        let device = gpu.device();
        let point = vk::PipelineBindPoint::COMPUTE;
        if let Some(conditional) = &self.conditional {
            let info = vk::ConditionalRenderingBeginInfoEXT::default()
                .buffer(conditional.buffer)
                .offset(conditional.offset)
                .flags(conditional.flags);
            // SAFETY: as the application began it.
            unsafe { (conditional.functions.begin)(commands, &info) };
        }
        if self.pipeline != vk::Pipeline::null() {
            // SAFETY: the caller's promise.
            unsafe { device.cmd_bind_pipeline(commands, point, self.pipeline) };
        }
        if let Some(Shader { handle, function }) = self.shader {
            let stage = vk::ShaderStageFlags::COMPUTE;
            // SAFETY: as above.
            unsafe { function(commands, 1, &raw const stage, &raw const handle) };
        }
        for sets in &self.sets {
            match sets {
                Sets::Bound { layout, first, sets, offsets } => {
                    // SAFETY: the caller's promise; the same call as the application's.
                    unsafe {
                        device.cmd_bind_descriptor_sets(commands, point, *layout, *first, sets, offsets)
                    };
                }
                Sets::Pushed { layout, set, write } => {
                    // SAFETY: as above.
                    unsafe { write.push(gpu, self.push, commands, *layout, *set) };
                }
                Sets::Offsets { layout, first, buffers, offsets, function } => {
                    let (count, buffers) = (buffers.len() as u32, buffers.as_ptr());
                    // SAFETY: as above.
                    unsafe { function(commands, point, *layout, *first, count, buffers, offsets.as_ptr()) };
                }
                Sets::Samplers { layout, set, function } => {
                    // SAFETY: as above.
                    unsafe { function(commands, point, *layout, *set) };
                }
            }
        }
        for constants in &self.constants {
            let Constants { layout, stages, offset, bytes } = constants;
            // SAFETY: as above.
            unsafe { device.cmd_push_constants(commands, *layout, *stages, *offset, bytes) };
        }
    }
}

impl Sets {
    /// The first set number and the one past the last.
    fn range(&self) -> (u32, u32) {
        match self {
            Self::Bound { first, sets, .. } => (*first, first + sets.len() as u32),
            Self::Offsets { first, buffers, .. } => (*first, first + buffers.len() as u32),
            Self::Pushed { set, .. } | Self::Samplers { set, .. } => (*set, set + 1),
        }
    }
}

/// Whether something is replaced when `count` sets from `first` on are bound.
fn covered_by(first: u32, count: usize) -> impl Fn(&Sets) -> bool {
    let last = first + count as u32;
    move |other| {
        let (other_first, other_last) = other.range();
        other_first >= first && other_last <= last
    }
}

impl Push {
    /// # Safety
    /// The arrays that `write` points to are valid.
    unsafe fn copy(write: &vk::WriteDescriptorSet<'_>) -> Self {
        let count = write.descriptor_count as usize;
        let mut push = Self {
            binding: write.dst_binding,
            element: write.dst_array_element,
            kind: write.descriptor_type,
            images: Vec::new(),
            buffers: Vec::new(),
            texels: Vec::new(),
            structures: Vec::new(),
        };
        match write.descriptor_type {
            vk::DescriptorType::UNIFORM_TEXEL_BUFFER | vk::DescriptorType::STORAGE_TEXEL_BUFFER => {
                // SAFETY: texel buffers come in this array.
                push.texels =
                    unsafe { std::slice::from_raw_parts(write.p_texel_buffer_view, count) }.to_vec();
            }
            vk::DescriptorType::UNIFORM_BUFFER | vk::DescriptorType::STORAGE_BUFFER => {
                // SAFETY: buffers come in this array.
                push.buffers = unsafe { std::slice::from_raw_parts(write.p_buffer_info, count) }.to_vec();
            }
            vk::DescriptorType::ACCELERATION_STRUCTURE_KHR => {
                type Info<'a> = vk::WriteDescriptorSetAccelerationStructureKHR<'a>;
                // SAFETY: acceleration structures come in the chain.
                if let Some(info) = unsafe { crate::chain::find_in::<Info<'_>>(write.p_next) } {
                    // SAFETY: as above.
                    let list = unsafe { std::slice::from_raw_parts(info.p_acceleration_structures, count) };
                    push.structures = list.to_vec();
                }
            }
            // SAFETY: samplers and images come in this array.
            _ => push.images = unsafe { std::slice::from_raw_parts(write.p_image_info, count) }.to_vec(),
        }
        push
    }

    fn len(&self) -> usize {
        self.images.len() + self.buffers.len() + self.texels.len() + self.structures.len()
    }

    /// # Safety
    /// As [`ComputeState::restore`].
    unsafe fn push(
        &self,
        gpu: &Gpu,
        function: Option<vk::PFN_vkCmdPushDescriptorSetKHR>,
        commands: vk::CommandBuffer,
        layout: vk::PipelineLayout,
        set: u32,
    ) {
        let mut structures = vk::WriteDescriptorSetAccelerationStructureKHR::default()
            .acceleration_structures(&self.structures);
        let mut write = vk::WriteDescriptorSet::default()
            .dst_binding(self.binding)
            .dst_array_element(self.element)
            .descriptor_type(self.kind)
            .image_info(&self.images)
            .buffer_info(&self.buffers)
            .texel_buffer_view(&self.texels);
        if !self.structures.is_empty() {
            write = write.push_next(&mut structures);
        }
        write.descriptor_count = self.len() as u32;
        let extension = || Some(gpu.push_descriptor()?.fp().cmd_push_descriptor_set_khr);
        let Some(function) = function.or_else(extension) else {
            log::warn!("the device was created without VK_KHR_push_descriptor: pushed descriptors are lost");
            return;
        };
        let point = vk::PipelineBindPoint::COMPUTE;
        // SAFETY: the caller's promise; the same write as the application's.
        unsafe { function(commands, point, layout, set, 1, &raw const write) };
    }
}

impl std::fmt::Debug for ComputeState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ComputeState")
            .field("pipeline", &self.pipeline)
            .field("sets", &self.sets.len())
            .field("constants", &self.constants.len())
            .field("conditional", &self.conditional.is_some())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vk::Handle;

    #[test]
    fn what_is_bound_over_is_forgotten() {
        let mut state = ComputeState::default();
        let (compute, graphics) = (vk::PipelineBindPoint::COMPUTE, vk::PipelineBindPoint::GRAPHICS);
        let layout = vk::PipelineLayout::from_raw(1);
        let set = vk::DescriptorSet::from_raw;
        state.bind_descriptor_sets(graphics, layout, 0, &[set(9)], &[]);
        assert_eq!(state.sets.len(), 0, "graphics sets are not disturbed and not remembered");
        for round in 0..100 {
            state.bind_descriptor_sets(compute, layout, 0, &[set(round), set(2)], &[round as u32, 4]);
            state.bind_descriptor_sets(compute, layout, 1, &[set(3)], &[]);
            state.push_constants(layout, vk::ShaderStageFlags::COMPUTE, 0, &[round as u8; 16]);
            state.push_constants(layout, vk::ShaderStageFlags::VERTEX, 4, &[2; 4]);
            state.push_constants(layout, vk::ShaderStageFlags::COMPUTE, 8, &[3; 4]);
        }
        assert_eq!(state.sets.len(), 2, "two calls make up the state");
        assert_eq!(state.constants.len(), 3, "three calls make up the state");
        state.clear();
        assert_eq!((state.sets.len(), state.constants.len()), (0, 0));
    }
}
