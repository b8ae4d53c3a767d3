//! The twins against brute force: what they call hidden is hidden.

use crate::ask::Ask;
use crate::scene::{Random, Scene};
use texemu_hiz::{
    Answer, DepthOrder, Error, HizCaps, HizDesc, HizPlan, Integer, Lookup, Reduction, Scheme, Settled, Uv,
};

fn count() -> u32 {
    let wished = std::env::var("TEXEMU_HIZ_QUERIES").ok().and_then(|count| count.parse().ok());
    wished.unwrap_or(20_000)
}

#[derive(Default, Debug)]
struct Tally {
    asked: u32,
    /// Hidden, by brute force.
    hidden: u32,
    /// Hidden, but called visible.
    careful: u32,
}

/// Every query of a scene.
fn examine<L: Lookup>(scene: &Scene, queries: u32, random: &mut Random, tallies: &mut [Tally; 5]) {
    let plan = scene.plan.answering::<L>().expect("the scheme answers these");
    let depth = (!random.one_in(4)).then_some(&scene.depth[..]);
    let query = plan.query(scene.order, 0, &scene.levels, depth).expect("the plan's levels");
    for _ in 0..queries {
        let ask = Ask::random(scene, random);
        let answer = ask.twin(&query);
        let fail = |what: &str| -> ! {
            panic!(
                "{what}: {ask:?} of {:?} {:?}, {:?}: {answer:?}",
                scene.order,
                plan.desc(),
                query.pyramid()
            )
        };
        let kind = ask.words()[0] as usize;
        tallies[kind].asked += 1;
        let Some(hidden) = scene.hides(&ask) else {
            if depth.is_some() {
                if let Some(fault) = scene.ray_fault(&ask, answer) {
                    fail(&fault);
                }
                tallies[kind].hidden += answer[0];
            }
            continue;
        };
        let visible = match ask {
            Ask::Point { .. } => answer[1] != 0,
            _ => answer[0] != 0,
        };
        if !visible && !hidden {
            fail("wrongly hidden");
        }
        if let (Ask::Point { .. }, true) = (ask, depth.is_some()) {
            let settled = answer[0];
            let wrong = settled == Settled::Visible as u32 && hidden;
            if visible == hidden || wrong {
                fail("a point is answered exactly");
            }
        }
        if let Ask::Rect { first, last, .. } = ask {
            let small = (0..2).all(|axis| last[axis] - first[axis] < 2);
            if depth.is_some() && small && visible == hidden {
                fail("four pixels are answered exactly");
            }
        }
        tallies[kind].hidden += u32::from(hidden);
        tallies[kind].careful += u32::from(hidden && visible);
    }
}

#[test]
fn nothing_visible_is_called_hidden() {
    const QUERIES: u32 = 250;
    let mut tallies = <[Tally; 5]>::default();
    let mut seed = 0;
    // Rays, which hide nothing, come on top.
    while tallies[..4].iter().map(|tally| tally.asked).sum::<u32>() < count() {
        seed += 1;
        let mut random = Random::new(seed);
        let scheme = Scheme::ALL[random.below(4) as usize];
        let reduction = [Reduction::Min, Reduction::Max, Reduction::MinMax][random.below(3) as usize];
        let order = [DepthOrder::Normal, DepthOrder::Reversed][random.below(2) as usize];
        let extent = Scene::random_extent(&mut random);
        let scene = Scene::new(scheme, reduction, order, extent, &mut random);
        let answers = scheme.answers();
        if answers.uv != Answer::Unsafe && (answers.integer == Answer::Unsafe || random.one_in(2)) {
            examine::<Uv>(&scene, QUERIES, &mut random, &mut tallies);
        } else {
            examine::<Integer>(&scene, QUERIES, &mut random, &mut tallies);
        }
    }
    println!("rectangles, points, spheres, boxes, rays (hit): {tallies:?}");
    for tally in &tallies {
        // Both answers are common, so that a query that always gives one would fail.
        assert!(tally.hidden > tally.asked / 20 && tally.hidden < tally.asked * 19 / 20, "{tallies:?}");
        assert!(tally.careful < tally.hidden / 2, "far too careful: {tallies:?}");
    }
}

#[test]
fn a_plan_answers_what_its_scheme_does() {
    let caps = HizCaps { write_without_format: true, ..HizCaps::default() };
    for scheme in Scheme::ALL {
        let desc = HizDesc::new([45, 38], scheme, Reduction::Max);
        let plan = HizPlan::new(&desc, None, &caps).expect("a plan");
        let answers = plan.answers();
        assert_eq!(plan.answering::<Uv>().is_ok(), answers.uv != Answer::Unsafe, "{scheme:?}");
        assert_eq!(plan.answering::<Integer>().is_ok(), answers.integer != Answer::Unsafe, "{scheme:?}");
        if let Ok(typed) = plan.answering::<Uv>() {
            assert_eq!(typed.any(), plan);
            let refused = typed.query(DepthOrder::Normal, 0, &[], None);
            assert!(matches!(refused, Err(Error::Invalid(_))), "the levels are missing");
        }
    }
}
