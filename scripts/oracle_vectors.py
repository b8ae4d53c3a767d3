#!/usr/bin/env python3
"""Compares texemu's CPU decoders with other decoders, block by block, and writes the vectors that `cargo test` checks.

    scripts/oracle_vectors.py                   compare 100,000 blocks of each class for every format, print a table
    scripts/oracle_vectors.py --blocks 10000    fewer
    scripts/oracle_vectors.py --vectors         also write crates/reference/tests/vectors/

Needs cargo, Debian's `astcenc` 4.2 in the path, and the network the first time, for three packages from PyPI in a virtual
environment below target/. Ends with status 1 if any block differs.

| format                      | oracle                                                                              |
|-----------------------------|-------------------------------------------------------------------------------------|
| ASTC sRGB                   | `astcenc -ds`                                                                       |
| ASTC UNORM, decode_unorm8   | astc-encoder-py, U8; its white error texels count as magenta where `-ds` says so    |
| ASTC UNORM, decode_float16  | astc-encoder-py, F16, LDR profile; NaN counts as the error colour                   |
| ASTC SFLOAT                 | `astcenc -dh`, and astc-encoder-py, F16, HDR profile; NaN counts as the error colour |
|                             | (not the latter for void extents below 0, which it makes NaN of)                    |
| ETC2 RGB8, RGBA8            | texture2ddecoder                                                                    |
| ETC2 RGB8A1                 | texture2ddecoder; its colours below alpha 0 count as 0                              |
| EAC                         | texture2ddecoder's 8 bits, and for all 11 bits the formula below                    |
"""
import argparse
import os
import pathlib
import struct
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
PACKAGES = ["astc-encoder-py==0.1.12", "texture2ddecoder==1.0.6", "numpy>=2,<3"]
VECTORS = ROOT / "crates/reference/tests/vectors"
FOOTPRINTS = [(4, 4), (5, 4), (5, 5), (6, 5), (6, 6), (8, 5), (8, 6), (8, 8),
              (10, 5), (10, 6), (10, 8), (10, 10), (12, 10), (12, 12)]
ETC2 = ["ETC2_R8G8B8_UNORM_BLOCK", "ETC2_R8G8B8A1_UNORM_BLOCK", "ETC2_R8G8B8A8_UNORM_BLOCK"]
EAC = ["EAC_R11_UNORM_BLOCK", "EAC_R11_SNORM_BLOCK", "EAC_R11G11_UNORM_BLOCK", "EAC_R11G11_SNORM_BLOCK"]
COLUMNS = 250  # blocks a row of the images
LEGAL, HDR, VOID = 1, 2, 4  # the bits that `reference inspect` writes


def enter_environment():
    """Runs this script again inside the virtual environment, which it makes first if need be."""
    environment = TARGET / "oracle-venv"
    if pathlib.Path(sys.prefix) == environment:
        return
    python = environment / "bin/python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", environment], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
    os.execv(python, [python, *sys.argv])


enter_environment()
import astc_encoder as astc  # noqa: E402
import numpy as np  # noqa: E402
import texture2ddecoder  # noqa: E402

WORK = TARGET / "oracle"
MAGENTA8 = np.array([255, 0, 255, 255], np.uint8)
MAGENTA16 = np.array([0x3C00, 0, 0x3C00, 0x3C00], np.uint16)


def reference(*arguments):
    subprocess.run([TARGET / "release/examples/reference", *map(str, arguments)], check=True)


def generate(name, class_, count, seed):
    reference("generate", name, class_, count, seed, WORK / "blocks")
    return (WORK / "blocks").read_bytes()


def ours(name, blocks, size, dtype, channels):
    (WORK / "blocks").write_bytes(blocks)
    reference("decode", name, *size, WORK / "blocks", WORK / "texels")
    return np.fromfile(WORK / "texels", dtype).reshape(size[1], size[0], channels)


def inspect(name, blocks):
    (WORK / "blocks").write_bytes(blocks)
    reference("inspect", name, WORK / "blocks", WORK / "kinds")
    return np.fromfile(WORK / "kinds", np.uint8)


def image_size(footprint, blocks, block_bytes=16):
    count = len(blocks) // block_bytes
    assert count % COLUMNS == 0, "whole rows of blocks"
    return COLUMNS * footprint[0], count // COLUMNS * footprint[1]


def by_block(texels, footprint):
    """From an image to an array of blocks, their texels row by row."""
    height, width, channels = texels.shape
    texels = texels.reshape(height // footprint[1], footprint[1], width // footprint[0], footprint[0], channels)
    return texels.transpose(0, 2, 1, 3, 4).reshape(-1, footprint[0] * footprint[1] * channels)


def run_astcenc(option, footprint, size, blocks):
    """Debian's astcenc: a .ktx of the top row first, 8 bits a channel with -ds and 16-bit floats with -dh."""
    header = bytes([0x13, 0xAB, 0xA1, 0x5C, *footprint, 1])
    header += b"".join(value.to_bytes(3, "little") for value in (*size, 1))
    (WORK / "blocks.astc").write_bytes(header + blocks)
    subprocess.run(["astcenc", option, WORK / "blocks.astc", WORK / "texels.ktx", "-silent"], check=True)
    data = (WORK / "texels.ktx").read_bytes()
    dtype = np.uint8 if option == "-ds" else np.uint16
    start = 64 + struct.unpack_from("<I", data, 60)[0] + 4
    return np.frombuffer(data, dtype, size[0] * size[1] * 4, start).reshape(size[1], size[0], 4)


def run_astc_encoder_py(profile, type_, footprint, size, blocks):
    context = astc.ASTCContext(astc.ASTCConfig(profile, *footprint))
    swizzle = astc.ASTCSwizzle.from_str("RGBA")
    image = astc.ASTCImage(type_, *size)
    context.decompress(blocks, image, swizzle)
    dtype = np.uint8 if type_ == astc.ASTCType.U8 else np.uint16
    return np.frombuffer(image.data, dtype).reshape(size[1], size[0], 4)


def nan_to_magenta(texels):
    return np.where((texels == 0xFFFF).all(-1, keepdims=True), MAGENTA16, texels)


def astc_oracles(footprint, blocks):
    """Name of our format -> the oracles' texels."""
    size = image_size(footprint, blocks)
    name = f"ASTC_{footprint[0]}x{footprint[1]}"
    srgb = run_astcenc("-ds", footprint, size, blocks)
    unorm = run_astc_encoder_py(astc.ASTCProfile.LDR, astc.ASTCType.U8, footprint, size, blocks)
    error = (srgb == MAGENTA8).all(-1, keepdims=True) & (unorm == 255).all(-1, keepdims=True)
    float16 = run_astc_encoder_py(astc.ASTCProfile.LDR, astc.ASTCType.F16, footprint, size, blocks)
    hdr = run_astc_encoder_py(astc.ASTCProfile.HDR, astc.ASTCType.F16, footprint, size, blocks)
    return {
        f"{name}_SRGB_BLOCK": [srgb],
        f"{name}_UNORM_BLOCK": [np.where(error, MAGENTA8, unorm)],
        f"{name}_UNORM_BLOCK+float16": [nan_to_magenta(float16)],
        f"{name}_SFLOAT_BLOCK": [nan_to_magenta(run_astcenc("-dh", footprint, size, blocks)), nan_to_magenta(hdr)],
    }


def hdr_void(blocks, kinds, bits):
    """HDR void extents of which a channel has all of `bits` set."""
    colors = np.frombuffer(blocks, np.uint16).reshape(-1, 8)[:, 4:]
    return (kinds & (HDR | VOID) == (HDR | VOID)) & (colors & bits == bits).any(1)


def undefined(blocks, kinds):
    """HDR void extents with an infinity or a NaN, of which the specification leaves the result open."""
    return hdr_void(blocks, kinds, 0x7C00)


EAC_MODIFIERS = np.array([
    [-3, -6, -9, -15], [-3, -7, -10, -13], [-2, -5, -8, -13], [-2, -4, -6, -13], [-3, -6, -8, -12], [-3, -7, -9, -11],
    [-4, -7, -8, -11], [-3, -5, -8, -11], [-2, -6, -8, -10], [-2, -5, -8, -10], [-2, -4, -8, -10], [-2, -5, -7, -10],
    [-3, -4, -7, -10], [-1, -2, -3, -10], [-4, -6, -8, -9], [-3, -5, -7, -9]])
EAC_MODIFIERS = np.concatenate([EAC_MODIFIERS, -1 - EAC_MODIFIERS], 1)  # the upper half mirrors the lower one


def eac_formula(blocks, signed):
    """11 bits extended to 16 of each texel, row by row, from the Khronos Data Format Specification's formula."""
    data = np.frombuffer(blocks, np.uint8).reshape(-1, 8).astype(np.int64)
    bits = sum(data[:, 2 + byte] << (40 - 8 * byte) for byte in range(6))
    values = np.stack([bits >> (45 - 3 * texel) & 7 for texel in range(16)], 1)
    values = values.reshape(-1, 4, 4).transpose(0, 2, 1).reshape(-1, 16)  # stored down the columns
    modifier = np.take_along_axis(EAC_MODIFIERS[data[:, 1] & 15], values, 1)
    multiplier = data[:, 1] >> 4
    step = modifier * np.where(multiplier == 0, 1, multiplier * 8)[:, None]
    if signed:
        base = np.maximum(data[:, 0].astype(np.int8).astype(np.int64), -127)
        value = np.clip(base[:, None] * 8 + step, -1023, 1023)
        return (np.sign(value) * (abs(value) << 5 | abs(value) >> 5)).astype(np.int16).view(np.uint16)
    value = np.clip(data[:, :1] * 8 + 4 + step, 0, 2047)
    return (value << 5 | value >> 6).astype(np.uint16)


def etc2_oracle(name, blocks):
    size = image_size((4, 4), blocks, 16 if "A8" in name else 8)
    decode = {"ETC2_R8G8B8_": texture2ddecoder.decode_etc2, "ETC2_R8G8B8A1_": texture2ddecoder.decode_etc2a1,
              "ETC2_R8G8B8A8_": texture2ddecoder.decode_etc2a8}[name.removesuffix("UNORM_BLOCK")]
    texels = np.frombuffer(decode(blocks, *size), np.uint8).reshape(size[1], size[0], 4)[..., [2, 1, 0, 3]]
    return texels * (texels[..., 3:] > 0) if "A1" in name else texels


def eac_oracle(name, blocks):
    """The formula of every channel, checked against texture2ddecoder's 8 bits where that is right."""
    channels, signed = name.count("11"), "SNORM" in name
    parts = np.frombuffer(blocks, np.uint8).reshape(-1, channels, 8)
    texels = np.stack([eac_formula(parts[:, channel].tobytes(), signed) for channel in range(channels)], 2)
    size = image_size((4, 4), parts[:, 0].tobytes(), 8)
    decode = texture2ddecoder.decode_eacr_signed if signed else texture2ddecoder.decode_eacr
    eight = np.frombuffer(decode(parts[:, 0].tobytes(), *size), np.uint8).reshape(size[1], size[0], 4)[..., 2:3]
    value = texels[..., 0].view(np.int16).astype(int) if signed else texels[..., 0].astype(int)
    value = (np.sign(value) * (abs(value) >> 5) + 1023) >> 3 if signed else value >> 8
    wrong = (by_block(eight, (4, 4)) != value).any(1) & ~(signed & (parts[:, 0, 0] == 0x80))
    assert not wrong.any(), f"{name}: the formula and texture2ddecoder differ in {wrong.sum()} blocks"
    return texels.reshape(len(parts), -1)


def differing(name, footprint, blocks, expected, block_bytes):
    """Which blocks we decode otherwise than `expected`, an array of blocks."""
    size = image_size(footprint, blocks, block_bytes)
    channels = expected.shape[1] // (footprint[0] * footprint[1])
    return (by_block(ours(name, blocks, size, expected.dtype, channels), footprint) != expected).any(1)


def compare(count):
    total = 0
    print(f"{'format':34} {'class':7} {'blocks':>8} {'legal':>8} {'skipped':>8} {'differ':>7}")
    def report(name, class_, blocks, legal, skipped, differ):
        nonlocal total
        total += differ
        print(f"{name:34} {class_:7} {blocks:8} {legal:8} {skipped:8} {differ:7}", flush=True)

    for footprint in FOOTPRINTS:
        for class_ in ["ldr", "hdr", "random", "corner"]:
            # Legal LDR blocks, then legal HDR ones, whose HDR partitions LDR formats see as error colour.
            name = f"ASTC_{footprint[0]}x{footprint[1]}_{'UNORM' if class_ == 'ldr' else 'SFLOAT'}_BLOCK"
            class_of = {"ldr": "legal", "hdr": "legal"}.get(class_, class_)
            blocks = generate(name, class_of, count, 100 * footprint[0] + footprint[1])
            kinds = inspect(name, blocks)
            skip, negative = undefined(blocks, kinds), hdr_void(blocks, kinds, 0x8000)
            for name, oracles in astc_oracles(footprint, blocks).items():
                wrong = np.zeros(count, bool)
                for index, oracle in enumerate(oracles):
                    differ = differing(name, footprint, blocks, by_block(oracle, footprint), 16)
                    wrong |= differ & ~negative if index == 1 else differ
                skipped = skip.sum() if "SFLOAT" in name else 0
                if skipped:
                    wrong &= ~skip
                ldr = kinds & LEGAL if "SFLOAT" in name else (kinds & (LEGAL | HDR)) == LEGAL
                report(name, class_, count, np.count_nonzero(ldr), skipped, wrong.sum())
    for name in ETC2 + EAC:
        for class_ in ["legal", "random", "corner"]:
            blocks = generate(name, class_, count, 1)
            block_bytes = len(blocks) // count
            expected = eac_oracle(name, blocks) if name in EAC else by_block(etc2_oracle(name, blocks), (4, 4))
            wrong = differing(name, (4, 4), blocks, expected, block_bytes)
            report(name, class_, count, count, 0, wrong.sum())
    return total


def fnv1a(texels):
    """64-bit FNV-1a of each row's bytes."""
    data = np.ascontiguousarray(texels).view(np.uint8)
    hashes = np.full(len(data), 0xCBF29CE484222325, np.uint64)
    for column in range(data.shape[1]):
        hashes = (hashes ^ data[:, column]) * np.uint64(0x100000001B3)
    return hashes


def write_vectors():
    """A line a block: its bytes, then the FNV-1a of the oracle's texels in each of the file's formats."""
    VECTORS.mkdir(exist_ok=True)
    for footprint in FOOTPRINTS:
        name = f"ASTC_{footprint[0]}x{footprint[1]}"
        classes = [("SFLOAT", "legal"), ("UNORM", "legal"), ("UNORM", "random"), ("UNORM", "corner")]
        seed = 10_000 + 100 * footprint[0] + footprint[1]
        blocks = b"".join(generate(f"{name}_{numeric}_BLOCK", class_, COLUMNS, seed) for numeric, class_ in classes)
        chosen = np.concatenate([np.arange(100), np.arange(250, 350), np.arange(500, 530), np.arange(750, 820)])
        kinds = inspect(f"{name}_UNORM_BLOCK", blocks)
        chosen = chosen[~undefined(blocks, kinds)[chosen]]
        oracles = astc_oracles(footprint, blocks)
        hashes = {format_: fnv1a(by_block(texels[0], footprint)) for format_, texels in oracles.items()}
        write_file(f"{name}.txt", blocks, 16, chosen, hashes)
    for name in ETC2 + EAC:
        blocks = b"".join(generate(name, class_, COLUMNS, 2) for class_ in ["legal", "corner"])
        expected = eac_oracle(name, blocks) if name in EAC else by_block(etc2_oracle(name, blocks), (4, 4))
        chosen = np.concatenate([np.arange(200), np.arange(250, 350)])
        write_file(f"{name.removesuffix('_BLOCK')}.txt", blocks, len(blocks) // 500, chosen, {name: fnv1a(expected)})


def write_file(file, blocks, block_bytes, chosen, hashes):
    lines = [" ".join(["block", *hashes])]
    for index in chosen:
        block = blocks[index * block_bytes:(index + 1) * block_bytes]
        lines.append(" ".join([block.hex(), *(f"{column[index]:016x}" for column in hashes.values())]))
    (VECTORS / file).write_text("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--blocks", type=int, default=100_000, help=f"of each class, a multiple of {COLUMNS}")
    parser.add_argument("--vectors", action="store_true", help="also write crates/reference/tests/vectors")
    arguments = parser.parse_args()
    build = ["cargo", "build", "--quiet", "--release", "-p", "texemu-reference", "--example", "reference"]
    subprocess.run(build, cwd=ROOT, check=True)
    WORK.mkdir(exist_ok=True)
    if arguments.vectors:
        write_vectors()
    differences = compare(arguments.blocks)
    print(f"{differences} blocks differ")
    sys.exit(int(differences > 0))


main()
