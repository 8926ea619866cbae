//! `toolpass-reference`: prints the generated pages as one line of JSON, path to text. `cargo xtask gen` writes or compares
//! them.

use std::collections::BTreeMap;
use std::io::{self, Write as _};

fn main() -> io::Result<()> {
    let pages: BTreeMap<String, String> = toolpass_tests::reference::pages().into_iter().collect();
    let text = serde_json::to_string(&pages)?;
    writeln!(io::stdout().lock(), "{text}")
}
