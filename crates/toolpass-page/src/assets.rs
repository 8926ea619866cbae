//! Table: the files of the page, compiled in. The live page and the dashboard serve the same ones.
//!
//! Nothing is built or fetched: what stands in `assets/` is what the browser gets. Names are relative to the page's address.

/// A file of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asset {
    /// Its name under the page's address; the page itself has none.
    pub name: &'static str,
    /// Its type.
    pub kind: &'static str,
    /// What it holds.
    pub body: &'static str,
}

/// The type of the page itself.
pub const HTML: &str = "text/html; charset=utf-8";

/// The type of a script.
const SCRIPT: &str = "text/javascript; charset=utf-8";

/// All files.
pub const ASSETS: &[Asset] = &[
    Asset {
        name: "",
        kind: HTML,
        body: include_str!("../assets/page.html"),
    },
    Asset {
        name: "watch.css",
        kind: "text/css; charset=utf-8",
        body: include_str!("../assets/watch.css"),
    },
    Asset {
        name: "watch.js",
        kind: SCRIPT,
        body: include_str!("../assets/watch.js"),
    },
    Asset {
        name: "archive.js",
        kind: SCRIPT,
        body: include_str!("../assets/archive.js"),
    },
    Asset {
        name: "feed.js",
        kind: SCRIPT,
        body: include_str!("../assets/feed.js"),
    },
    Asset {
        name: "words.js",
        kind: SCRIPT,
        body: include_str!("../assets/words.js"),
    },
    Asset {
        name: "rows.js",
        kind: SCRIPT,
        body: include_str!("../assets/rows.js"),
    },
    Asset {
        name: "map.js",
        kind: SCRIPT,
        body: include_str!("../assets/map.js"),
    },
];

/// The file of a name.
pub fn find(name: &str) -> Option<&'static Asset> {
    ASSETS.iter().find(|asset| asset.name == name)
}
