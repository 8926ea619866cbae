//! `toolpass demo`: a small company on loopback, and an agent at work for two people.
//!
//! What happens is in `toolpass-demo`; here are its flags, its runtime, and the signals that end it. Lines are printed as they
//! come, because the demo waits at its end.

use std::path::PathBuf;

use tokio::runtime::Builder;
use toolpass_demo::{ACTS, Dashboard, Options};

use crate::arguments::Arguments;
use crate::exit::{Done, Exit, Stop};
use crate::local;
use crate::output::{Page, print};

/// Run the command.
pub(crate) fn run(arguments: &Arguments) -> Result<Done, Stop> {
    let options = options(arguments)?;
    let runtime = Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build();
    let runtime = runtime.map_err(|error| Stop::Failed(format!("no runtime: {error}")))?;
    let shown = runtime.block_on(async {
        let stopped = local::stopped()
            .map_err(|error| Stop::Failed(format!("no signal handler: {error}")))?;
        let mut say = |text: &str| {
            let mut page = Page::new();
            page.line(text);
            // Whoever closed standard output is shown the rest on the dashboard.
            let _ = print(&page);
        };
        toolpass_demo::run(&options, &mut say, stopped)
            .await
            .map_err(|error| Stop::Failed(error.to_string()))
    });
    runtime.shutdown_background();
    let exit = if shown? { Exit::Done } else { Exit::Failed };
    let page = Page::new();
    Ok(Done { page, exit })
}

fn options(arguments: &Arguments) -> Result<Options, Stop> {
    let act = match arguments.value("act") {
        None => 1,
        Some(text) => {
            let act = text.parse().ok().filter(|act| ACTS.contains(act));
            act.ok_or_else(|| {
                let known = ACTS.map(|act| act.to_string()).join(", ");
                Stop::Usage(format!("-act: expected one of {known}"))
            })?
        }
    };
    let dashboard = match (arguments.is_on("no-dashboard"), arguments.is_on("open")) {
        (true, true) => return Err(Stop::Usage("-open does not go with -no-dashboard".into())),
        (true, false) => Dashboard::None,
        (false, true) => Dashboard::Open,
        (false, false) => Dashboard::Show,
    };
    let listen = arguments.value("listen").unwrap_or("127.0.0.1:0");
    Ok(Options {
        act,
        listen: listen.to_owned(),
        dashboard,
        record: arguments.value("record").map(PathBuf::from),
    })
}
