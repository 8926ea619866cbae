//! A permit cannot be made, copied or used twice by anyone but the pipeline.

#[test]
fn permits_cannot_be_forged() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
