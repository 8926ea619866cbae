//! How many tests ran, read from the closing lines of the runners: cargo-nextest, `cargo test` and pytest.
//!
//! Separate so that the number at the end of a run is a count of tests, not of commands.

/// Tests that passed and tests that did not. An error in setting a test up, or a time-out, is a failure.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
}

/// Add up every closing line in the output of a runner.
pub(crate) fn count(output: &str) -> Counts {
    let mut counts = Counts::default();
    for line in output.lines().filter_map(closing) {
        for part in line.split([',', ';']) {
            // "12 passed (1 slow)", "3 timed out", and pytest's "2 errors in 0.3s".
            let mut words = part.trim_start_matches(['=', ' ', '.']).split_whitespace();
            let (Some(number), Some(kind)) = (words.next(), words.next()) else {
                continue;
            };
            let Ok(number) = number.parse::<u64>() else {
                continue;
            };
            match kind {
                "passed" => counts.passed += number,
                "failed" | "error" | "errors" | "timed" | "exec" => counts.failed += number,
                _ => {}
            }
        }
    }
    counts
}

/// The part of a line with the numbers, if it is a runner's closing line. One of libtest that is indented is what cargo-nextest
/// quotes of a test it counts itself.
fn closing(line: &str) -> Option<&str> {
    if let Some(rest) = line.strip_prefix("test result: ") {
        return rest.split_once(". ").map(|(_, numbers)| numbers);
    }
    let line = line.trim();
    if line.starts_with("Summary [") {
        return line.split_once(" run: ").map(|(_, numbers)| numbers);
    }
    let pytest = line.trim_matches(['=', ' ']);
    let (numbers, time) = pytest.rsplit_once(" in ")?;
    let seconds = time.split_whitespace().next()?.strip_suffix('s')?;
    (seconds.parse::<f64>().is_ok() && numbers.starts_with(|first: char| first.is_ascii_digit()))
        .then_some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_lines_of_each_runner() {
        for (output, passed, failed) in [
            (
                "     Summary [   0.018s] 3 tests run: 3 passed, 0 skipped",
                3,
                0,
            ),
            (
                "     Summary [   1.5s] 9 tests run: 5 passed (1 slow), 2 failed, 1 timed out, 1 skipped",
                5,
                3,
            ),
            (
                "     Summary [   0.1s] 1/4 tests run: 0 passed, 1 failed, 0 skipped",
                0,
                1,
            ),
            (
                "test result: ok. 7 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s",
                7,
                0,
            ),
            (
                "test result: FAILED. 1 passed; 2 failed; 0 ignored\ntest result: ok. 4 passed; 0 failed; 0 ignored",
                5,
                2,
            ),
            (
                "    test result: FAILED. 0 passed; 1 failed; 0 ignored\n     Summary [   0.1s] 3 tests run: 2 passed, 1 failed, 0 skipped",
                2,
                1,
            ),
            (
                "==== 1 failed, 12 passed, 2 skipped, 1 error in 0.12s ====",
                12,
                2,
            ),
            ("12 passed, 1 warning in 72.10s (0:01:12)", 12, 0),
            ("2 errors in 0.30s", 0, 2),
            ("no tests ran in 0.01s", 0, 0),
            ("the 3 passed were in luck", 0, 0),
            ("", 0, 0),
        ] {
            assert_eq!(count(output), Counts { passed, failed }, "{output}");
        }
    }
}
