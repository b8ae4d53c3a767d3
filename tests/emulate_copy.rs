//! Copies between buffers, emulated images and others, as applications record them.

mod common;

use common::draw::View;
use common::model::Model;
use common::texture::{Host, Texture, TextureDesc};
use common::{TestGpu, upload};
use texemu_emulate::{Settings, SourceAccess};
use texemu_format::{Format, by_name};
use texemu_reference::blocks::{Class, Rng};

fn format(name: &str) -> &'static Format {
    by_name(name).expect("in the table")
}

#[test]
fn an_atlas_takes_many_regions_of_one_level_in_one_copy() {
    let host = Host::on(TestGpu::new().dispatches_share_views(), &Settings::default());
    for (name, layers) in [("ASTC_6x5_UNORM_BLOCK", 1), ("ETC2_R8G8B8A8_SRGB_BLOCK", 4)] {
        let desc = TextureDesc::new(format(name), View::Array, [100, 90, 1], 2, layers);
        let texture = Texture::new(&host, desc);
        let mut model = Model::new(desc, Class::Legal, 1);
        texture.fill(&model.levels);
        // Every other tile of 2 x 3 blocks, each in one layer, packed one behind the other.
        let [columns, rows, _] = model.grid(0);
        let mut rng = Rng::new(5);
        let (mut copies, mut offset) = (Vec::new(), 0);
        for y in (0..rows - 3).step_by(3) {
            for x in (0..columns - 2).step_by(4) {
                let layer = rng.below(layers);
                let copy = model.blocks_region(0, [x, y, layer], [2, 3, 1], None, offset);
                offset = model.reach(&[copy]) as u64;
                copies.push(copy);
            }
        }
        assert!(copies.len() >= 20, "many regions: {}", copies.len());
        let bytes = model.buffer(&copies, Class::Mixed, 2);
        let buffer = upload(&host.gpu, &bytes);
        host.run(|commands, recording| {
            texture.copy_in(commands, recording, buffer.handle(), SourceAccess::TexelBuffer, &copies);
        });
        model.apply(&copies, &bytes);
        texture.check(&model.levels);
        assert!(texture.blocks() == model.levels, "the bytes come back");
    }
}
