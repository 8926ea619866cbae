//! `toolpass version`: the version, and nothing read or started for it.

use crate::arguments::Arguments;
use crate::exit::{Done, Exit, Stop};
use crate::output::Page;

/// Run the command.
pub(crate) fn run(_: &Arguments) -> Result<Done, Stop> {
    let mut page = Page::new();
    page.line(env!("CARGO_PKG_VERSION"));
    Ok(Done {
        page,
        exit: Exit::Done,
    })
}
