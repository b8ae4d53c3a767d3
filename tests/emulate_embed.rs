//! Runs the embedding example, which compares every pixel and what validation says by itself.

#[path = "../examples/embed.rs"]
#[allow(dead_code, reason = "its main function is the example's own")]
mod embed;

#[test]
fn the_embedding_example_runs() {
    let told = embed::run().expect("every pixel is right and validation is silent");
    assert!(told.contains("46750 pixels"), "{told}");
}
