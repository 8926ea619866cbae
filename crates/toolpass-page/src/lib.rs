//! The live page: the last calls of a toolkit, kept within bounds and shown in a browser on this machine.
//!
//! Separate from `toolpass-guard`, which says what happened and does no I/O, and from the faces, which open a page. The
//! assets are here too, as data, because the dashboard of a server shows the same page: it mounts [`assets::ASSETS`] and
//! answers in the form of [`answer`].
//!
//! | module | holds |
//! |---|---|
//! | [`row`], [`window`] | what is kept of a call; the bounded rows and the calls that still run |
//! | [`answer`] | the JSON of `events`, which is also a message of the stream |
//! | [`page`] | one open page: what is recorded into it, and who waits for news |
//! | [`listen`], [`token`], [`head`], [`reply`] | where it may listen; its secret path; the rules of a request; answers |
//! | [`serve`] | the server: one request a connection |
//!
//! INVARIANT: nothing here changes a call; what is shown was redacted by the guard before it came.

pub mod answer;
pub mod assets;
pub mod head;
pub mod listen;
pub mod page;
pub mod reply;
pub mod row;
pub mod serve;
pub mod token;
pub mod window;
