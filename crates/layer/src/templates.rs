//! Descriptor update templates that push for compute: what they push has to be known to be pushed again.

use ash::vk;
use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

/// The templates of a device.
#[derive(Debug, Default)]
pub(crate) struct Templates {
    known: RwLock<HashMap<vk::DescriptorUpdateTemplate, Arc<Template>>>,
    /// While it is 0, no lock is taken.
    count: AtomicUsize,
}

impl Templates {
    pub(crate) fn add(&self, handle: vk::DescriptorUpdateTemplate, template: Template) {
        let old =
            self.known.write().unwrap_or_else(PoisonError::into_inner).insert(handle, Arc::new(template));
        if old.is_none() {
            self.count.fetch_add(1, Ordering::Release);
        }
    }

    pub(crate) fn remove(&self, handle: vk::DescriptorUpdateTemplate) {
        if self.count.load(Ordering::Acquire) > 0
            && self.known.write().unwrap_or_else(PoisonError::into_inner).remove(&handle).is_some()
        {
            self.count.fetch_sub(1, Ordering::Release);
        }
    }

    pub(crate) fn get(&self, handle: vk::DescriptorUpdateTemplate) -> Option<Arc<Template>> {
        if self.count.load(Ordering::Acquire) == 0 {
            return None;
        }
        self.known.read().unwrap_or_else(PoisonError::into_inner).get(&handle).cloned()
    }
}

/// One of them.
#[derive(Debug)]
pub(crate) struct Template(Vec<vk::DescriptorUpdateTemplateEntry>);

/// The descriptors of one entry.
enum Value {
    Images(Vec<vk::DescriptorImageInfo>),
    Buffers(Vec<vk::DescriptorBufferInfo>),
    Texels(Vec<vk::BufferView>),
    Structures(Vec<vk::AccelerationStructureKHR>),
}

/// What one push writes.
pub(crate) struct Values(Vec<(vk::DescriptorUpdateTemplateEntry, Value)>);

impl Template {
    /// `None` for templates that do not push for compute.
    ///
    /// # Safety
    /// `info` is valid.
    pub(crate) unsafe fn of(info: &vk::DescriptorUpdateTemplateCreateInfo<'_>) -> Option<Self> {
        let pushes = info.template_type == vk::DescriptorUpdateTemplateType::PUSH_DESCRIPTORS_KHR;
        if !pushes || info.pipeline_bind_point != vk::PipelineBindPoint::COMPUTE {
            return None;
        }
        let count = info.descriptor_update_entry_count as usize;
        // SAFETY: the array holds as many, by the caller's promise, and is not empty (VUID
        // VkDescriptorUpdateTemplateCreateInfo-descriptorUpdateEntryCount-arraylength).
        Some(Self(unsafe { std::slice::from_raw_parts(info.p_descriptor_update_entries, count) }.to_vec()))
    }

    /// Reads what a push is given.
    ///
    /// # Safety
    /// `data` holds what the entries describe.
    pub(crate) unsafe fn values(&self, data: *const c_void) -> Values {
        let mut values = Vec::with_capacity(self.0.len());
        for entry in &self.0 {
            macro_rules! read {
                ($variant:ident: $type:ty) => {{
                    let mut list = Vec::new();
                    for index in 0..entry.descriptor_count as usize {
                        let start = entry.offset + index * entry.stride;
                        // SAFETY: the caller's promise.
                        let address = unsafe { data.byte_add(start) }.cast::<$type>();
                        // SAFETY: as above; the application's structure may lie anywhere.
                        list.push(unsafe { address.read_unaligned() });
                    }
                    Value::$variant(list)
                }};
            }
            let value = match entry.descriptor_type {
                vk::DescriptorType::UNIFORM_TEXEL_BUFFER | vk::DescriptorType::STORAGE_TEXEL_BUFFER => {
                    read!(Texels: vk::BufferView)
                }
                vk::DescriptorType::UNIFORM_BUFFER | vk::DescriptorType::STORAGE_BUFFER => {
                    read!(Buffers: vk::DescriptorBufferInfo)
                }
                vk::DescriptorType::ACCELERATION_STRUCTURE_KHR => {
                    read!(Structures: vk::AccelerationStructureKHR)
                }
                _ => read!(Images: vk::DescriptorImageInfo),
            };
            values.push((*entry, value));
        }
        Values(values)
    }
}

impl Values {
    /// The structures that writes of acceleration structures are chained to, one an entry.
    pub(crate) fn structures(&self) -> Vec<vk::WriteDescriptorSetAccelerationStructureKHR<'_>> {
        let chained = self.0.iter().map(|(_, value)| match value {
            Value::Structures(list) => {
                vk::WriteDescriptorSetAccelerationStructureKHR::default().acceleration_structures(list)
            }
            _ => vk::WriteDescriptorSetAccelerationStructureKHR::default(),
        });
        chained.collect()
    }

    /// The same as `vkCmdPushDescriptorSetKHR` takes it.
    pub(crate) fn writes<'a>(
        &'a self,
        structures: &'a mut [vk::WriteDescriptorSetAccelerationStructureKHR<'a>],
    ) -> Vec<vk::WriteDescriptorSet<'a>> {
        let writes = self.0.iter().zip(structures).map(|((entry, value), structures)| {
            let write = vk::WriteDescriptorSet::default()
                .dst_binding(entry.dst_binding)
                .dst_array_element(entry.dst_array_element)
                .descriptor_type(entry.descriptor_type);
            let mut write = match value {
                Value::Images(list) => write.image_info(list),
                Value::Buffers(list) => write.buffer_info(list),
                Value::Texels(list) => write.texel_buffer_view(list),
                Value::Structures(_) => write.push_next(structures),
            };
            write.descriptor_count = entry.descriptor_count;
            write
        });
        writes.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vk::Handle;

    #[repr(C)]
    struct Data {
        padding: u32,
        buffers: [(vk::DescriptorBufferInfo, u64); 2],
        view: vk::BufferView,
    }

    #[test]
    fn a_template_becomes_the_writes_it_stands_for() {
        let entry = |binding, kind, count, offset, stride| vk::DescriptorUpdateTemplateEntry {
            dst_binding: binding,
            dst_array_element: 0,
            descriptor_count: count,
            descriptor_type: kind,
            offset,
            stride,
        };
        let entries = [
            entry(3, vk::DescriptorType::STORAGE_BUFFER, 2, std::mem::offset_of!(Data, buffers), 32),
            entry(5, vk::DescriptorType::UNIFORM_TEXEL_BUFFER, 1, std::mem::offset_of!(Data, view), 0),
        ];
        let info = vk::DescriptorUpdateTemplateCreateInfo::default()
            .descriptor_update_entries(&entries)
            .template_type(vk::DescriptorUpdateTemplateType::PUSH_DESCRIPTORS_KHR)
            .pipeline_bind_point(vk::PipelineBindPoint::COMPUTE);
        // SAFETY: valid.
        let template = unsafe { Template::of(&info) }.expect("pushes for compute");
        let buffer = |raw| vk::DescriptorBufferInfo {
            buffer: vk::Buffer::from_raw(raw),
            offset: raw * 16,
            range: vk::WHOLE_SIZE,
        };
        let data =
            Data { padding: 7, buffers: [(buffer(1), 0), (buffer(2), 0)], view: vk::BufferView::from_raw(9) };
        assert_eq!(data.padding, 7);
        // SAFETY: the data is what the entries describe.
        let values = unsafe { template.values((&raw const data).cast()) };
        let mut structures = values.structures();
        let writes = values.writes(&mut structures);
        assert_eq!((writes[0].dst_binding, writes[0].descriptor_count), (3, 2));
        // SAFETY: two buffers were written.
        let second = unsafe { writes[0].p_buffer_info.add(1) };
        // SAFETY: as above.
        let second = unsafe { *second };
        assert_eq!((second.buffer, second.offset), (vk::Buffer::from_raw(2), 32));
        assert_eq!((writes[1].dst_binding, writes[1].descriptor_count), (5, 1));
        // SAFETY: one view was written.
        assert_eq!(unsafe { *writes[1].p_texel_buffer_view }, data.view);
        let graphics = info.pipeline_bind_point(vk::PipelineBindPoint::GRAPHICS);
        // SAFETY: valid.
        assert!(unsafe { Template::of(&graphics) }.is_none(), "graphics sets are not disturbed");
    }
}
