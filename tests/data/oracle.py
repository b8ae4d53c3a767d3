#!/usr/bin/env python3
"""Says what every texture of this folder decodes to, by decoders that share no code with texemu.

    oracle.py                check INDEX.tsv
    oracle.py PICTURE.tga    encode the .pkm files from the picture, then write INDEX.tsv anew

Needs Debian's `astcenc` and PyPI's `astc-encoder-py`, `etcpak`, `archspec` and `texture2ddecoder`.
"""

import hashlib
import pathlib
import struct
import subprocess
import sys
import tempfile

import astc_encoder
import etcpak
import texture2ddecoder

DATA = pathlib.Path(__file__).resolve().parent
COLUMNS = ["file", "format", "width", "height", "levels", "profile", "sha256", "decoder"]

# VkFormat numbers of the formats that the .ktx2 files here have (VK_FORMAT_ASTC_4x4_UNORM_BLOCK is 157,
# each footprint's sRGB variant follows its UNORM one).
FOOTPRINTS = ["4x4", "5x4", "5x5", "6x5", "6x6", "8x5", "8x6", "8x8", "10x5", "10x6", "10x8", "10x10",
              "12x10", "12x12"]


def main():
    if len(sys.argv) > 1:
        encode_pkm(pathlib.Path(sys.argv[1]))
    lines = ["\t".join(COLUMNS)]
    for path in sorted(DATA.iterdir()):
        decode = {".astc": astc_file, ".ktx2": ktx2_file, ".pkm": pkm_file}.get(path.suffix)
        if decode:
            row = decode(path)
            lines.append("\t".join(str(row[column]) for column in COLUMNS))
    text = "\n".join(lines) + "\n"
    index = DATA / "INDEX.tsv"
    if len(sys.argv) > 1:
        index.write_text(text)
    elif index.read_text() != text:
        sys.exit(f"{index} does not say what the decoders say:\n{text}")
    print(f"{len(lines) - 1} textures")


def row(path, form, size, levels, profile, texels, decoder):
    return dict(file=path.name, format=form, width=size[0], height=size[1], levels=levels, profile=profile,
                sha256=hashlib.sha256(texels).hexdigest(), decoder=decoder)


def astc_file(path):
    """An .astc file does not say whether its values are sRGB: its name does, here."""
    data = path.read_bytes()
    footprint = f"{data[4]}x{data[5]}"
    size = tuple(int.from_bytes(data[at:at + 3], "little") for at in (7, 10))
    srgb = path.stem.endswith("_srgb")
    texels, decoder = decode_astc(data[16:], footprint, size, srgb)
    form = f"ASTC_{footprint}_{'SRGB' if srgb else 'UNORM'}_BLOCK"
    return row(path, form, size, 1, "srgb" if srgb else "linear", texels, decoder)


def ktx2_file(path):
    """Every level, the largest first, one layer, one face, no supercompression."""
    data = path.read_bytes()
    number, _, width, height, _, layers, faces, levels, scheme = struct.unpack_from("<9I", data, 12)
    assert (layers, faces, scheme) == (0, 1, 0), path
    footprint, srgb = FOOTPRINTS[(number - 157) // 2], number % 2 == 0
    texels = b""
    for level in range(levels):
        offset, length, _ = struct.unpack_from("<3Q", data, 80 + 24 * level)
        size = (max(width >> level, 1), max(height >> level, 1))
        decoded, decoder = decode_astc(data[offset:offset + length], footprint, size, srgb)
        texels += decoded
    form = f"ASTC_{footprint}_{'SRGB' if srgb else 'UNORM'}_BLOCK"
    return row(path, form, (width, height), levels, "file", texels, decoder)


def decode_astc(blocks, footprint, size, srgb):
    """sRGB by astcenc 4.2, whose alpha follows version 1.4 of the Khronos Data Format Specification;
    UNORM by astc-encoder-py, which takes the top eight bits as decode_unorm8 says."""
    across, down = map(int, footprint.split("x"))
    assert len(blocks) == -(-size[0] // across) * -(-size[1] // down) * 16
    if srgb:
        header = bytes([0x13, 0xAB, 0xA1, 0x5C, across, down, 1])
        header += b"".join(extent.to_bytes(3, "little") for extent in (*size, 1))
        with tempfile.TemporaryDirectory() as folder:
            source, result = pathlib.Path(folder) / "in.astc", pathlib.Path(folder) / "out.ktx"
            source.write_bytes(header + blocks)
            subprocess.run(["astcenc", "-ds", source, result, "-silent"], check=True)
            data = result.read_bytes()
        at = 64 + int.from_bytes(data[60:64], "little")
        length = int.from_bytes(data[at:at + 4], "little")
        assert length == size[0] * size[1] * 4, "astcenc wrote something else than RGBA8"
        return data[at + 4:at + 4 + length], "astcenc -ds"
    config = astc_encoder.ASTCConfig(astc_encoder.ASTCProfile.LDR, across, down, 1, 60,
                                     astc_encoder.ASTCConfigFlags.DECOMPRESS_ONLY)
    context = astc_encoder.ASTCContext(config)
    image = astc_encoder.ASTCImage(astc_encoder.ASTCType.U8, *size)
    context.decompress(blocks, image, astc_encoder.ASTCSwizzle.from_str("RGBA"))
    return bytes(image.data), "astc-encoder-py U8"


def pkm_file(path):
    data = path.read_bytes()
    assert data[:6] == b"PKM 20", path
    kind, padded_width, padded_height, *size = struct.unpack_from(">5H", data, 6)
    blocks, padded = data[16:], (padded_width, padded_height)
    if kind == 5:
        texels = crop(eac_r11(blocks, padded), padded, size, 2)
        return row(path, "EAC_R11_UNORM_BLOCK", size, 1, "file", texels, "eac_r11 of oracle.py")
    name, decode = {1: ("ETC2_R8G8B8", texture2ddecoder.decode_etc2),
                    3: ("ETC2_R8G8B8A8", texture2ddecoder.decode_etc2a8)}[kind]
    texels = red_first(crop(decode(blocks, *padded), padded, size, 4))
    return row(path, f"{name}_UNORM_BLOCK", size, 1, "file", texels, "texture2ddecoder")


def eac_r11(blocks, size):
    """Little-endian R16: eleven bits extended by repeating the top five (Khronos Data Format
    Specification, chapter "ETC2 Compressed Texture Image Formats", unsigned R11 EAC)."""
    modifiers = [
        (-3, -6, -9, -15, 2, 5, 8, 14), (-3, -7, -10, -13, 2, 6, 9, 12), (-2, -5, -8, -13, 1, 4, 7, 12),
        (-2, -4, -6, -13, 1, 3, 5, 12), (-3, -6, -8, -12, 2, 5, 7, 11), (-3, -7, -9, -11, 2, 6, 8, 10),
        (-4, -7, -8, -11, 3, 6, 7, 10), (-3, -5, -8, -11, 2, 4, 7, 10), (-2, -6, -8, -10, 1, 5, 7, 9),
        (-2, -5, -8, -10, 1, 4, 7, 9), (-2, -4, -8, -10, 1, 3, 7, 9), (-2, -5, -7, -10, 1, 4, 6, 9),
        (-3, -4, -7, -10, 2, 3, 6, 9), (-1, -2, -3, -10, 0, 1, 2, 9), (-4, -6, -8, -9, 3, 5, 7, 8),
        (-3, -5, -7, -9, 2, 4, 6, 8)]
    width, height = size
    texels = bytearray(width * height * 2)
    for number in range(len(blocks) // 8):
        bits = int.from_bytes(blocks[8 * number:8 * number + 8], "big")
        base, multiplier, table = bits >> 56, bits >> 52 & 15, modifiers[bits >> 48 & 15]
        left, top = number % (width // 4) * 4, number // (width // 4) * 4
        for texel in range(16):
            modifier = table[bits >> (45 - 3 * texel) & 7]
            step = modifier * multiplier * 8 if multiplier else modifier
            value = min(max(base * 8 + 4 + step, 0), 2047)
            at = ((top + texel % 4) * width + left + texel // 4) * 2
            texels[at:at + 2] = (value << 5 | value >> 6).to_bytes(2, "little")
    return bytes(texels)


def encode_pkm(picture):
    """etcpak takes whole blocks of texels, red first, and swaps red and blue in the buffer it is given:
    each call gets one of its own. For R11 it returns twice the bytes, of which the first half counts."""
    data = picture.read_bytes()
    assert data[2] == 2 and data[16:18] == b"\x20\x28", "uncompressed, 32 bits, top row first"
    width, height = struct.unpack_from("<2H", data, 12)
    texels = red_first(data[18:])
    rows = [texels[at:at + 4 * width] for at in range(0, len(texels), 4 * width)]
    rows = [line + line[-4:] * (-width % 4) for line in rows]
    rows += rows[-1:] * (-height % 4)
    padded = (width + -width % 4, height + -height % 4)
    source = b"".join(rows)
    for name, kind, encode in [("swatch_etc2_rgb.pkm", 1, etcpak.compress_etc2_rgb),
                               ("swatch_etc2_rgba.pkm", 3, etcpak.compress_etc2_rgba),
                               ("swatch_eac_r11.pkm", 5, etcpak.compress_eac_r)]:
        header = b"PKM 20" + struct.pack(">5H", kind, *padded, width, height)
        length = padded[0] * padded[1] // (1 if kind == 3 else 2)
        (DATA / name).write_bytes(header + encode(bytes(bytearray(source)), *padded)[:length])


def crop(texels, padded, size, texel):
    stride = padded[0] * texel
    return b"".join(texels[line * stride:line * stride + size[0] * texel] for line in range(size[1]))


def red_first(texels):
    swapped = bytearray(texels)
    swapped[0::4], swapped[2::4] = texels[2::4], texels[0::4]
    return bytes(swapped)


if __name__ == "__main__":
    main()
