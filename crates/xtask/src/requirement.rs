//! What the project needs from the system, and what each system calls it.

use crate::system::System;

/// One thing that has to be on the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Requirement {
    CppCompiler,
    Shaderc,
    /// The archives that `libshaderc_combined.a` lacks on some systems.
    GlslangArchives,
    SpirvToolsArchives,
    VulkanLoader,
    Lavapipe,
    ValidationLayer,
    /// What a C program is compiled and linked with.
    VulkanDevelopment,
    /// An X server without a screen, what types for it, and what a window of ours loads there.
    VirtualDisplay,
    /// What the program's reports are opened in.
    Chromium,
    /// SwiftShader and the newer validation layer beside it, unpacked from Debian's Chromium.
    SwiftShader,
}

impl Requirement {
    /// In the order in which they are needed.
    pub(crate) const ALL: [Self; 11] = [
        Self::CppCompiler,
        Self::Shaderc,
        Self::GlslangArchives,
        Self::SpirvToolsArchives,
        Self::VulkanLoader,
        Self::Lavapipe,
        Self::ValidationLayer,
        Self::VulkanDevelopment,
        Self::VirtualDisplay,
        Self::Chromium,
        Self::SwiftShader,
    ];

    /// What it is and what it is for, in a few words.
    pub(crate) fn purpose(self) -> &'static str {
        match self {
            Self::CppCompiler => "a C++ compiler, to link shaderc",
            Self::Shaderc => "shaderc, to compile the shaders",
            Self::GlslangArchives => "glslang's static libraries, which shaderc's lack",
            Self::SpirvToolsArchives => "SPIRV-Tools' static libraries, which shaderc's lack",
            Self::VulkanLoader => "the Vulkan loader",
            Self::Lavapipe => "lavapipe, a Vulkan driver for the CPU",
            Self::ValidationLayer => "the Khronos validation layer",
            Self::VulkanDevelopment => "Vulkan's headers, to test the C interface",
            Self::VirtualDisplay => "a virtual X display and its libraries, to test the viewer's window",
            Self::Chromium => "Chromium without a screen, to open the program's reports",
            Self::SwiftShader => {
                "SwiftShader, a second Vulkan driver for the CPU, and a newer validation layer"
            }
        }
    }

    /// The packages that bring it on `system`; empty if that system has none.
    pub(crate) fn packages(self, system: System) -> &'static [&'static str] {
        match system {
            System::Debian | System::Ubuntu => match self {
                Self::CppCompiler => &["g++"],
                Self::Shaderc => &["libshaderc-dev"],
                Self::GlslangArchives => &["glslang-dev"],
                // Debian puts the static libraries beside the tools.
                Self::SpirvToolsArchives => &["spirv-tools"],
                Self::VulkanLoader => &["libvulkan1"],
                Self::Lavapipe => &["mesa-vulkan-drivers"],
                Self::ValidationLayer => &["vulkan-validationlayers"],
                Self::VulkanDevelopment => &["libvulkan-dev"],
                // Xvfb asks for none of the libraries, which winit loads when it runs.
                Self::VirtualDisplay => &[
                    "xvfb",
                    "xdotool",
                    "libx11-xcb1",
                    "libxcursor1",
                    "libxi6",
                    "libxkbcommon-x11-0",
                    "libxrandr2",
                ],
                // Ubuntu's is no package, but a snap.
                Self::Chromium if system == System::Ubuntu => &[],
                Self::Chromium => &["chromium-headless-shell"],
                Self::SwiftShader => &[],
            },
            System::Fedora => match self {
                Self::CppCompiler => &["gcc-c++"],
                Self::Shaderc => &["libshaderc-devel", "libshaderc-static"],
                Self::GlslangArchives => &["glslang-devel"],
                Self::SpirvToolsArchives => &["spirv-tools-devel"],
                Self::VulkanLoader => &["vulkan-loader"],
                Self::Lavapipe => &["mesa-vulkan-drivers"],
                Self::ValidationLayer => &["vulkan-validation-layers"],
                Self::VulkanDevelopment => &["vulkan-headers", "vulkan-loader-devel"],
                Self::VirtualDisplay => &[
                    "xorg-x11-server-Xvfb",
                    "xdotool",
                    "libX11-xcb",
                    "libXcursor",
                    "libXi",
                    "libxkbcommon-x11",
                    "libXrandr",
                ],
                Self::Chromium => &["chromium"],
                Self::SwiftShader => &[],
            },
            System::Arch => match self {
                Self::CppCompiler => &["gcc"],
                Self::Shaderc => &["shaderc"],
                Self::GlslangArchives => &["glslang"],
                Self::SpirvToolsArchives => &["spirv-tools"],
                Self::VulkanLoader => &["vulkan-icd-loader"],
                Self::Lavapipe => &["vulkan-swrast"],
                Self::ValidationLayer => &["vulkan-validation-layers"],
                Self::VulkanDevelopment => &["vulkan-headers"],
                Self::VirtualDisplay => {
                    &["xorg-server-xvfb", "xdotool", "libxcursor", "libxi", "libxkbcommon-x11", "libxrandr"]
                }
                Self::Chromium => &["chromium"],
                Self::SwiftShader => &[],
            },
            System::OtherLinux | System::MacOs | System::Windows => &[],
        }
    }

    /// Whether the tests go on without it, leaving out what it is for.
    ///
    /// Only Debian packages a SwiftShader that we know how to unpack; a browser or a display is no reason to test nothing where
    /// nothing can be installed.
    pub(crate) fn is_optional(self, system: System, can_install: bool) -> bool {
        match self {
            Self::SwiftShader => system != System::Debian,
            Self::Chromium | Self::VirtualDisplay => !can_install || self.packages(system).is_empty(),
            _ => false,
        }
    }
}
