//! From what a machine has to what has to be run on it: a pure function.

use std::collections::BTreeSet;
use std::fmt;

use crate::requirement::Requirement;
use crate::system::{Privilege, System};

/// What the machine is being prepared for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Build the program and run it on some Vulkan driver.
    Run,
    /// Run every test, with validation and on a second driver.
    Test,
}

impl Purpose {
    /// What this purpose needs.
    pub(crate) fn requirements(self) -> Vec<Requirement> {
        let wanted = |requirement: &Requirement| match requirement {
            Requirement::ValidationLayer
            | Requirement::VulkanDevelopment
            | Requirement::VirtualDisplay
            | Requirement::Chromium
            | Requirement::SwiftShader => self == Self::Test,
            _ => true,
        };
        Requirement::ALL.into_iter().filter(wanted).collect()
    }
}

/// What was found on a machine.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    pub(crate) system: System,
    pub(crate) privilege: Privilege,
    pub(crate) has_apt: bool,
    pub(crate) present: BTreeSet<Requirement>,
}

/// One thing to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Run a program with arguments.
    Command(Vec<String>),
    /// Download Debian's `chromium-common` and unpack SwiftShader from it.
    UnpackSwiftShader,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command(words) => f.write_str(&words.join(" ")),
            Self::UnpackSwiftShader => f.write_str(
                "apt-get download chromium-common, and unpack SwiftShader and its validation layer",
            ),
        }
    }
}

/// What has to happen before the purpose can be served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Plan {
    /// Nothing is missing.
    Ready,
    /// These steps bring it all; `advice` is what a person does if one of them fails.
    Install { missing: Vec<Requirement>, steps: Vec<Step>, advice: String },
    /// Something is missing that we may not or cannot install; `advice` is what a person has to do.
    Stuck { missing: Vec<Requirement>, reason: String, advice: String },
}

/// What to do on `machine` so that `purpose` can be served.
pub(crate) fn plan(purpose: Purpose, machine: &Machine) -> Plan {
    let can_install = machine.system.uses_apt() && machine.has_apt && machine.privilege.prefix().is_some();
    let missing: Vec<_> = purpose
        .requirements()
        .into_iter()
        .filter(|requirement| !machine.present.contains(requirement))
        .filter(|requirement| !requirement.is_optional(machine.system, can_install))
        .collect();
    if missing.is_empty() {
        return Plan::Ready;
    }
    let packages = packages(&missing, machine.system);
    let advice = advice(machine.system, &packages);
    let stuck = |reason: &str| Plan::Stuck {
        missing: missing.clone(),
        reason: reason.to_owned(),
        advice: advice.clone(),
    };
    if !machine.system.uses_apt() {
        return stuck("packages are installed by this command only with apt (Debian, Ubuntu)");
    }
    if !machine.has_apt {
        return stuck("apt-get is not in PATH");
    }
    let Some(prefix) = machine.privilege.prefix() else {
        if packages.is_empty() {
            return Plan::Install { missing, steps: vec![Step::UnpackSwiftShader], advice };
        }
        return stuck("this user is not root and there is no sudo");
    };

    let mut steps = vec![command(prefix, &["apt-get", "update"])];
    if !packages.is_empty() {
        let mut install = vec![
            "env",
            "DEBIAN_FRONTEND=noninteractive",
            "apt-get",
            "install",
            "-y",
            "--no-install-recommends",
        ];
        install.extend(&packages);
        steps.push(command(prefix, &install));
    }
    if missing.contains(&Requirement::SwiftShader) {
        steps.push(Step::UnpackSwiftShader);
    }
    Plan::Install { missing, steps, advice }
}

fn packages(missing: &[Requirement], system: System) -> Vec<&'static str> {
    let mut packages = Vec::new();
    for package in missing.iter().flat_map(|requirement| requirement.packages(system)) {
        if !packages.contains(package) {
            packages.push(*package);
        }
    }
    packages
}

fn command(prefix: &[&str], words: &[&str]) -> Step {
    Step::Command(prefix.iter().chain(words).map(|word| (*word).to_owned()).collect())
}

/// How a person installs `packages` on `system`.
fn advice(system: System, packages: &[&str]) -> String {
    let packages = packages.join(" ");
    match system {
        System::Debian | System::Ubuntu if packages.is_empty() => "as root: apt-get update".to_owned(),
        System::Debian | System::Ubuntu => {
            format!("as root: apt-get update && apt-get install --no-install-recommends {packages}")
        }
        System::Fedora => format!("sudo dnf install {packages}"),
        System::Arch => format!("sudo pacman -S --needed {packages}"),
        System::OtherLinux => {
            "install shaderc (with its static library), a C++ compiler, the Vulkan loader, \
             Mesa's lavapipe and the Khronos validation layer, or the Vulkan SDK with VULKAN_SDK set"
                .to_owned()
        }
        System::MacOs => "install the Vulkan SDK (https://vulkan.lunarg.com) with its setup-env.sh sourced, \
             then run with --icd system: MoltenVK is the driver"
            .to_owned(),
        System::Windows => {
            "install the Vulkan SDK (https://vulkan.lunarg.com) with its shaderc component and \
             the Visual Studio C++ build tools, then run with --icd system"
                .to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(system: System, privilege: Privilege, present: &[Requirement]) -> Machine {
        Machine { system, privilege, has_apt: system.uses_apt(), present: present.iter().copied().collect() }
    }

    fn lines(plan: &Plan) -> Vec<String> {
        match plan {
            Plan::Install { steps, .. } => steps.iter().map(Step::to_string).collect(),
            other => panic!("expected steps, got {other:?}"),
        }
    }

    const INSTALL: &str = "env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends";

    #[test]
    fn a_fresh_debian_machine_gets_it_all_in_one_install() {
        let plan = plan(Purpose::Test, &machine(System::Debian, Privilege::Root, &[]));
        let expected = format!(
            "{INSTALL} g++ libshaderc-dev glslang-dev spirv-tools libvulkan1 mesa-vulkan-drivers \
             vulkan-validationlayers libvulkan-dev xvfb xdotool libx11-xcb1 libxcursor1 libxi6 \
             libxkbcommon-x11-0 libxrandr2 chromium-headless-shell"
        );
        let swiftshader = Step::UnpackSwiftShader.to_string();
        assert_eq!(lines(&plan), ["apt-get update", &expected, &swiftshader], "three steps, in order");
    }

    #[test]
    fn running_needs_less_than_testing() {
        let plan = plan(Purpose::Run, &machine(System::Debian, Privilege::Root, &[]));
        let text = lines(&plan).join("\n");
        assert!(text.contains("mesa-vulkan-drivers"), "a driver is needed to run: {text}");
        assert!(!text.contains("validation"), "validation is for tests: {text}");
        assert!(!text.contains("chromium"), "SwiftShader and reports are for tests: {text}");
    }

    #[test]
    fn nothing_is_run_where_nothing_is_missing() {
        let complete = machine(System::Debian, Privilege::None, &Requirement::ALL);
        assert_eq!(plan(Purpose::Test, &complete), Plan::Ready, "all is present");
        let runnable = machine(System::Debian, Privilege::None, &Purpose::Run.requirements());
        assert_eq!(plan(Purpose::Run, &runnable), Plan::Ready, "all that running needs is present");
    }

    #[test]
    fn only_what_is_missing_is_installed() {
        let present: Vec<_> =
            Requirement::ALL.into_iter().filter(|requirement| *requirement != Requirement::Shaderc).collect();
        let plan = plan(Purpose::Test, &machine(System::Debian, Privilege::Root, &present));
        assert_eq!(lines(&plan), ["apt-get update", &format!("{INSTALL} libshaderc-dev")], "one package");
    }

    #[test]
    fn sudo_stands_before_what_needs_root_and_before_nothing_else() {
        let present: Vec<_> =
            Requirement::ALL.into_iter().filter(|requirement| *requirement < Requirement::Lavapipe).collect();
        let plan = plan(Purpose::Test, &machine(System::Debian, Privilege::SudoWithoutPrompt, &present));
        let lines = lines(&plan);
        assert_eq!(lines[0], "sudo -n apt-get update", "the lists belong to root");
        assert!(lines[1].starts_with("sudo -n env DEBIAN_FRONTEND"), "so do the packages: {}", lines[1]);
        assert!(lines[2].starts_with("apt-get download"), "a download belongs to the user: {}", lines[2]);
    }

    #[test]
    fn without_root_or_sudo_a_person_is_told_the_command() {
        let plan = plan(Purpose::Run, &machine(System::Debian, Privilege::None, &[]));
        let Plan::Stuck { reason, advice, .. } = plan else { panic!("nothing can be installed: {plan:?}") };
        assert!(reason.contains("sudo"), "the reason names what is lacking: {reason}");
        assert!(advice.contains("apt-get install"), "the advice is a command: {advice}");
        assert!(advice.contains("libshaderc-dev"), "it names the packages: {advice}");
    }

    #[test]
    fn a_debian_without_apt_is_stuck() {
        let mut machine = machine(System::Debian, Privilege::Root, &[]);
        machine.has_apt = false;
        let plan = plan(Purpose::Run, &machine);
        assert!(matches!(&plan, Plan::Stuck { reason, .. } if reason.contains("apt-get")), "{plan:?}");
    }

    #[test]
    fn swiftshader_alone_needs_no_root() {
        let present: Vec<_> = Requirement::ALL
            .into_iter()
            .filter(|requirement| *requirement != Requirement::SwiftShader)
            .collect();
        let plan = plan(Purpose::Test, &machine(System::Debian, Privilege::None, &present));
        assert_eq!(lines(&plan), [Step::UnpackSwiftShader.to_string()], "a download and nothing as root");
    }

    #[test]
    fn other_systems_go_without_swiftshader_and_are_told_their_own_command() {
        for (system, tool) in [(System::Fedora, "dnf install"), (System::Arch, "pacman -S")] {
            let plan = plan(Purpose::Test, &machine(system, Privilege::Root, &[]));
            let Plan::Stuck { missing, advice, .. } = plan else { panic!("only apt is driven: {plan:?}") };
            assert!(advice.contains(tool), "{system:?} has its own tool: {advice}");
            assert!(!missing.contains(&Requirement::SwiftShader), "{system:?} does not package it");
        }
        let present: Vec<_> = Requirement::ALL
            .into_iter()
            .filter(|requirement| *requirement != Requirement::SwiftShader)
            .collect();
        let ubuntu = machine(System::Ubuntu, Privilege::None, &present);
        assert_eq!(plan(Purpose::Test, &ubuntu), Plan::Ready, "the tests go on without it");
    }

    #[test]
    fn a_browser_alone_holds_nothing_up() {
        let present: Vec<_> = Requirement::ALL
            .into_iter()
            .filter(|requirement| *requirement != Requirement::Chromium)
            .collect();
        let on = |system, privilege| plan(Purpose::Test, &machine(system, privilege, &present));
        assert_eq!(on(System::Debian, Privilege::None), Plan::Ready, "not to be installed by this user");
        assert_eq!(on(System::Ubuntu, Privilege::Root), Plan::Ready, "not a package there");
        assert_eq!(on(System::Fedora, Privilege::Root), Plan::Ready, "only apt is driven");
        let lines = lines(&on(System::Debian, Privilege::Root));
        assert_eq!(lines[1], format!("{INSTALL} chromium-headless-shell"), "wherever it can be, it is");
    }

    #[test]
    fn every_system_with_packages_names_one_for_each_need() {
        for system in [System::Debian, System::Ubuntu, System::Fedora, System::Arch] {
            for requirement in Requirement::ALL {
                let unpackaged = requirement == Requirement::SwiftShader
                    || (requirement, system) == (Requirement::Chromium, System::Ubuntu);
                assert_eq!(
                    requirement.packages(system).is_empty(),
                    unpackaged,
                    "{requirement:?} on {system:?}"
                );
            }
        }
    }
}
