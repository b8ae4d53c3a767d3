//! Honest large files: readers take the file and what it decompresses to, writers next to nothing.

use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};

use texemu_container::{
    Error, Ktx2Options, Shape, ShapeDesc, Supercompression, Texture, open, write_dds, write_exr, write_ktx2,
    write_png, write_raw,
};
use texemu_format::{Format, by_name};

use crate::common::{Random, ktx2_bytes};
use crate::meter::{alone, peak};
use crate::victims::OPTIONS;

/// What readers and writers may take besides.
const SLACK_BYTES: usize = 1 << 20;
const BAND_BYTES: usize = 1 << 16;

/// Somewhere to write that keeps nothing.
struct Nowhere {
    position: u64,
    end: u64,
}

impl Write for Nowhere {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.position += bytes.len() as u64;
        self.end = self.end.max(self.position);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for Nowhere {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.position = match to {
            SeekFrom::Start(position) => position,
            SeekFrom::Current(by) => self.position.checked_add_signed(by).expect("a position"),
            SeekFrom::End(by) => self.end.checked_add_signed(by).expect("a position"),
        };
        Ok(self.position)
    }
}

/// Writes `bytes` bytes of noise in bands.
fn bands(out: &mut dyn Write, bytes: u64) -> io::Result<()> {
    let mut random = Random(bytes);
    let band: Vec<u8> = (0..BAND_BYTES).map(|_| random.next() as u8 & 0x0F).collect();
    for _ in 0..bytes / BAND_BYTES as u64 {
        out.write_all(&band)?;
    }
    out.write_all(&band[..bytes as usize % BAND_BYTES])
}

type Writer<'a> = &'a dyn Fn(&mut Nowhere) -> Result<(), Error>;

#[test]
fn writers_keep_no_copy() {
    let _alone = alone();
    let shape = |format: &'static Format, size| Shape::new(ShapeDesc::image(format, size, size)).unwrap();
    let bc7 = shape(by_name("BC7_SRGB_BLOCK").unwrap(), 4096);
    let rgba8 = by_name("R8G8B8A8_SRGB").unwrap();
    let half = by_name("R16G16B16A16_SFLOAT").unwrap();
    let (picture, floats) = (shape(rgba8, 2048), shape(half, 1024));
    let bytes = |shape: &Shape| shape.bytes();
    let zstd = Ktx2Options { zstd: true, ..OPTIONS };
    let writers: [(&str, Shape, Writer<'_>); 6] = [
        ("ktx2", bc7, &|out| write_ktx2(out, &bc7, &OPTIONS, |_, out| bands(out, bytes(&bc7)))),
        ("ktx2 zstd", bc7, &|out| write_ktx2(out, &bc7, &zstd, |_, out| bands(out, bytes(&bc7)))),
        ("dds", bc7, &|out| write_dds(out, &bc7, |_, out| bands(out, bytes(&bc7)))),
        ("raw", bc7, &|out| write_raw(out, &bc7, |_, out| bands(out, bytes(&bc7)))),
        ("png", picture, &|out| write_png(out, rgba8, 2048, 2048, |out| bands(out, bytes(&picture)))),
        ("exr", floats, &|out| write_exr(out, half, 1024, 1024, |out| bands(out, bytes(&floats)))),
    ];
    for (name, shape, write) in writers {
        let mut out = Nowhere { position: 0, end: 0 };
        let (result, taken) = peak(|| write(&mut out));
        result.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(out.end > 0, "{name}: nothing was written");
        // An .exr block is 32 rows, held as they come, as channels and compressed.
        let allowed = SLACK_BYTES + if name == "exr" { 3 * SLACK_BYTES } else { 0 };
        assert!(taken < allowed, "{name}: {taken} bytes of heap for an image of {}", shape.bytes());
    }
}

#[test]
fn readers_keep_the_file_or_the_levels() {
    let _alone = alone();
    let format = by_name("ASTC_4x4_UNORM_BLOCK").unwrap();
    let desc = ShapeDesc { levels: 12, ..ShapeDesc::image(format, 2048, 4096) };
    let shape = Shape::new(desc).unwrap();
    let mut data = Vec::new();
    bands(&mut data, shape.bytes()).unwrap();
    let texture = Texture::from_raw(shape, data).unwrap();
    let folder = tempfile::tempdir().unwrap();
    for zstd in [false, true] {
        let path = folder.path().join("texture.ktx2");
        let file = ktx2_bytes(&texture, &Ktx2Options { zstd, ..OPTIONS }).unwrap();
        let file_bytes = file.len();
        BufWriter::new(File::create(&path).unwrap()).write_all(&file).unwrap();
        drop(file);
        let (again, taken) = peak(|| open(&path).unwrap());
        let decompressed = if zstd { shape.bytes() as usize } else { 0 };
        assert!(
            taken < file_bytes + decompressed + SLACK_BYTES,
            "{taken} bytes of heap for a file of {file_bytes}"
        );
        assert_eq!(
            again.supercompression(),
            if zstd { Supercompression::Zstd } else { Supercompression::None }
        );
        assert!(
            (0..12).all(|level| again.level(level) == texture.level(level)),
            "zstd: {zstd}: levels differ"
        );
    }
}
