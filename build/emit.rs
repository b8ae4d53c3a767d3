//! Writes the table of kernels as Rust.

use crate::reflect::{Interface, Size};
use crate::variants::Variant;
use std::fmt::Write;

pub(crate) struct Compiled {
    pub(crate) spirv: Vec<u32>,
    pub(crate) interface: Interface,
}

pub(crate) fn table(variants: &[Variant], kernels: &[Compiled]) -> String {
    let mut text = String::new();
    let mut all = String::new();
    let mut keyed = String::new();
    for (variant, kernel) in variants.iter().zip(kernels) {
        let constant = variant.name.to_uppercase();
        kernel_item(&mut text, &constant, variant, kernel);
        writeln!(all, "    &{constant},").expect("a string takes it");
        if let Some(key) = &variant.transcode_key {
            writeln!(keyed, "    ({key}, &{constant}),").expect("a string takes it");
        }
    }
    write!(
        text,
        "/// Every kernel.\npub static KERNELS: &[&Kernel] = &[\n{all}];\n\n\
         /// The transcoding kernels by what they do.\npub static TRANSCODE: &[(TranscodeKey, &Kernel)] = &[\n{keyed}];\n"
    )
    .expect("a string takes it");
    text
}

fn kernel_item(text: &mut String, constant: &str, variant: &Variant, kernel: &Compiled) {
    let interface = &kernel.interface;
    let workgroup = interface.workgroup.map(|size| match size {
        Size::Literal(value) => format!("WorkgroupSize::Literal({value})"),
        Size::SpecConstant(id) => format!("WorkgroupSize::SpecConstant({id})"),
    });
    let bindings: Vec<String> = interface
        .bindings
        .iter()
        .map(|binding| {
            format!(
                "Binding {{ set: {}, binding: {}, kind: BindingKind::{}, count: {} }}",
                binding.set, binding.binding, binding.kind, binding.count
            )
        })
        .collect();
    writeln!(
        text,
        "/// `{file}`{defines}.\npub static {constant}: Kernel = Kernel {{\n    name: \"{name}\",\n    \
         spirv: &{spirv:?},\n    workgroup: [{workgroup}],\n    bindings: &[{bindings}],\n    \
         push_constant_bytes: {push},\n    spec_constants: &{spec:?},\n}};\n",
        file = variant.file,
        defines = variant.defines.iter().map(|(name, value)| format!(" {name}={value}")).collect::<String>(),
        name = variant.name,
        spirv = kernel.spirv,
        workgroup = workgroup.join(", "),
        bindings = bindings.join(", "),
        push = interface.push_constant_bytes,
        spec = interface.spec_constants,
    )
    .expect("a string takes it");
}
