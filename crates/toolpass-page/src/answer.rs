//! What `events` answers, and what a message of the stream carries: one JSON object.
//!
//! ```json
//! {"kind":"toolkit","title":"toolpass","epoch":"…","events":[{"seq":1,…}],"next":1,"phrases":{"github:pr.create":"open …"}}
//! ```
//!
//! One form for both ways of transport and for both pages, so the script reads one thing. `epoch` is another one after a
//! restart: whoever knows rows of another epoch begins anew. `phrases` has the catalogue's words for the actions of these rows.

use std::collections::BTreeMap;

use toolpass_guard::json::{Object, array};

/// The catalogue's phrase of an action (`integration:action`), completed by a resource: "open a pull request on".
pub type Phrases = fn(&str) -> Option<&'static str>;

/// Whose rows these are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Of several servers, which report them: the dashboard.
    Dashboard,
    /// What the engine of a server decided: the dashboard's other page.
    Decisions,
    /// Of one toolkit: the live page.
    Toolkit,
}

impl Kind {
    /// The wire form.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Dashboard => "dashboard",
            Kind::Decisions => "decisions",
            Kind::Toolkit => "toolkit",
        }
    }
}

/// Rows that are JSON objects with their numbers already, the actions in them, and what is to be asked for next.
pub struct Answer<'a> {
    /// Whose rows.
    pub kind: Kind,
    /// The life of the numbers.
    pub epoch: &'a str,
    /// The rows, oldest first.
    pub rows: Vec<String>,
    /// The actions of their requests; each is looked up once.
    pub actions: Vec<&'a str>,
    /// The last number.
    pub next: u64,
    /// Where older rows begin, when there are any beyond these and whoever asks may ask for them.
    pub older: Option<u64>,
}

impl Answer<'_> {
    /// One line of JSON.
    pub fn to_json(self, phrases: impl Fn(&str) -> Option<&'static str>) -> String {
        let words: BTreeMap<&str, &str> = self
            .actions
            .iter()
            .filter_map(|action| Some((*action, phrases(action)?)))
            .collect();
        let mut said = Object::new();
        for (action, phrase) in words {
            said.text(action, phrase);
        }
        let mut object = Object::new();
        object
            .text("kind", self.kind.as_str())
            .text("title", TITLE)
            .text("epoch", self.epoch)
            .raw("events", &array(self.rows))
            .raw("next", &self.next.to_string());
        if let Some(older) = self.older {
            object.raw("older", &older.to_string());
        }
        object.raw("phrases", &said.finish());
        object.finish()
    }
}

/// What the page calls itself.
const TITLE: &str = "toolpass";
