//! Runs the example of occlusion culling, which compares every pixel and what validation says by itself.

#[path = "../examples/occlusion.rs"]
#[allow(dead_code, reason = "its main function is the example's own")]
mod occlusion;

#[test]
fn culling_in_two_phases_draws_little_and_misses_nothing() {
    let told = occlusion::run().expect("no pixel differs and validation is silent");
    let numbers = |line: &str| -> Vec<u32> { line.split([' ', ',']).flat_map(str::parse).collect() };
    let total = numbers(&told)[0];
    let rows: Vec<Vec<u32>> = told.lines().skip(2).map(numbers).collect();
    assert_eq!(rows.len(), 7, "{told}");
    for row in &rows {
        let [_, early, late, hidden] = row[..] else { panic!("four columns: {told}") };
        assert_eq!(early + late + hidden, total, "{told}");
    }
    assert_eq!(rows[0][1], 0, "nothing was visible before: {told}");
    // Two frames after the camera came, or jumped, what is drawn is what shows.
    for row in [&rows[2], &rows[6]] {
        assert!(row[3] > total / 10 * 7, "a town hides most of itself: {told}");
        assert!(row[2] < row[1], "little is new in the next frame: {told}");
    }
}
