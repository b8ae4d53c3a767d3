//! `examples/embed.c`, compiled against the installed header and library and run under validation.

use crate::{package, workspace};
use std::path::{Path, PathBuf};
use std::process::Command;
use texemu_format::by_name;
use texemu_reference::decode_image;

/// Runs a command to its end; its output if it went well.
fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    assert!(output.status.success(), "{command:?}: {}\n{text}", output.status);
    text
}

fn compiler() -> Option<String> {
    let name = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    if Command::new(&name).arg("--version").output().is_ok() {
        return Some(name);
    }
    println!("skipped: there is no C compiler called {name}");
    None
}

/// The folder with the library that was built beside this test.
fn libraries() -> PathBuf {
    let file = format!("{}texemu{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let test = std::env::current_exe().expect("this test has a file");
    let folder = test.ancestors().find(|folder| folder.join(&file).exists());
    folder.expect("cargo builds the library for its tests").to_owned()
}

/// Header, library and texemu.pc below `prefix`, as a user installs them.
fn install(prefix: &Path) {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(workspace()).args(["run", "--quiet", "--package", "xtask", "--", "install"]);
    command.arg("--prefix").arg(prefix).arg("--libraries").arg(libraries());
    run(&mut command);
}

/// Whether a program is linked with the shared library or with the archive.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Link {
    Shared,
    Static,
}

/// What a compiler is told to find the installed library; `None` if the archive's own needs are not to be had.
fn flags(prefix: &Path, link: Link) -> Option<Vec<String>> {
    let mut config = Command::new("pkg-config");
    if link == Link::Static {
        config.arg("--static");
    }
    config.args(["--cflags", "--libs", "texemu"]).env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig"));
    if Command::new("pkg-config").arg("--version").output().is_ok() {
        let all = run(&mut config);
        let archive = prefix.join("lib/libtexemu.a").display().to_string();
        // Beside the shared library only its name chooses the archive.
        let choose = |flag: &str| match (flag, link) {
            ("-ltexemu", Link::Static) => archive.clone(),
            _ => flag.to_owned(),
        };
        return Some(all.split_whitespace().map(choose).collect());
    }
    if link == Link::Static {
        println!("skipped: no pkg-config tells what the archive needs");
        return None;
    }
    let place = |option: &str, folder: &str| format!("{option}{}", prefix.join(folder).display());
    Some(vec![place("-I", "include"), place("-L", "lib"), "-ltexemu".to_owned()])
}

/// `examples/embed.c` as a program in `folder`.
fn compile(compiler: &str, prefix: &Path, folder: &Path, link: Link) -> Option<PathBuf> {
    let program = folder.join(if link == Link::Static { "embed-static" } else { "embed" });
    let mut compile = Command::new(compiler);
    compile.args(["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O1", "-o"]).arg(&program);
    compile.arg(workspace().join("examples/embed.c")).args(flags(prefix, link)?).arg("-lvulkan");
    if link == Link::Shared {
        compile.arg(format!("-Wl,-rpath,{}", prefix.join("lib").display()));
    }
    run(&mut compile);
    Some(program)
}

#[test]
fn a_c_program_embeds_the_library() {
    let Some(compiler) = compiler() else { return };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let prefix = folder.path().join("prefix");
    install(&prefix);
    assert!(prefix.join("include/texemu/hiz_query.glsl").is_file(), "shaders find theirs too");

    let shared = compile(&compiler, &prefix, folder.path(), Link::Shared).expect("always possible");
    let archived = compile(&compiler, &prefix, folder.path(), Link::Static);

    // A C++ compiler reads the header too, if there is one.
    let from_cpp = folder.path().join("header.cpp");
    std::fs::write(&from_cpp, "#include <texemu.h>\nint main() { return texemu_version() == 0; }\n")
        .expect("written");
    let mut check = Command::new("c++");
    check
        .args(["-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"])
        .arg(&from_cpp)
        .args(flags(&prefix, Link::Shared).expect("always possible"));
    if Command::new("c++").arg("--version").output().is_ok() {
        run(&mut check);
    }

    let texture = package().join("../../tests/data/swatch_8x8.astc");
    let blocks = std::fs::read(&texture).expect("a texture of the project's");
    let format = by_name("ASTC_8x8_UNORM_BLOCK").expect("in the table");
    // The header of a .astc file has 16 bytes; tests/data/INDEX.tsv knows the size.
    let texels =
        decode_image(format, &blocks[16..], [250, 187, 1], &Default::default()).expect("the twin decodes it");
    let expected = folder.path().join("expected.rgba");
    std::fs::write(&expected, texels).expect("written");

    let command = |program: &Path| {
        let mut command = Command::new(program);
        command.arg("--validate").arg(&texture).arg(&expected).env("TEXEMU_CACHE_DIR", "");
        command
    };
    let check = |program: &Path| {
        let said = run(&mut command(program));
        for line in ["46750 texels as expected", "blocks read back as written", "validation: silent"] {
            assert!(said.contains(line), "`{line}` in what the program said:\n{said}");
        }
    };
    check(&shared);
    if let Some(archived) = archived {
        // All that the program needs of texemu is in it.
        let (lib, away) = (prefix.join("lib"), prefix.join("away"));
        std::fs::rename(&lib, &away).expect("installed");
        check(&archived);
        std::fs::rename(&away, &lib).expect("moved");
    }
    let mut embed = command(&shared);

    // The program would notice: the same texture against a picture with one other texel.
    let mut wrong = std::fs::read(&expected).expect("just written");
    wrong[4 * 1234] ^= 1;
    std::fs::write(&expected, wrong).expect("written");
    let output = embed.output().expect("it ran before");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "one texel differs: {said}");
    assert!(said.contains("1 of 46750 texels differ"), "{said}");
}
