//! The transcode cache on a device: what was copied before is copied again without a dispatch, and is the same.

mod common;

use common::draw::View;
use common::model::{Model, Part};
use common::texture::{COPY_DST, Host, SAMPLE, Texture, TextureDesc, check_stored};
use common::upload;
use std::path::Path;
use texemu_core::vk;
use texemu_emulate::{
    CacheSettings, CacheStatistics, KnownBuffer, Policy, Queue, Recording, Settings, SourceAccess,
};
use texemu_format::{Format, by_name};
use texemu_reference::blocks::Class;

fn format(name: &str) -> &'static Format {
    by_name(name).expect("in the table")
}

fn settings(directory: Option<&Path>) -> Settings {
    let cache = CacheSettings {
        memory_bytes: 16 << 20,
        directory: directory.map(Path::to_owned),
        disk_bytes: if directory.is_some() { 16 << 20 } else { 0 },
    };
    Settings { policy: Policy::Size, cache, ..Settings::default() }
}

fn told(host: &Host) -> CacheStatistics {
    host.emulator.statistics().cache.expect("the cache is on")
}

fn dispatches(host: &Host) -> u64 {
    host.emulator.statistics().formats.iter().map(|one| one.dispatches).sum()
}

/// Records a copy out of a buffer that holds `bytes`, with barriers around it.
fn record(
    texture: &Texture<'_>,
    commands: vk::CommandBuffer,
    recording: &mut Recording,
    buffer: vk::Buffer,
    (access, bytes): (SourceAccess, &[u8]),
    regions: &[vk::BufferImageCopy],
) {
    texture.enter(commands, COPY_DST);
    let source = KnownBuffer { buffer, access, content: bytes };
    let (emulator, layout) = (&texture.host.emulator, COPY_DST.2);
    // SAFETY: image and buffer are alive and in place; the buffer holds the bytes.
    let emulated = unsafe {
        emulator.copy_known_buffer_to_image(commands, recording, &source, texture.image, layout, regions)
    };
    assert!(emulated.expect("recorded"), "the image is emulated");
    texture.enter(commands, SAMPLE);
}

fn copy(texture: &Texture<'_>, access: SourceAccess, bytes: &[u8], regions: &[vk::BufferImageCopy]) {
    let buffer = upload(&texture.host.gpu, bytes);
    texture.host.run(|commands, recording| {
        record(texture, commands, recording, buffer.handle(), (access, bytes), regions);
    });
}

/// Every level out of one buffer, and the regions that copy them.
fn whole(desc: &TextureDesc, levels: &[Vec<u8>]) -> (Vec<u8>, Vec<vk::BufferImageCopy>) {
    let mut offset = 0;
    let mut regions = Vec::new();
    for (level, blocks) in (0..).zip(levels) {
        regions.push(desc.whole(level, offset));
        offset += blocks.len() as u64;
    }
    (levels.concat(), regions)
}

#[test]
fn the_second_copy_of_the_same_blocks_dispatches_nothing() {
    let host = Host::new(&settings(None));
    let shapes = [
        ("ETC2_R8G8B8_UNORM_BLOCK", View::Array, [45, 38, 1], 3, 2),
        ("ASTC_5x5_SRGB_BLOCK", View::Array, [33, 47, 1], 2, 1),
        ("ASTC_4x4_UNORM_BLOCK", View::Cube, [20, 20, 1], 2, 6),
        ("EAC_R11_UNORM_BLOCK", View::Volume, [18, 21, 3], 2, 1),
    ];
    let mut regions_so_far = 0;
    for (seed, (name, kind, extent, levels, layers)) in (0..).zip(shapes) {
        if !host.emulator.offer().emulates(texemu_core::vk_format(format(name).vk)) {
            println!("skipped: {name} is not emulated on this device");
            continue;
        }
        let desc = TextureDesc::new(format(name), kind, extent, levels, layers);
        let blocks = desc.blocks(Class::Legal, seed);
        let (bytes, regions) = whole(&desc, &blocks);
        let before = (told(&host), dispatches(&host));
        let first = Texture::new(&host, desc);
        if !first.target.is_compressed() {
            println!("skipped: {name} becomes {} on this device", first.target.name);
            continue;
        }
        copy(&first, SourceAccess::TexelBuffer, &bytes, &regions);
        check_stored(&first, &blocks);
        let count = regions.len() as u64;
        let after = told(&host);
        assert_eq!(after.misses - before.0.misses, count, "{name}: nothing is known yet");
        assert_eq!(after.stored - before.0.stored, count, "{name}: and then it is");
        let decoded = dispatches(&host);
        assert!(decoded > before.1);
        // Of another usage, by another path: the same blocks become the same.
        for (desc, access) in
            [(desc, SourceAccess::TransferOnly), (desc.sampled_only(), SourceAccess::TexelBuffer)]
        {
            let second = Texture::new(&host, desc);
            copy(&second, access, &bytes, &regions);
            check_stored(&second, &blocks);
            assert_eq!(dispatches(&host), decoded, "{name}: no dispatch");
            if second.desc.usage.contains(vk::ImageUsageFlags::TRANSFER_SRC) {
                assert!(second.blocks() == blocks, "{name}: the original bytes come back");
            }
        }
        regions_so_far += count;
        let now = told(&host);
        assert_eq!(now.memory_hits - after.memory_hits, 2 * count);
        assert_eq!(now.memory_entries, regions_so_far);
    }
    let formats = host.emulator.statistics().formats;
    assert!(formats.iter().all(|one| one.cached == 2), "two copies each were known whole");
}

#[test]
fn known_and_unknown_regions_share_a_copy() {
    let host = Host::new(&settings(None));
    let desc = TextureDesc::new(format("ETC2_R8G8B8A8_UNORM_BLOCK"), View::Array, [40, 36, 1], 2, 3);
    let texture = Texture::new(&host, desc);
    let mut model = Model::new(desc, Class::Legal, 1);
    let (bytes, regions) = whole(&desc, &model.levels);
    copy(&texture, SourceAccess::TexelBuffer, &bytes, &regions);
    // Level 1 as it was, and a part of level 0 of other blocks, from rows with gaps.
    let part = model.region(0, Part::Interior, (1, 2), Some([8, 4]), 1 << 14);
    let mut bytes = model.buffer(&[part], Class::Legal, 2);
    let level = &model.levels[1];
    bytes[..level.len()].copy_from_slice(level);
    let copies = [desc.whole(1, 0), part];
    let before = told(&host);
    copy(&texture, SourceAccess::TexelBuffer, &bytes, &copies);
    model.apply(&copies, &bytes);
    check_stored(&texture, &model.levels);
    let after = told(&host);
    assert_eq!((after.memory_hits - before.memory_hits, after.misses - before.misses), (1, 1));
    // The same part from elsewhere in a buffer, and tight: the blocks count, not where they lie.
    let tight = model.region(0, Part::Interior, (1, 2), None, 64);
    let mut moved = vec![0; model.reach(&[tight])];
    for ((from, _), (to, _)) in model.places(&part).into_iter().zip(model.places(&tight)) {
        moved[to..to + 16].copy_from_slice(&bytes[from..from + 16]);
    }
    let decoded = dispatches(&host);
    copy(&texture, SourceAccess::TexelBuffer, &moved, &[tight]);
    assert_eq!(dispatches(&host), decoded, "known");
    check_stored(&texture, &model.levels);
}

#[test]
fn what_never_ran_and_what_cannot_be_kept_is_not_kept() {
    let host = Host::new(&settings(None));
    let desc = TextureDesc::new(format("ETC2_R8G8B8_SRGB_BLOCK"), View::Array, [32, 32, 1], 1, 1);
    let texture = Texture::new(&host, desc);
    let blocks = desc.blocks(Class::Legal, 3);
    let (bytes, regions) = whole(&desc, &blocks);
    let buffer = upload(&host.gpu, &bytes);
    // Recorded and thrown away.
    let info = vk::CommandPoolCreateInfo::default().queue_family_index(host.gpu.queue_family());
    let device = host.gpu.device();
    // SAFETY: the family is the device's.
    let pool = unsafe { device.create_command_pool(&info, None) }.expect("a pool");
    let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
    // SAFETY: the pool was just made.
    let commands = unsafe { device.allocate_command_buffers(&info) }.expect("a buffer")[0];
    // SAFETY: not in use.
    unsafe { device.begin_command_buffer(commands, &Default::default()) }.expect("begun");
    let mut recording = host.emulator.recording(Queue::Compute);
    let source = KnownBuffer { buffer: buffer.handle(), access: SourceAccess::TexelBuffer, content: &bytes };
    // SAFETY: never submitted.
    unsafe {
        host.emulator.copy_known_buffer_to_image(
            commands,
            &mut recording,
            &source,
            texture.image,
            COPY_DST.2,
            &regions,
        )
    }
    .expect("recorded");
    // SAFETY: never submitted.
    unsafe { device.destroy_command_pool(pool, None) };
    // SAFETY: as above.
    unsafe { host.emulator.recycle(recording) }.expect("recycled");
    assert_eq!((told(&host).misses, told(&host).stored), (1, 0), "the device has made nothing");
    // A buffer that is not known as far as the copy reads.
    let buffer = upload(&host.gpu, &bytes);
    host.run(|commands, recording| {
        let known = (SourceAccess::TexelBuffer, &bytes[..bytes.len() - 1]);
        record(&texture, commands, recording, buffer.handle(), known, &regions);
    });
    check_stored(&texture, &blocks);
    assert_eq!(told(&host).stored, 0);
    // An exact target has nothing to gain.
    let mut exact = settings(None);
    exact.policy = Policy::Exact;
    let host = Host::new(&exact);
    let texture = Texture::new(&host, desc);
    for _ in 0..2 {
        copy(&texture, SourceAccess::TexelBuffer, &bytes, &regions);
    }
    texture.check(&blocks);
    assert_eq!(told(&host), CacheStatistics::default());
}

#[test]
fn files_outlive_the_process_and_damage_does_no_harm() {
    let folder = std::env::temp_dir().join(format!("texemu-cache-test-{}", std::process::id()));
    let desc = TextureDesc::new(format("ASTC_8x8_UNORM_BLOCK"), View::Array, [64, 56, 1], 2, 1);
    let blocks = desc.blocks(Class::Legal, 4);
    let (bytes, regions) = whole(&desc, &blocks);
    // Empty, then full, then with one file damaged, then whole again.
    for (round, (disk_hits, misses, damaged)) in
        [(0, 2, 0), (2, 0, 0), (1, 1, 1), (2, 0, 0)].into_iter().enumerate()
    {
        if round == 2 {
            let file =
                std::fs::read_dir(&folder).expect("there").next().expect("a file").expect("read").path();
            let mut content = std::fs::read(&file).expect("read");
            *content.last_mut().expect("not empty") ^= 1;
            std::fs::write(&file, content).expect("written");
        }
        let host = Host::new(&settings(Some(&folder)));
        let texture = Texture::new(&host, desc);
        copy(&texture, SourceAccess::TexelBuffer, &bytes, &regions);
        check_stored(&texture, &blocks);
        let told = told(&host);
        assert_eq!(
            (told.disk_hits, told.misses, told.damaged),
            (disk_hits, misses, damaged),
            "round {round}"
        );
        assert_eq!((told.disk_entries, told.failed), (2, 0), "round {round}");
    }
    std::fs::remove_dir_all(&folder).expect("removed");
}

#[test]
fn threads_share_what_each_has_made() {
    let folder = std::env::temp_dir().join(format!("texemu-cache-threads-{}", std::process::id()));
    let host = Host::new(&settings(Some(&folder)));
    let desc = TextureDesc::new(format("ETC2_R8G8B8_UNORM_BLOCK"), View::Array, [24, 24, 1], 1, 1);
    const KINDS: u64 = 5;
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let host = &host;
            scope.spawn(move || {
                for round in 0..10 {
                    let blocks = desc.blocks(Class::Legal, (thread + round) % KINDS);
                    let (bytes, regions) = whole(&desc, &blocks);
                    let texture = Texture::new(host, desc);
                    copy(&texture, SourceAccess::TexelBuffer, &bytes, &regions);
                    check_stored(&texture, &blocks);
                }
            });
        }
    });
    let told = told(&host);
    assert_eq!(told.memory_hits + told.disk_hits + told.misses, 80);
    assert_eq!((told.memory_entries, told.disk_entries, told.failed, told.damaged), (KINDS, KINDS, 0, 0));
    assert!(told.memory_hits >= 80 - 8 * KINDS, "each thread missed each kind once at most: {told:?}");
    std::fs::remove_dir_all(&folder).expect("removed");
}
