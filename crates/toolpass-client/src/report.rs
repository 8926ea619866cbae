//! Reporting calls: a bounded queue that a call puts its event into, and a task that sends batches.
//!
//! Putting an event in takes one short lock. What the server does not take now is kept and sent again, later and later, so that a
//! restart of the server loses nothing; what does not fit the bounds is lost oldest first, counted, and said: once on standard
//! error, and to the server with the next batch. Each event has an id of its own, so one that is sent twice is kept once.
//! INVARIANT: nobody waits for a server but [`Reporter::finish`], and that no longer than it is told to.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use toolpass_core::clock::Clock;
use toolpass_core::question::Freshness;
use toolpass_http::auth::Bearer;
use toolpass_http::budget::Context;
use toolpass_http::client::Client;
use toolpass_http::proxy::ProxyEnvironment;
use toolpass_http::transport::{BuildError, Transport, TransportSettings};

use crate::spool::Spool;
use crate::target::Target;

/// Sends the events of a process to one server.
pub struct Reporter {
    client: Client,
    clock: Arc<dyn Clock>,
    name: String,
    host: String,
    say: fn(&str),
    said: Mutex<BTreeSet<Saying>>,
    queue: Mutex<Queue>,
    wake: tokio::sync::Notify,
    /// Held by whoever sends.
    turn: tokio::sync::Mutex<()>,
    spool: Option<Spool>,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Event>,
    bytes: usize,
    /// A batch that is being sent: counted as lost when nobody learns what became of it.
    sending: Vec<Event>,
    /// Calls whose begin waits, by their ids, and the numbers of those events.
    begun: HashMap<String, u64>,
    /// The number of the next event. The queue is in their order.
    next: u64,
    lost: u64,
    /// How many events the next batch has at most; 0 for as many as any.
    next_most: usize,
    is_closing: bool,
}

/// What is reported: one JSON object.
#[derive(Clone)]
struct Event {
    number: u64,
    /// Of the begin of a call, the call's id.
    begins: Option<String>,
    text: String,
}

/// What is said at most once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Saying {
    Later,
    Lost,
    Refused,
}

/// What became of a batch.
#[derive(Debug, PartialEq, Eq)]
enum Sent {
    /// The server has it.
    Kept,
    /// Not now.
    Later(Option<Duration>),
    /// Never: the status.
    Refused(u16),
    /// It is more than the server takes at once.
    TooLarge,
}

impl Reporter {
    /// A reporter that has not begun. `say` tells the operator something; `spool` is the folder for what is left at the end.
    /// Errors: as of [`Transport::new`].
    pub fn new(
        target: Target,
        clock: Arc<dyn Clock>,
        environment: ProxyEnvironment,
        spool: Option<&std::path::Path>,
        say: fn(&str),
    ) -> Result<Reporter, BuildError> {
        let settings = TransportSettings {
            timeout: PATIENCE,
            own_host: Some(target.url.host().to_owned()),
            ca_pem: target.ca_pem,
            environment,
            ..TransportSettings::default()
        };
        let key = target.key;
        let bearer = Bearer::new(Arc::new(move || Ok(key.clone())));
        let host = target.url.authority();
        Ok(Reporter {
            spool: spool.map(|folder| Spool::new(folder, &target.url)),
            client: Client::new(Transport::new(settings)?, target.url).with_auth(Arc::new(bearer)),
            clock,
            name: target.name,
            host,
            say,
            said: Mutex::default(),
            queue: Mutex::default(),
            wake: tokio::sync::Notify::new(),
            turn: tokio::sync::Mutex::new(()),
        })
    }

    /// Put an event in: one JSON object.
    pub fn push(&self, event: String) {
        self.put(None, event);
    }

    /// Put in that the call of this id begins. It is not sent when the call ends before its turn.
    pub fn begin(&self, id: &str, event: String) {
        self.put(Some(id.to_owned()), event);
    }

    /// Put in that the call of this id is over.
    pub fn complete(&self, id: &str, event: String) {
        self.queue().forget_begin(id);
        self.put(None, event);
    }

    fn put(&self, begins: Option<String>, text: String) {
        let mut queue = self.queue();
        queue.add(begins, text);
        let before = queue.lost;
        queue.fit();
        let is_losing = queue.lost > before;
        drop(queue);
        if is_losing {
            self.say_once(Saying::Lost, "more calls were made than could be reported; the oldest are left out of the report");
        }
        self.wake.notify_one();
    }

    /// Send what comes, until the process ends.
    pub async fn run(&self) {
        let mut pause = FIRST_PAUSE;
        loop {
            while self.queue().waiting.is_empty() && !self.has_spooled() {
                self.wake.notified().await;
            }
            tokio::time::sleep(GATHER).await;
            if self.queue().is_closing {
                return;
            }
            let sent = {
                let _turn = self.turn.lock().await;
                self.send_some(PATIENCE).await
            };
            match sent {
                Some(Sent::Later(told)) => {
                    tokio::time::sleep(told.unwrap_or(pause).min(LONGEST_PAUSE)).await;
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
                Some(Sent::Kept | Sent::Refused(_) | Sent::TooLarge) => pause = FIRST_PAUSE,
                None => {}
            }
        }
    }

    /// Send what is left, each batch once, and put what the server did not take aside.
    pub async fn finish(&self, within: Duration) {
        self.queue().is_closing = true;
        self.wake.notify_one();
        let all = async {
            let _turn = self.turn.lock().await;
            while let Some(sent) = self.send_some(LAST_PATIENCE).await {
                if matches!(sent, Sent::Later(_)) {
                    break;
                }
            }
        };
        let _elapsed = tokio::time::timeout(within, all).await;
        let mut put = Ok(());
        let mut count = 0;
        {
            let mut queue = self.queue();
            let unknown = std::mem::take(&mut queue.sending);
            queue.put_back(unknown, MAX_BATCH);
            loop {
                let (batch, lost) = queue.take();
                if batch.is_empty() {
                    break;
                }
                count += batch.iter().filter(|event| event.begins.is_none()).count();
                queue.lost = 0;
                put = match (&self.spool, put) {
                    (Some(spool), Ok(())) => {
                        spool.put(&body(&self.name, &batch, lost)).map_err(Some)
                    }
                    (None, Ok(())) => Err(None),
                    (_, failed) => failed,
                };
            }
            queue.sending = Vec::new();
        }
        let host = &self.host;
        match put {
            Ok(()) => {}
            Err(Some(error)) => (self.say)(&format!(
                "toolpass: {count} calls could be neither reported to {host} nor put aside: {error}"
            )),
            Err(None) => (self.say)(&format!(
                "toolpass: {count} calls could not be reported to {host}; with TOOLPASS_RUNS_SPOOL=FOLDER they are kept for the next process"
            )),
        }
    }

    /// Forget everything: in a forked child, whose parent reports it.
    pub fn clear(&self) {
        *self.queue() = Queue::default();
    }

    fn has_spooled(&self) -> bool {
        self.spool.as_ref().is_some_and(Spool::has_some)
    }

    /// Send one batch of the queue, else one that was put aside. `None`: there is nothing.
    async fn send_some(&self, patience: Duration) -> Option<Sent> {
        let (batch, lost) = self.queue().take();
        if batch.is_empty() {
            let spool = self.spool.as_ref()?;
            let put_aside = spool.take()?;
            let sent = self.post(put_aside.body.clone(), patience).await;
            spool.done(put_aside, !matches!(sent, Sent::Later(_)));
            return Some(sent);
        }
        let sent = self.post(body(&self.name, &batch, lost), patience).await;
        let mut queue = self.queue();
        let batch = std::mem::take(&mut queue.sending);
        match &sent {
            Sent::Kept => queue.lost = queue.lost.saturating_sub(lost),
            Sent::Later(_) => queue.put_back(batch, MAX_BATCH),
            Sent::TooLarge if batch.len() > 1 => {
                let half = batch.len() / 2;
                queue.put_back(batch, half);
            }
            Sent::TooLarge | Sent::Refused(_) => {
                let ends = batch.iter().filter(|event| event.begins.is_none());
                queue.lost += ends.count() as u64;
            }
        }
        drop(queue);
        match &sent {
            Sent::Later(_) => self.say_once(Saying::Later, "the server does not answer; calls are kept and reported later"),
            Sent::Refused(status @ (401 | 403)) => self.say_once(Saying::Refused, &format!("the server does not take reports from this key ({status}); it needs the scope `report`")),
            Sent::Refused(status) => self.say_once(Saying::Refused, &format!("the server did not take a report ({status}); its calls are left out")),
            Sent::Kept | Sent::TooLarge => {}
        }
        Some(sent)
    }

    async fn post(&self, body: Vec<u8>, patience: Duration) -> Sent {
        let context = Context::new(Arc::clone(&self.clock), patience, Freshness::default());
        let request = self.client.post(["runs"]).body("application/json", body);
        // A repetition does no harm, but it is the queue that repeats.
        match request
            .once()
            .accept_4xx()
            .send(&context.without_evidence())
            .await
        {
            Ok(answer) => match answer.status {
                200..300 => Sent::Kept,
                413 => Sent::TooLarge,
                408 | 425 | 429 => Sent::Later(seconds(&answer.headers)),
                status => Sent::Refused(status),
            },
            Err(error) => Sent::Later(error.retry_after()),
        }
    }

    fn say_once(&self, what: Saying, text: &str) {
        let is_new = self
            .said
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(what);
        if is_new {
            (self.say)(&format!(
                "toolpass: reporting calls to {}: {text}",
                self.host
            ));
        }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Queue {
    fn add(&mut self, begins: Option<String>, text: String) {
        let number = self.next;
        self.next += 1;
        self.bytes += text.len();
        if let Some(id) = &begins {
            self.begun.insert(id.clone(), number);
        }
        self.waiting.push_back(Event {
            number,
            begins,
            text,
        });
    }

    /// The call of this id is over: that it began is no news any more.
    fn forget_begin(&mut self, id: &str) {
        let Some(number) = self.begun.remove(id) else {
            return;
        };
        let found = self
            .waiting
            .binary_search_by_key(&number, |event| event.number);
        if let Ok(at) = found
            && let Some(gone) = self.waiting.remove(at)
        {
            self.bytes -= gone.text.len();
        }
    }

    /// Lose the oldest of what is too much. That a call began is no loss: its end says so too.
    fn fit(&mut self) {
        while self.waiting.len() > MAX_WAITING || self.bytes > MAX_WAITING_BYTES {
            let Some(gone) = self.waiting.pop_front() else {
                return;
            };
            self.bytes -= gone.text.len();
            match &gone.begins {
                Some(id) => {
                    self.begun.remove(id);
                }
                None => self.lost += 1,
            }
        }
    }

    /// The next batch, of which a copy stays until it is known what became of it; and how many were lost.
    fn take(&mut self) -> (Vec<Event>, u64) {
        let most = std::mem::replace(&mut self.next_most, 0);
        let most = if most == 0 { MAX_BATCH } else { most };
        let mut bytes = 0;
        let mut batch = Vec::new();
        while let Some(next) = self.waiting.front() {
            bytes += next.text.len() + 1;
            if batch.len() >= most || (bytes > MAX_BATCH_BYTES && !batch.is_empty()) {
                break;
            }
            self.bytes -= next.text.len();
            if let Some(id) = &next.begins {
                self.begun.remove(id);
            }
            batch.extend(self.waiting.pop_front());
        }
        self.sending.clone_from(&batch);
        (batch, self.lost)
    }

    /// Put a batch back in its place; the next one is no longer than `most`.
    fn put_back(&mut self, batch: Vec<Event>, most: usize) {
        for event in batch.into_iter().rev() {
            self.bytes += event.text.len();
            if let Some(id) = &event.begins {
                self.begun.insert(id.clone(), event.number);
            }
            self.waiting.push_front(event);
        }
        self.next_most = most;
        self.fit();
    }
}

fn body(name: &str, events: &[Event], lost: u64) -> Vec<u8> {
    let events: Vec<&str> = events.iter().map(|event| event.text.as_str()).collect();
    let name = serde_json::Value::from(name);
    let dropped = if lost > 0 {
        format!(",\"dropped\":{lost}")
    } else {
        String::new()
    };
    format!(
        "{{\"server\":{name}{dropped},\"runs\":[{}]}}",
        events.join(",")
    )
    .into_bytes()
}

fn seconds(headers: &http::HeaderMap) -> Option<Duration> {
    let told = headers.get(http::header::RETRY_AFTER)?.to_str().ok()?;
    told.parse().ok().map(Duration::from_secs)
}

/// How many events wait at most.
const MAX_WAITING: usize = 10_000;
const MAX_WAITING_BYTES: usize = 64 * 1024 * 1024;
/// How many events are sent at once.
const MAX_BATCH: usize = 50;
const MAX_BATCH_BYTES: usize = 500 * 1024;
/// How long is waited for more.
const GATHER: Duration = Duration::from_millis(200);
const PATIENCE: Duration = Duration::from_secs(5);
const LAST_PATIENCE: Duration = Duration::from_millis(1500);
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
