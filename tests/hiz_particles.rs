//! Runs the example of particles, which compares its counts with the CPU's and what validation says by itself.

#[path = "../examples/particles.rs"]
#[allow(dead_code, reason = "its main function is the example's own")]
mod particles;

#[test]
fn one_level_settles_most_particles() {
    let told = particles::run().expect("the counts are the twin's and validation is silent");
    let settled = |line: &str| -> f64 {
        let word = line.split_whitespace().nth(1).and_then(|word| word.parse().ok());
        word.unwrap_or_else(|| panic!("a share in {line}"))
    };
    let settled: Vec<f64> = told.lines().skip(2).map(settled).collect();
    assert_eq!(settled.len(), 5, "{told}");
    assert!(settled.windows(2).all(|pair| pair[0] >= pair[1]), "finer levels settle more: {told}");
    assert!(settled[2] > 60.0, "level 4 settles most: {told}");
}
