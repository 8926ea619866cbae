//! What reached a stand-in: every request, in order, from the moment its header arrived.
//!
//! A request is entered before its body is read and before any fault, so a hung, cut or refused one counts too. Requests to the
//! control paths with the right token are not tool traffic and are not entered. Credentials are named by kind, never by value.

use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Serialize;

use crate::message::AuthorizationKind;

/// One request that arrived.
#[derive(Clone, Debug, Serialize)]
pub struct Entry {
    /// Counts from 1 since the start or the last clearing.
    pub number: u64,
    /// Upper case.
    pub method: String,
    /// As sent, escapes kept, without the query.
    pub path: String,
    /// The path without the system's prefix, such as `/api/v3`.
    pub local_path: String,
    /// Whether a query was sent.
    pub has_query: bool,
    /// The query as sent.
    pub query: Option<String>,
    /// The `Host` header.
    pub host: String,
    /// How it authorised itself.
    pub authorization: AuthorizationKind,
    /// Which credential of the world that was; absent when it was refused or not looked at.
    pub credential: Option<String>,
    /// The `Content-Type` header.
    pub content_type: Option<String>,
    /// The `User-Agent` header.
    pub user_agent: Option<String>,
    /// The start of the body as text.
    pub body: String,
    /// How long the whole body was.
    pub body_bytes: usize,
    /// The fault that met it.
    pub fault: Option<String>,
    /// The status it was answered with; absent while it is not.
    pub status: Option<u16>,
    /// Answered by no endpoint of its own.
    pub fallback: bool,
}

/// All that arrived, and how many connections were accepted.
#[derive(Default)]
pub struct Journal {
    book: Mutex<Book>,
}

#[derive(Default)]
struct Book {
    entries: Vec<Entry>,
    connections: u64,
    /// Which clearing the numbers belong to: a late note about an entry cleared meanwhile is dropped.
    generation: u64,
}

/// Where an entry is, to note more about it.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    generation: u64,
    index: usize,
}

impl Journal {
    /// A copy of every entry.
    pub fn entries(&self) -> Vec<Entry> {
        self.lock().entries.clone()
    }

    /// How many connections were accepted.
    pub fn connections(&self) -> u64 {
        self.lock().connections
    }

    /// Forget everything.
    pub fn clear(&self) {
        let mut book = self.lock();
        book.entries.clear();
        book.connections = 0;
        book.generation += 1;
    }

    pub(crate) fn connected(&self) {
        self.lock().connections += 1;
    }

    /// Enter a request; its number is given here.
    pub(crate) fn enter(&self, mut entry: Entry) -> Place {
        let mut book = self.lock();
        entry.number = book.entries.len() as u64 + 1;
        book.entries.push(entry);
        Place {
            generation: book.generation,
            index: book.entries.len() - 1,
        }
    }

    /// Note more about a request.
    pub(crate) fn note(&self, place: Place, change: impl FnOnce(&mut Entry)) {
        let mut book = self.lock();
        if book.generation != place.generation {
            return;
        }
        if let Some(entry) = book.entries.get_mut(place.index) {
            change(entry);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The part of a body the journal keeps.
pub(crate) fn body_start(body: &[u8]) -> String {
    let end = body.len().min(MAX_BODY_BYTES);
    String::from_utf8_lossy(body.get(..end).unwrap_or_default()).into_owned()
}

const MAX_BODY_BYTES: usize = 64 * 1024;
