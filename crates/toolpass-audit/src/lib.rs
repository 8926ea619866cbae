//! The audit file: events as JSON Lines, each bound to the one before it, so that what is changed afterwards shows.
//!
//! Separate from `toolpass-guard`, which says what an event is and touches no disk, and used by both faces: the native module
//! writes, the command verifies. Nothing here knows what an event means: it is one JSON object on one line.
//!
//! A line is the event with two members more at its end:
//!
//! ```json
//! {"v":1,"id":"…","tool":"send","outcome":"ran","prev":"<64 hex digits>","hash":"<64 hex digits>"}
//! ```
//!
//! `prev` is the `hash` of the line before. `hash` is the SHA-256 of the line's own bytes, as they are written, from its `{` up
//! to and with the closing quote of `prev`: what is hashed is what is stored, so no two readers of JSON can differ about it.
//! Each file begins with a line without an event, `{"audit":1,…}`, whose `prev` is the last hash of the file it continues, or
//! 64 zeros.
//!
//! What it shows: a line changed, removed, added, moved, or cut off. What it cannot show by itself: whole lines removed from
//! the end of the last file, and a file written anew from its beginning by someone who may write it. Both show as soon as one
//! later hash is kept elsewhere.

pub mod chain;
pub mod error;
pub mod line;
pub mod verify;

mod file;
