//! `toolpass demo`: a small company, two people, and an agent at work for them, in one process.
//!
//! Five systems answer on loopback in their vendors' protocols, a server asks them for permissions and shows its dashboard, and
//! a script plays the model. The four tools run under the same guard and wire as any other; nothing is decided here.
//!
//! | file | is |
//! |---|---|
//! | `world` | the people and the names of things |
//! | `systems` | what each system holds, the connection to it, the tools' login |
//! | `house` | the systems, the server and its key, for as long as they run |
//! | `tools` | the four tools |
//! | `script` | who calls what, and how it must end |
//! | `agent` | one person's agent, and what came of a call |
//! | `acts` | the tour, and the acts after it |
//! | `show` | what is said, and the recording of it |
//!
//! The crate is a part of the command so that a newcomer needs nothing but that. The stand-ins come along; they bind 127.0.0.1
//! and nothing else.

mod acts;
mod agent;
mod error;
mod house;
mod script;
mod show;
mod systems;
#[cfg(test)]
mod tests;
mod tools;
mod world;

use std::path::PathBuf;
use std::pin::pin;

pub use acts::NUMBERS as ACTS;
pub use error::Error;
pub use show::Say;

use house::House;
use show::Show;

/// What is shown, and how.
#[derive(Clone, Debug)]
pub struct Options {
    /// The act, one of [`ACTS`].
    pub act: u8,
    /// Where the server listens.
    pub listen: String,
    /// What happens at the end.
    pub dashboard: Dashboard,
    /// Where the events are recorded, with the transcript beside them.
    pub record: Option<PathBuf>,
}

/// What happens when the act is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dashboard {
    /// The demo ends.
    None,
    /// The address of the dashboard is opened, and the demo waits.
    Open,
    /// The address of the dashboard is shown, and the demo waits.
    Show,
}

/// Show it. Ends when it is over, and with a dashboard only when `stop` does. Answers whether everything came out as it must.
/// Errors: [`Error`].
pub async fn run(
    options: &Options,
    say: &mut Say<'_>,
    stop: impl Future<Output = ()>,
) -> Result<bool, Error> {
    let mut stop = pin!(stop);
    let mut house = House::open(&options.listen).await?;
    let mut show = Show::new(&house.systems, say);
    let played = tokio::select! {
        biased;
        () = &mut stop => None,
        played = acts::play(options.act, &mut house, &mut show) => Some(played),
    };
    let Some(played) = played else {
        house.close().await;
        return Err(Error::Broken("interrupted before the end".to_owned()));
    };
    played?;
    if let Some(path) = &options.record {
        let transcript = show.record(path)?;
        let (events, transcript) = (path.display(), transcript.display());
        show.aside(&format!("Recorded: {events} and {transcript}"));
    }
    match options.dashboard {
        Dashboard::None => {}
        Dashboard::Open | Dashboard::Show => {
            show.aside("");
            show.aside(&format!(
                "Every call on the dashboard: {}",
                house.dashboard()
            ));
            if options.dashboard == Dashboard::Open {
                house.open_dashboard()?;
            }
            show.aside("Ctrl-C ends it.");
            stop.await;
        }
    }
    let is_as_scripted = show.is_as_scripted();
    house.close().await;
    Ok(is_as_scripted)
}
