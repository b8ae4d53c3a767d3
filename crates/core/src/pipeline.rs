//! Compute pipelines from the table of kernels, and a map that builds each once.

use crate::error::{Context, Error, Result};
use crate::gpu::Gpu;
use ash::vk;
use std::collections::HashMap;
use std::ffi::CStr;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use texemu_shaders::{Binding, BindingKind, Kernel};

/// What a [`Pipeline`] is made from.
#[derive(Clone, Copy, Debug)]
pub struct PipelineDesc<'a> {
    /// The module.
    pub kernel: &'static Kernel,
    /// Specialization constants: id and value. Ids that the kernel lacks are ignored.
    pub constants: &'a [(u32, u32)],
    /// `VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT`; the device must have
    /// [`crate::Features::full_subgroups`].
    pub full_subgroups: bool,
}

/// A compute pipeline with its layouts. Set 0 is a push-descriptor set where the device has push descriptors.
#[derive(Debug)]
pub struct Pipeline {
    gpu: Gpu,
    kernel: &'static Kernel,
    handle: vk::Pipeline,
    layout: vk::PipelineLayout,
    set_layout: vk::DescriptorSetLayout,
}

impl Pipeline {
    /// Compiles the kernel for the device.
    #[doc(alias = "vkCreateComputePipelines")]
    pub fn new(gpu: &Gpu, desc: &PipelineDesc<'_>) -> Result<Self> {
        let kernel = desc.kernel;
        let device = gpu.device();
        if desc.full_subgroups && !gpu.features().full_subgroups {
            return Err(Error::MissingFeature { kernel: kernel.name, what: "computeFullSubgroups" });
        }
        // Null handles are legal to destroy, so a failure half-way leaks nothing.
        let mut pipeline = Self {
            gpu: gpu.clone(),
            kernel,
            handle: vk::Pipeline::null(),
            layout: vk::PipelineLayout::null(),
            set_layout: vk::DescriptorSetLayout::null(),
        };
        pipeline.set_layout = set_layout(gpu, kernel.bindings)?;
        let set_layouts = [pipeline.set_layout];
        let ranges = [vk::PushConstantRange {
            stage_flags: vk::ShaderStageFlags::COMPUTE,
            offset: 0,
            size: kernel.push_constant_bytes,
        }];
        let ranges = if kernel.push_constant_bytes == 0 { &ranges[..0] } else { &ranges[..] };
        let info =
            vk::PipelineLayoutCreateInfo::default().set_layouts(&set_layouts).push_constant_ranges(ranges);
        // SAFETY: the set layout was made on this device.
        pipeline.layout =
            unsafe { device.create_pipeline_layout(&info, None) }.call("vkCreatePipelineLayout")?;

        let module_info = vk::ShaderModuleCreateInfo::default().code(kernel.spirv);
        // SAFETY: the words are a module that shaderc made; what it needs was checked by whoever chose the kernel.
        let module =
            unsafe { device.create_shader_module(&module_info, None) }.call("vkCreateShaderModule")?;
        let result = pipeline.compile(desc, module);
        // SAFETY: made above; pipelines do not need their modules once created.
        unsafe { device.destroy_shader_module(module, None) };
        pipeline.handle = result?;
        gpu.name(pipeline.handle, kernel.name);
        gpu.name(pipeline.layout, kernel.name);
        Ok(pipeline)
    }

    fn compile(&self, desc: &PipelineDesc<'_>, module: vk::ShaderModule) -> Result<vk::Pipeline> {
        let constants: Vec<_> =
            desc.constants.iter().filter(|(id, _)| self.kernel.spec_constants.contains(id)).collect();
        let entries: Vec<_> = (0u32..)
            .zip(&constants)
            .map(|(index, (id, _))| vk::SpecializationMapEntry {
                constant_id: *id,
                offset: index * 4,
                size: 4,
            })
            .collect();
        let data: Vec<u8> = constants.iter().flat_map(|(_, value)| value.to_ne_bytes()).collect();
        let specialization = vk::SpecializationInfo::default().map_entries(&entries).data(&data);
        let flags = if desc.full_subgroups {
            vk::PipelineShaderStageCreateFlags::REQUIRE_FULL_SUBGROUPS
        } else {
            vk::PipelineShaderStageCreateFlags::empty()
        };
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .flags(flags)
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module)
            .name(c"main")
            .specialization_info(&specialization);
        let mut flags = vk::PipelineCreateFlags::empty();
        if self.gpu.executables().is_some() {
            flags |= vk::PipelineCreateFlags::CAPTURE_STATISTICS_KHR;
        }
        let info = [vk::ComputePipelineCreateInfo::default().flags(flags).stage(stage).layout(self.layout)];
        // SAFETY: module and layout were made on this device, from the same kernel's description.
        let result =
            unsafe { self.gpu.device().create_compute_pipelines(self.gpu.pipeline_cache(), &info, None) };
        let pipelines = result.map_err(|(_, result)| result).call("vkCreateComputePipelines")?;
        Ok(pipelines[0])
    }

    /// The kernel it was made from.
    pub fn kernel(&self) -> &'static Kernel {
        self.kernel
    }

    /// The pipeline.
    pub fn handle(&self) -> vk::Pipeline {
        self.handle
    }

    /// Its layout: set 0, and push constants for the compute stage.
    pub fn layout(&self) -> vk::PipelineLayout {
        self.layout
    }

    pub(crate) fn set_layout(&self) -> vk::DescriptorSetLayout {
        self.set_layout
    }

    /// What the driver says about the compiled code: registers, spills, shared memory. Empty where it says nothing.
    #[doc(alias = "vkGetPipelineExecutableStatisticsKHR")]
    pub fn statistics(&self) -> PipelineStats {
        let Some(executables) = self.gpu.executables() else { return PipelineStats::default() };
        let info = vk::PipelineExecutableInfoKHR::default().pipeline(self.handle).executable_index(0);
        // SAFETY: the pipeline was created with CAPTURE_STATISTICS and has one executable at least.
        let result = unsafe { executables.get_pipeline_executable_statistics(&info) };
        let values = result.unwrap_or_default().into_iter().map(|statistic| {
            let name = statistic.name_as_c_str().map(CStr::to_string_lossy).unwrap_or_default().into_owned();
            (name, statistic_value(&statistic))
        });
        PipelineStats(values.collect())
    }
}

impl Drop for Pipeline {
    fn drop(&mut self) {
        let device = self.gpu.device();
        // SAFETY: made on this device; the owner promises that no command buffer still uses it.
        unsafe { device.destroy_pipeline(self.handle, None) };
        // SAFETY: as above.
        unsafe { device.destroy_pipeline_layout(self.layout, None) };
        // SAFETY: as above.
        unsafe { device.destroy_descriptor_set_layout(self.set_layout, None) };
    }
}

/// Name and value of each statistic that the driver gives.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct PipelineStats(pub Vec<(String, f64)>);

fn statistic_value(statistic: &vk::PipelineExecutableStatisticKHR<'_>) -> f64 {
    let value = statistic.value;
    match statistic.format {
        vk::PipelineExecutableStatisticFormatKHR::BOOL32 => {
            // SAFETY: the format names the union's active member.
            f64::from(unsafe { value.b32 })
        }
        vk::PipelineExecutableStatisticFormatKHR::INT64 => {
            // SAFETY: as above.
            let value = unsafe { value.i64 };
            value as f64
        }
        vk::PipelineExecutableStatisticFormatKHR::UINT64 => {
            // SAFETY: as above.
            let value = unsafe { value.u64 };
            value as f64
        }
        // SAFETY: as above.
        _ => unsafe { value.f64 },
    }
}

fn set_layout(gpu: &Gpu, bindings: &[Binding]) -> Result<vk::DescriptorSetLayout> {
    let bindings: Vec<_> = bindings
        .iter()
        .map(|binding| {
            vk::DescriptorSetLayoutBinding::default()
                .binding(binding.binding)
                .descriptor_type(descriptor_type(binding.kind))
                .descriptor_count(binding.count)
                .stage_flags(vk::ShaderStageFlags::COMPUTE)
        })
        .collect();
    let flags = if gpu.push_descriptor().is_some() {
        vk::DescriptorSetLayoutCreateFlags::PUSH_DESCRIPTOR_KHR
    } else {
        vk::DescriptorSetLayoutCreateFlags::empty()
    };
    let info = vk::DescriptorSetLayoutCreateInfo::default().flags(flags).bindings(&bindings);
    // SAFETY: the device is alive.
    unsafe { gpu.device().create_descriptor_set_layout(&info, None) }.call("vkCreateDescriptorSetLayout")
}

pub(crate) fn descriptor_type(kind: BindingKind) -> vk::DescriptorType {
    match kind {
        BindingKind::Sampler => vk::DescriptorType::SAMPLER,
        BindingKind::CombinedImageSampler => vk::DescriptorType::COMBINED_IMAGE_SAMPLER,
        BindingKind::SampledImage => vk::DescriptorType::SAMPLED_IMAGE,
        BindingKind::StorageImage => vk::DescriptorType::STORAGE_IMAGE,
        BindingKind::UniformTexelBuffer => vk::DescriptorType::UNIFORM_TEXEL_BUFFER,
        BindingKind::UniformBuffer => vk::DescriptorType::UNIFORM_BUFFER,
        BindingKind::StorageBuffer => vk::DescriptorType::STORAGE_BUFFER,
    }
}

type Key = (&'static str, Vec<(u32, u32)>, bool);

/// One pipeline, built by whoever holds the lock.
#[derive(Debug, Default)]
struct Slot {
    pipeline: OnceLock<Arc<Pipeline>>,
    building: Mutex<()>,
}

/// Pipelines built on first use, each once, whichever threads ask. Two threads that ask for different pipelines build
/// side by side.
#[derive(Debug)]
pub struct PipelineMap {
    gpu: Gpu,
    slots: Mutex<HashMap<Key, Arc<Slot>>>,
}

impl PipelineMap {
    /// An empty map.
    pub fn new(gpu: &Gpu) -> Self {
        Self { gpu: gpu.clone(), slots: Mutex::default() }
    }

    /// The pipeline of `desc`, built now if nobody has asked for it yet. May block while it is compiled.
    pub fn get(&self, desc: &PipelineDesc<'_>) -> Result<Arc<Pipeline>> {
        let key = (desc.kernel.name, desc.constants.to_vec(), desc.full_subgroups);
        let slot = {
            let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
            slots.entry(key).or_default().clone()
        };
        if let Some(pipeline) = slot.pipeline.get() {
            return Ok(pipeline.clone());
        }
        let _building = slot.building.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pipeline) = slot.pipeline.get() {
            return Ok(pipeline.clone());
        }
        let pipeline = Arc::new(Pipeline::new(&self.gpu, desc)?);
        Ok(slot.pipeline.get_or_init(|| pipeline).clone())
    }
}
