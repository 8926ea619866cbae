//! What vendor crates are tested with: a corpus of cases as data, and the behaviour every integration owes.
//!
//! | module | is |
//! |---|---|
//! | [`corpus`] | `tests/cases/*.jsonl`: facts → decision, request → action |
//! | [`cases`] | pure rules over the answers of a case, and what holds however those are changed |
//! | [`connect`] | a connection from keys as an operator writes them |
//! | [`ask`] | a question to a connection |
//! | [`behaviour`] | one suite, run against every vendor's connection on its stand-in |
//! | [`observed`] | requests as the hooks see them |
//! | [`inventory`] | a table against its vendor's list of operations |
//!
//! Separate from the vendors so that a case is data and a promise is written once. Only tests depend on it.
//! INVARIANT: nothing here passes silently: a case file without cases, an answer no rule read, a fault that met no request are failures.

pub mod ask;
pub mod behaviour;
pub mod cases;
pub mod connect;
pub mod corpus;
pub mod inventory;
pub mod observed;
