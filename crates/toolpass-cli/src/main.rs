//! The command `toolpass`: its entry point, nothing else.

use std::io::Write as _;
use std::process::ExitCode;

fn main() -> ExitCode {
    match writeln!(std::io::stdout(), "{}", env!("CARGO_PKG_VERSION")) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}
