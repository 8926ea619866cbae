//! What holds for the files of the page: nothing inline, nothing from elsewhere, text only as text.

use toolpass_page::assets::{ASSETS, HTML, find};

#[test]
fn the_page_has_nothing_inline_and_nothing_from_elsewhere() {
    let page = find("").unwrap().body;
    assert_eq!(
        page.matches("<script").count(),
        page.matches("<script type=\"module\" src=\"watch.js\">")
            .count()
    );
    for banned in [
        "<style",
        " style=",
        " on",
        "javascript:",
        "http:",
        "https:",
        "//",
    ] {
        let found = page
            .match_indices(banned)
            .find(|(at, _)| banned != " on" || is_handler(&page[at + 1..]));
        assert_eq!(found, None, "{banned}");
    }
}

/// Whether a text begins with an attribute such as `onclick=`.
fn is_handler(text: &str) -> bool {
    let name: String = text.chars().take_while(char::is_ascii_alphabetic).collect();
    text[name.len()..].starts_with('=')
}

#[test]
fn scripts_put_text_in_as_text() {
    for asset in ASSETS.iter().filter(|asset| asset.name.ends_with(".js")) {
        for banned in [
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            "Function(",
            "DOMParser",
            "createContextualFragment",
            "srcdoc",
            "localStorage",
            "http://",
            "https://",
            "import(",
        ] {
            assert!(!asset.body.contains(banned), "{}: {banned}", asset.name);
        }
        let lines = asset.body.lines().count();
        assert!(lines <= 400, "{} has {lines} lines", asset.name);
    }
}

#[test]
fn every_file_that_is_named_is_served_and_used() {
    for asset in ASSETS {
        let is_used = asset.kind == HTML
            || ASSETS
                .iter()
                .any(|other| other.body.contains(asset.name) && other.name != asset.name);
        assert!(is_used, "{}", asset.name);
    }
    for asset in ASSETS.iter().filter(|asset| asset.name.ends_with(".js")) {
        for line in asset
            .body
            .lines()
            .filter(|line| line.starts_with("import "))
        {
            let name = line.split("\"./").nth(1).unwrap().trim_end_matches("\";");
            assert!(find(name).is_some(), "{line}");
        }
    }
}
