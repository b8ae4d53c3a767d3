//! Reads from a SPIR-V module what a pipeline layout needs: workgroup size, bindings, push constants,
//! specialization constants (SPIR-V specification, "Binary Form").

use std::collections::{BTreeMap, HashMap};

#[derive(Debug, Default)]
pub(crate) struct Interface {
    /// Literal sizes, or the ids of the specialization constants that give them.
    pub(crate) workgroup: [Size; 3],
    pub(crate) bindings: Vec<Binding>,
    pub(crate) push_constant_bytes: u32,
    pub(crate) spec_constants: Vec<u32>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Size {
    Literal(u32),
    SpecConstant(u32),
}

impl Default for Size {
    fn default() -> Self {
        Self::Literal(1)
    }
}

#[derive(Debug)]
pub(crate) struct Binding {
    pub(crate) set: u32,
    pub(crate) binding: u32,
    pub(crate) kind: &'static str,
    pub(crate) count: u32,
}

#[derive(Clone, Copy)]
enum Type {
    Int(u32),
    Other(u32),
    Image { buffer: bool, sampled: u32 },
    SampledImage,
    Sampler,
    Array { element: u32, length: u32 },
    Struct,
    Pointer { class: u32, pointee: u32 },
}

#[derive(Default)]
struct Module {
    types: HashMap<u32, Type>,
    members: HashMap<u32, Vec<u32>>,
    constants: HashMap<u32, u32>,
    composites: HashMap<u32, Vec<u32>>,
    variables: Vec<(u32, u32)>,
    decorations: HashMap<(u32, u32), u32>,
    member_offsets: HashMap<(u32, u32), u32>,
    vectors: HashMap<u32, u32>,
    workgroup_size: Option<u32>,
    workgroup: [Size; 3],
}

const DECORATION_SPEC_ID: u32 = 1;
const DECORATION_BUFFER_BLOCK: u32 = 3;
const DECORATION_ARRAY_STRIDE: u32 = 6;
const DECORATION_BUILT_IN: u32 = 11;
const DECORATION_BINDING: u32 = 33;
const DECORATION_DESCRIPTOR_SET: u32 = 34;
const DECORATION_OFFSET: u32 = 35;
const BUILT_IN_WORKGROUP_SIZE: u32 = 25;
const CLASS_UNIFORM_CONSTANT: u32 = 0;
const CLASS_UNIFORM: u32 = 2;
const CLASS_PUSH_CONSTANT: u32 = 9;
const CLASS_STORAGE_BUFFER: u32 = 12;
const EXECUTION_MODE_LOCAL_SIZE: u32 = 17;
const DIM_BUFFER: u32 = 5;

pub(crate) fn interface(words: &[u32]) -> Result<Interface, String> {
    let module = parse(words)?;
    let mut interface = Interface { workgroup: workgroup(&module), ..Interface::default() };
    for &(variable, pointer) in &module.variables {
        let Some(&Type::Pointer { class, pointee }) = module.types.get(&pointer) else { continue };
        match class {
            CLASS_PUSH_CONSTANT => interface.push_constant_bytes = size_of(&module, pointee)?,
            CLASS_UNIFORM_CONSTANT | CLASS_UNIFORM | CLASS_STORAGE_BUFFER => {
                let set = module.decorations.get(&(variable, DECORATION_DESCRIPTOR_SET)).copied();
                let binding = module.decorations.get(&(variable, DECORATION_BINDING)).copied();
                let (Some(set), Some(binding)) = (set, binding) else { continue };
                let (element, count) = match module.types.get(&pointee) {
                    Some(&Type::Array { element, length }) => (element, constant(&module, length)?),
                    _ => (pointee, 1),
                };
                let kind = kind(&module, class, element)?;
                interface.bindings.push(Binding { set, binding, kind, count });
            }
            _ => {}
        }
    }
    interface.bindings.sort_by_key(|binding| (binding.set, binding.binding));
    let ids: BTreeMap<u32, ()> = module
        .decorations
        .iter()
        .filter(|((_, decoration), _)| *decoration == DECORATION_SPEC_ID)
        .map(|(_, &id)| (id, ()))
        .collect();
    interface.spec_constants = ids.into_keys().collect();
    Ok(interface)
}

fn parse(words: &[u32]) -> Result<Module, String> {
    if words.first() != Some(&0x0723_0203) || words.len() < 5 {
        return Err("not a SPIR-V module".into());
    }
    let mut module = Module::default();
    let mut rest = &words[5..];
    while let Some(&head) = rest.first() {
        let (opcode, length) = (head & 0xFFFF, (head >> 16) as usize);
        if length == 0 || length > rest.len() {
            return Err("an instruction runs past the end of the module".into());
        }
        module.instruction(opcode, &rest[1..length]);
        rest = &rest[length..];
    }
    Ok(module)
}

impl Module {
    fn instruction(&mut self, opcode: u32, operands: &[u32]) {
        match (opcode, operands) {
            // OpExecutionMode
            (16, [_, EXECUTION_MODE_LOCAL_SIZE, x, y, z]) => {
                self.workgroup = [*x, *y, *z].map(Size::Literal);
            }
            // OpTypeInt, OpTypeFloat
            (21, [id, width, _]) => drop(self.types.insert(*id, Type::Int(*width / 8))),
            (22, [id, width, ..]) => drop(self.types.insert(*id, Type::Other(*width / 8))),
            // OpTypeVector, OpTypeMatrix
            (23 | 24, [id, component, count]) => {
                self.vectors.insert(*id, *component);
                self.types.insert(*id, Type::Other(*count));
            }
            // OpTypeImage
            (25, [id, _, dim, _, _, _, sampled, ..]) => {
                self.types.insert(*id, Type::Image { buffer: *dim == DIM_BUFFER, sampled: *sampled });
            }
            (26, [id]) => drop(self.types.insert(*id, Type::Sampler)),
            (27, [id, _]) => drop(self.types.insert(*id, Type::SampledImage)),
            // OpTypeArray, OpTypeRuntimeArray
            (28, [id, element, length]) => {
                self.types.insert(*id, Type::Array { element: *element, length: *length });
            }
            // OpTypeStruct
            (30, [id, members @ ..]) => {
                self.types.insert(*id, Type::Struct);
                self.members.insert(*id, members.to_vec());
            }
            (32, [id, class, pointee]) => {
                self.types.insert(*id, Type::Pointer { class: *class, pointee: *pointee });
            }
            // OpConstant, OpSpecConstant
            (43 | 50, [_, id, value, ..]) => drop(self.constants.insert(*id, *value)),
            // OpConstantComposite, OpSpecConstantComposite
            (44 | 51, [_, id, parts @ ..]) => drop(self.composites.insert(*id, parts.to_vec())),
            // OpVariable
            (59, [pointer, id, ..]) => self.variables.push((*id, *pointer)),
            // OpDecorate
            (71, [id, DECORATION_BUILT_IN, BUILT_IN_WORKGROUP_SIZE]) => self.workgroup_size = Some(*id),
            (71, [id, decoration]) => drop(self.decorations.insert((*id, *decoration), 0)),
            (71, [id, decoration, value, ..]) => {
                self.decorations.insert((*id, *decoration), *value);
            }
            // OpMemberDecorate
            (72, [id, member, DECORATION_OFFSET, offset]) => {
                self.member_offsets.insert((*id, *member), *offset);
            }
            _ => {}
        }
    }
}

fn workgroup(module: &Module) -> [Size; 3] {
    let parts = module.workgroup_size.and_then(|id| module.composites.get(&id));
    let Some([x, y, z]) = parts.map(Vec::as_slice) else { return module.workgroup };
    [x, y, z].map(|id| match module.decorations.get(&(*id, DECORATION_SPEC_ID)) {
        Some(&spec) => Size::SpecConstant(spec),
        None => Size::Literal(module.constants.get(id).copied().unwrap_or(1)),
    })
}

fn kind(module: &Module, class: u32, id: u32) -> Result<&'static str, String> {
    let block = module.decorations.contains_key(&(id, DECORATION_BUFFER_BLOCK));
    match (class, module.types.get(&id)) {
        (CLASS_STORAGE_BUFFER, Some(Type::Struct)) => Ok("StorageBuffer"),
        (CLASS_UNIFORM, Some(Type::Struct)) => Ok(if block { "StorageBuffer" } else { "UniformBuffer" }),
        (_, Some(Type::Image { buffer: true, sampled: 1 })) => Ok("UniformTexelBuffer"),
        (_, Some(Type::SampledImage)) => Ok("CombinedImageSampler"),
        (_, Some(Type::Image { buffer: false, sampled: 1 })) => Ok("SampledImage"),
        (_, Some(Type::Image { buffer: false, sampled: 2 })) => Ok("StorageImage"),
        (_, Some(Type::Sampler)) => Ok("Sampler"),
        _ => Err("a binding of a kind that the table does not know".into()),
    }
}

fn constant(module: &Module, id: u32) -> Result<u32, String> {
    module.constants.get(&id).copied().ok_or_else(|| "an array length that is no constant".into())
}

/// Bytes of a push-constant type: the end of its last member.
fn size_of(module: &Module, id: u32) -> Result<u32, String> {
    if let Some(&component) = module.vectors.get(&id) {
        let Some(&Type::Other(count)) = module.types.get(&id) else {
            return Err("a vector without a length".into());
        };
        return Ok(count * size_of(module, component)?);
    }
    match module.types.get(&id) {
        Some(&Type::Int(bytes) | &Type::Other(bytes)) => Ok(bytes),
        Some(&Type::Array { element, length }) => {
            let stride = module.decorations.get(&(id, DECORATION_ARRAY_STRIDE)).copied();
            let stride = stride.map_or_else(|| size_of(module, element), Ok)?;
            Ok(stride * constant(module, length)?)
        }
        Some(Type::Struct) => {
            let mut end = 0;
            for (index, &member) in module.members.get(&id).into_iter().flatten().enumerate() {
                let offset = module.member_offsets.get(&(id, index as u32)).copied().unwrap_or(0);
                end = end.max(offset + size_of(module, member)?);
            }
            Ok(end)
        }
        _ => Err("a push constant of a type that the table does not know".into()),
    }
}
