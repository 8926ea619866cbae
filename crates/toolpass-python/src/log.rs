//! The engine's operational records, handed to Python's `logging`.
//!
//! Records are made on threads that must never wait for the interpreter. So they are queued, within a bound, and given to the
//! logger by whoever holds the interpreter's lock next: at the end of every wait for the engine, and where an awaited answer is
//! delivered. One queue an engine, so that each has its own logger.

use std::collections::VecDeque;
use std::fmt::{self, Write};
use std::future::Future;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tracing::field::{Field, Visit};
use tracing::instrument::{WithDispatch, WithSubscriber};
use tracing::span::{Attributes, Id, Record as Fields};
use tracing::subscriber::Interest;
use tracing::{Dispatch, Event, Level, Metadata, Subscriber};

/// How many records wait at most; later ones are counted instead.
const MAX_RECORDS: usize = 1024;

/// An engine's way to a Python logger.
pub(crate) struct Log {
    logger: Py<PyAny>,
    queue: Arc<Queue>,
    dispatch: Dispatch,
}

impl Log {
    /// Records for `logger`, or for the logger `toolpass`.
    /// Errors: `TypeError` for what is no logger.
    pub(crate) fn to(py: Python<'_>, logger: Option<&Bound<'_, PyAny>>) -> PyResult<Log> {
        let logger = match logger {
            Some(logger)
                if ["log", "getEffectiveLevel"].iter().all(|name| {
                    logger
                        .getattr(*name)
                        .is_ok_and(|method| method.is_callable())
                }) =>
            {
                logger.clone()
            }
            Some(_) => {
                return Err(PyTypeError::new_err(
                    "expected `logger` to be a `logging.Logger` or None",
                ));
            }
            None => py
                .import("logging")?
                .call_method1("getLogger", ("toolpass",))?,
        };
        let queue = Arc::new(Queue::default());
        Ok(Log {
            logger: logger.unbind(),
            dispatch: Dispatch::new(QueueUp(Arc::clone(&queue))),
            queue,
        })
    }

    /// A future whose records are of this engine.
    pub(crate) fn over<F: Future>(&self, py: Python<'_>, future: F) -> WithDispatch<F> {
        let level = self
            .logger
            .call_method0(py, "getEffectiveLevel")
            .and_then(|level| level.extract::<u8>(py));
        self.queue
            .level
            .store(level.unwrap_or(WARNING), Ordering::Relaxed);
        future.with_subscriber(self.dispatch.clone())
    }

    /// Hand the records so far to the logger. What a handler raises is its own affair.
    pub(crate) fn drain(&self, py: Python<'_>) {
        let records = std::mem::take(
            &mut *self
                .queue
                .records
                .lock()
                .unwrap_or_else(PoisonError::into_inner),
        );
        for record in records {
            let _ = record.hand_to(self.logger.bind(py));
        }
        let lost = self.queue.lost.swap(0, Ordering::Relaxed);
        if lost > 0 {
            let _ = self.logger.call_method1(
                py,
                "log",
                (WARNING, "%d records of the engine were lost", lost),
            );
        }
    }

    /// The same from another thread or later.
    pub(crate) fn clone_ref(&self, py: Python<'_>) -> Log {
        Log {
            logger: self.logger.clone_ref(py),
            queue: Arc::clone(&self.queue),
            dispatch: self.dispatch.clone(),
        }
    }
}

/// `logging.WARNING`.
const WARNING: u8 = 30;

#[derive(Default)]
struct Queue {
    records: Mutex<VecDeque<Record>>,
    lost: AtomicUsize,
    /// The logger's level when it was last asked.
    level: AtomicU8,
}

struct Record {
    level: u8,
    text: String,
    members: Vec<(&'static str, String)>,
}

impl Record {
    fn hand_to(&self, logger: &Bound<'_, PyAny>) -> PyResult<()> {
        let members = PyDict::new(logger.py());
        for (name, value) in &self.members {
            members.set_item(name, value)?;
        }
        let extra = PyDict::new(logger.py());
        extra.set_item("toolpass", members)?;
        let kwargs = PyDict::new(logger.py());
        kwargs.set_item("extra", extra)?;
        logger
            .call_method("log", (self.level, "%s", &self.text), Some(&kwargs))
            .map(drop)
    }
}

/// Puts records into a queue. Spans are not followed: a record says what it is about itself.
struct QueueUp(Arc<Queue>);

impl Subscriber for QueueUp {
    fn register_callsite(&self, _metadata: &'static Metadata<'static>) -> Interest {
        Interest::sometimes() // the logger's level may change
    }

    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event() && level_of(metadata.level()) >= self.0.level.load(Ordering::Relaxed)
    }

    fn new_span(&self, _span: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _span: &Id, _values: &Fields<'_>) {}

    fn record_follows_from(&self, _span: &Id, _follows: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut reader = Reader::default();
        event.record(&mut reader);
        let mut text = reader.message;
        for (name, value) in &reader.members {
            // Writing to a String cannot fail.
            let _ = write!(text, " {name}={value}");
        }
        let record = Record {
            level: level_of(event.metadata().level()),
            text,
            members: reader.members,
        };
        let mut records = self
            .0
            .records
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if records.len() < MAX_RECORDS {
            records.push_back(record);
        } else {
            self.0.lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn enter(&self, _span: &Id) {}

    fn exit(&self, _span: &Id) {}
}

/// The numbers of `logging`'s levels.
fn level_of(level: &Level) -> u8 {
    match *level {
        Level::TRACE => 5,
        Level::DEBUG => 10,
        Level::INFO => 20,
        Level::WARN => WARNING,
        Level::ERROR => 40,
    }
}

#[derive(Default)]
struct Reader {
    message: String,
    members: Vec<(&'static str, String)>,
}

impl Reader {
    fn take(&mut self, field: &Field, value: String) {
        if field.name() == "message" {
            self.message = value;
        } else {
            self.members.push((field.name(), value));
        }
    }
}

impl Visit for Reader {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.take(field, value.to_owned());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.take(field, format!("{value:?}"));
    }
}
