//! Rows are valid JSON within their limit, whatever the event holds.

use std::time::Duration;

use proptest::prelude::*;
use toolpass_core::clock::Wall;
use toolpass_guard::audit::{AuditEvent, CallOutcome, Counts, ObservedAction};
use toolpass_page::row::{MAX_ROW, Row};

fn event(text: &str, requests: usize) -> AuditEvent {
    let request = ObservedAction {
        method: "POST".to_owned(),
        host: text.to_owned(),
        path: text.to_owned(),
        action: Some("github:pr.create".to_owned()),
        resource: Some(text.to_owned()),
        reason: Some(text.to_owned()),
        ..ObservedAction::default()
    };
    AuditEvent {
        id: "id".to_owned(),
        parent: None,
        time: Wall(Duration::ZERO),
        tool: text.to_owned(),
        effect: None,
        outcome: CallOutcome::Ran,
        code: None,
        reason: Some(text.to_owned()),
        session: None,
        user: Some(text.to_owned()),
        arguments: Some(toolpass_guard::json::quote(text)),
        authorization: None,
        entitled: None,
        duration_us: 1,
        counts: Counts::default(),
        revoked_during_call: None,
        actions: vec![request; requests],
    }
}

proptest! {
    #[test]
    fn a_row_is_one_line_of_json_with_its_number(text in any::<String>(), seq in 1_u64.., requests in 0_usize..4) {
        let row = Row::of(&event(&text, requests), |_| "now".to_owned()).numbered(seq);
        let read: serde_json::Value = serde_json::from_str(&row).unwrap();
        prop_assert_eq!(read["seq"].as_u64(), Some(seq));
        prop_assert_eq!(read["tool"].as_str(), Some(text.as_str()));
        prop_assert!(!row.contains(['\n', '\r', '<']));
    }
}

#[test]
fn what_is_too_long_is_cut_and_says_so() {
    let long = "\u{1f600}<".repeat(20_000);
    for (text, requests, kept) in [(long.as_str(), 0, 0), (&long, 30, 0), ("x", 5_000, 20)] {
        let row = Row::of(&event(text, requests), |_| "now".to_owned());
        assert!(row.text.len() <= MAX_ROW, "{}", row.text.len());
        let read: serde_json::Value = serde_json::from_str(&row.text).unwrap();
        assert!(
            read["cut"]
                .as_str()
                .unwrap()
                .contains(&requests.to_string())
        );
        assert!(read.get("arguments").is_none());
        assert_eq!(read["actions"].as_array().map_or(0, Vec::len), kept);
    }
    let short = Row::of(&event("x", 3), |_| "now".to_owned());
    assert!(!short.text.contains("\"cut\""));
    assert_eq!(short.actions, ["github:pr.create"]);
}
