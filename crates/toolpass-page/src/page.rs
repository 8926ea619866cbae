//! One open page: what is recorded into it, and what those who watch it are told.
//!
//! Recording takes one short lock and wakes the streams. What a reader gets is put together outside of the lock.
//! INVARIANT: after `close` nothing is kept and nothing is recorded.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use crate::answer::{Answer, Kind, Phrases};
use crate::row::Row;
use crate::token::{self, NoRandomness};
use crate::window::{InFlight, MAX_BYTES, View, Window};

/// One open page.
pub struct Page {
    epoch: String,
    phrases: Phrases,
    window: Mutex<Window>,
    closed: AtomicBool,
    /// Wakes the streams; its value means nothing.
    news: watch::Sender<()>,
}

/// What one stream has been told.
#[derive(Default)]
pub struct Told {
    since: u64,
    /// How far each running call was.
    running: HashMap<String, usize>,
    anything: bool,
}

impl Page {
    /// A page of the newest `keep` rows.
    /// Errors: the system has no randomness for its epoch.
    pub fn new(keep: usize, phrases: Phrases) -> Result<Page, NoRandomness> {
        Ok(Page {
            epoch: token::random::<9>()?,
            phrases,
            window: Mutex::new(Window::new(keep, MAX_BYTES)),
            closed: AtomicBool::new(false),
            news: watch::Sender::new(()),
        })
    }

    /// A call began; `id` is that of the event it will have.
    pub fn begin(&self, id: &str, call: Arc<dyn InFlight>) {
        if !self.is_closed() {
            self.window().begin(id.to_owned(), call);
            self.news.send_replace(());
        }
    }

    /// A call is over.
    pub fn complete(&self, row: Row) {
        if !self.is_closed() {
            self.window().complete(row);
            self.news.send_replace(());
        }
    }

    /// Whether this call is shown as running.
    pub fn runs(&self, id: &str) -> bool {
        self.window().runs(id)
    }

    /// Keep nothing and record nothing from now on, and end the server and its streams.
    pub fn close(&self) {
        let mut window = self.window();
        self.closed.store(true, Ordering::Release);
        window.clear();
        drop(window);
        self.news.send_replace(());
    }

    /// Whether it was closed.
    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    /// What `events?since=` answers.
    pub fn answer(&self, since: u64) -> String {
        let view = self.window().view(since);
        let running = view.running.iter().map(|(_, call)| call.row()).collect();
        self.put_together(&view, running)
    }

    /// The rows past a number as a JSON array, and the last number.
    pub fn rows(&self, since: u64) -> (String, u64) {
        let view = self.window().view(since);
        let running: Vec<Row> = view.running.iter().map(|(_, call)| call.row()).collect();
        (
            toolpass_guard::json::array(numbered(&view, &running)),
            view.last,
        )
    }

    /// What a stream is to be told beyond what it was told, if anything. The first message is made in any case.
    pub fn news(&self, told: &mut Told) -> Option<String> {
        let view = self.window().view(told.since);
        let mut running = Vec::new();
        let mut known = HashMap::new();
        for (id, call) in &view.running {
            let progress = call.progress();
            if told.running.get(id) != Some(&progress) {
                running.push(call.row());
            }
            known.insert(id.clone(), progress);
        }
        told.running = known;
        told.since = view.last;
        let first = !std::mem::replace(&mut told.anything, true);
        if view.over.is_empty() && running.is_empty() && !first {
            return None;
        }
        Some(self.put_together(&view, running))
    }

    /// What a stream knows that saw the message of this id last; one of another epoch knows nothing.
    pub fn resume(&self, last_message: Option<&str>) -> Told {
        let known = last_message.and_then(|id| id.strip_prefix(self.epoch.as_str()));
        let since = known.and_then(|rest| rest.strip_prefix('.')?.parse().ok());
        Told {
            since: since.unwrap_or(0),
            ..Told::default()
        }
    }

    /// The id of the message that told this.
    pub fn message_id(&self, told: &Told) -> String {
        format!("{}.{}", self.epoch, told.since)
    }

    /// Wakes whenever something was recorded, and at the end.
    pub fn subscribe(&self) -> watch::Receiver<()> {
        self.news.subscribe()
    }

    fn put_together(&self, view: &View, running: Vec<Row>) -> String {
        let of_running = running.iter().flat_map(|row| &row.actions);
        let actions = view.over.iter().flat_map(|(_, row)| &row.actions);
        Answer {
            kind: Kind::Toolkit,
            epoch: &self.epoch,
            rows: numbered(view, &running),
            actions: actions.chain(of_running).map(String::as_str).collect(),
            next: view.last,
            older: None,
        }
        .to_json(self.phrases)
    }

    fn window(&self) -> MutexGuard<'_, Window> {
        self.window.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Told {
    /// Whether a running call was told of, whose requests are to be looked for.
    pub fn follows_running(&self) -> bool {
        !self.running.is_empty()
    }
}

/// Rows with their numbers; running calls have those that come next, until they end.
fn numbered(view: &View, running: &[Row]) -> Vec<String> {
    let over = view.over.iter().map(|(seq, row)| row.numbered(*seq));
    let running = (view.last + 1..)
        .zip(running)
        .map(|(seq, row)| row.numbered(seq));
    over.chain(running).collect()
}
