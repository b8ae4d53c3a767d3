//! What is on this machine, by the files that matter rather than by a package manager's word.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use crate::plan::Machine;
use crate::requirement::Requirement;
use crate::swiftshader;
use crate::system::{Privilege, System, find_program};

/// Where installed files are looked for.
pub(crate) struct Files {
    root: PathBuf,
}

impl Files {
    /// The files below `root`; `/` is this machine, anything else a pretended one.
    pub(crate) fn below(root: &Path) -> Self {
        Self { root: root.to_owned() }
    }

    fn is_this_machine(&self) -> bool {
        self.root == Path::new("/")
    }

    fn at(&self, path: &str) -> PathBuf {
        self.root.join(path.trim_start_matches('/'))
    }

    /// What was found.
    pub(crate) fn machine(&self) -> Machine {
        Machine {
            system: System::detect(&self.root),
            privilege: Privilege::detect(),
            has_apt: self.has_program("apt-get"),
            present: Requirement::ALL.into_iter().filter(|requirement| self.has(*requirement)).collect(),
        }
    }

    fn has(&self, requirement: Requirement) -> bool {
        match requirement {
            Requirement::CppCompiler => {
                cfg!(windows) || ["c++", "g++"].iter().any(|name| self.has_program(name))
            }
            Requirement::Shaderc => self.shaderc_archive().is_some() || self.shaderc_shared().is_some(),
            Requirement::GlslangArchives => self.shaderc_has_or("libglslang.a"),
            Requirement::SpirvToolsArchives => self.shaderc_has_or("libSPIRV-Tools-opt.a"),
            Requirement::VulkanLoader => {
                ["libvulkan.so.1", "libvulkan.1.dylib"].iter().any(|name| self.library(name).is_some())
                    || cfg!(windows)
            }
            Requirement::Lavapipe => !cfg!(target_os = "linux") || self.lavapipe().is_some(),
            Requirement::ValidationLayer => self.validation_layer().is_some(),
            Requirement::VulkanDevelopment => !cfg!(target_os = "linux") || self.vulkan_development(),
            Requirement::VirtualDisplay => !cfg!(target_os = "linux") || self.virtual_display(),
            Requirement::Chromium => !cfg!(target_os = "linux") || self.has_chromium(),
            Requirement::SwiftShader => self.is_this_machine() && swiftshader::Tools::find().is_some(),
        }
    }

    fn has_program(&self, name: &str) -> bool {
        if self.is_this_machine() {
            return find_program(name).is_some();
        }
        ["usr/bin", "bin", "usr/local/bin"].iter().any(|dir| self.root.join(dir).join(name).exists())
    }

    /// The names that `crates/cli/tests/report.rs` looks for.
    fn has_chromium(&self) -> bool {
        ["chromium-headless-shell", "headless_shell", "chromium", "chromium-browser", "google-chrome"]
            .iter()
            .any(|name| self.has_program(name))
    }

    fn library_dirs(&self) -> Vec<PathBuf> {
        let mut dirs = Vec::new();
        if self.is_this_machine() {
            dirs.extend(env::var_os("SHADERC_LIB_DIR").map(PathBuf::from));
            dirs.extend(env::var_os("VULKAN_SDK").map(|sdk| PathBuf::from(sdk).join("lib")));
        }
        let arch = env::consts::ARCH;
        for dir in [
            &format!("/usr/lib/{arch}-linux-gnu"),
            "/usr/lib64",
            "/usr/lib",
            "/usr/local/lib64",
            "/usr/local/lib",
            "/opt/homebrew/lib",
        ] {
            dirs.push(self.at(dir));
        }
        dirs
    }

    fn library(&self, name: &str) -> Option<PathBuf> {
        self.library_dirs().into_iter().map(|dir| dir.join(name)).find(|path| path.exists())
    }

    fn shaderc_archive(&self) -> Option<PathBuf> {
        ["libshaderc_combined.a", "shaderc_combined.lib"].iter().find_map(|name| self.library(name))
    }

    fn shaderc_shared(&self) -> Option<PathBuf> {
        ["libshaderc.so", "libshaderc_shared.so", "libshaderc_shared.dylib"]
            .iter()
            .find_map(|name| self.library(name))
    }

    /// Whether the library `name` is there, or not needed because shaderc's archive holds it.
    ///
    /// Upstream's archive holds glslang and SPIRV-Tools; Debian's holds neither. The archive is linked
    /// where there is one, the shared library only where there is none.
    fn shaderc_has_or(&self, name: &str) -> bool {
        if self.library(name).is_some() {
            return true;
        }
        match self.shaderc_archive() {
            Some(archive) => fs::read(&archive).is_ok_and(|bytes| holds_glslang(&bytes)),
            None => self.shaderc_shared().is_some(),
        }
    }

    fn vulkan_development(&self) -> bool {
        let mut folders = vec![self.at("/usr/include"), self.at("/usr/local/include")];
        if self.is_this_machine() {
            folders.extend(env::var_os("VULKAN_SDK").map(|sdk| PathBuf::from(sdk).join("include")));
        }
        let header = folders.iter().any(|folder| folder.join("vulkan/vulkan.h").exists());
        header && self.library("libvulkan.so").is_some()
    }

    fn virtual_display(&self) -> bool {
        const LIBRARIES: [&str; 5] =
            ["libX11-xcb.so.1", "libXcursor.so.1", "libXi.so.6", "libxkbcommon-x11.so.0", "libXrandr.so.2"];
        ["Xvfb", "xdotool"].iter().all(|name| self.has_program(name))
            && LIBRARIES.iter().all(|name| self.library(name).is_some())
    }

    /// lavapipe's driver manifest.
    pub(crate) fn lavapipe(&self) -> Option<PathBuf> {
        self.manifest("icd.d", |name| name.starts_with("lvp_icd"))
    }

    /// The Khronos validation layer's manifest.
    pub(crate) fn validation_layer(&self) -> Option<PathBuf> {
        self.manifest("explicit_layer.d", |name| name == "VkLayer_khronos_validation.json")
    }

    fn manifest(&self, folder: &str, wanted: impl Fn(&str) -> bool) -> Option<PathBuf> {
        let mut dirs: Vec<PathBuf> =
            ["/usr/local/etc/vulkan", "/usr/local/share/vulkan", "/etc/vulkan", "/usr/share/vulkan"]
                .iter()
                .map(|dir| self.at(dir).join(folder))
                .collect();
        if self.is_this_machine() {
            let sdk = env::var_os("VULKAN_SDK").map(PathBuf::from);
            dirs.extend(sdk.iter().flat_map(|sdk| [sdk.join("share/vulkan").join(folder), sdk.join("Bin")]));
        }
        let mut found: Vec<PathBuf> = dirs
            .iter()
            .filter_map(|dir| fs::read_dir(dir).ok())
            .flatten()
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.file_name().and_then(|name| name.to_str()).is_some_and(&wanted))
            .collect();
        // Debian's multiarch puts one manifest an architecture side by side: this one's goes first.
        found.sort_by_key(|path| !path.to_string_lossy().contains(env::consts::ARCH));
        found.into_iter().next()
    }
}

/// Whether a shaderc archive is complete: the name of one of glslang's objects tells.
fn holds_glslang(archive: &[u8]) -> bool {
    let name = b"glslang_tab.cpp.";
    archive.windows(name.len()).any(|window| window == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder that goes away with the test.
    struct Pretended(PathBuf);

    impl Pretended {
        fn new(name: &str, files: &[(&str, &str)]) -> Self {
            let root = env::temp_dir().join(format!("texemu-xtask-{name}-{}", std::process::id()));
            for (path, text) in files {
                let path = root.join(path);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, text).unwrap();
            }
            fs::create_dir_all(&root).unwrap();
            Self(root)
        }
    }

    impl Drop for Pretended {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn an_empty_debian_has_nothing() {
        let root = Pretended::new("empty", &[("etc/os-release", "ID=debian\n"), ("usr/bin/apt-get", "")]);
        let machine = Files::below(&root.0).machine();
        assert_eq!(machine.system, System::Debian, "read from the pretended os-release");
        assert!(machine.has_apt, "apt-get is there");
        assert!(machine.present.is_empty(), "nothing else is: {:?}", machine.present);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn split_archives_are_asked_for_only_where_shaderc_lacks_them() {
        let split = Pretended::new("split", &[("usr/lib/libshaderc_combined.a", "shaderc.cc.o")]);
        let present = Files::below(&split.0).machine().present;
        assert!(present.contains(&Requirement::Shaderc), "the archive is there");
        assert!(!present.contains(&Requirement::GlslangArchives), "but lacks glslang");
        assert!(!present.contains(&Requirement::SpirvToolsArchives), "and SPIRV-Tools");

        let whole =
            Pretended::new("whole", &[("usr/lib64/libshaderc_combined.a", "xx glslang_tab.cpp.o xx")]);
        let present = Files::below(&whole.0).machine().present;
        assert!(present.contains(&Requirement::GlslangArchives), "one archive holds both");
        assert!(present.contains(&Requirement::SpirvToolsArchives), "one archive holds both");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_driver_manifest_of_this_architecture_is_preferred() {
        let own = format!("usr/share/vulkan/icd.d/lvp_icd.{}.json", env::consts::ARCH);
        let root =
            Pretended::new("icd", &[("usr/share/vulkan/icd.d/lvp_icd.i686.json", ""), (own.as_str(), "")]);
        assert_eq!(Files::below(&root.0).lavapipe(), Some(root.0.join(&own)), "not the 32-bit one");
    }
}
