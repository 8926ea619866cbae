//! Requests as they are sent, and what they are: `cases/requests.jsonl`.

use std::path::Path;

use proptest::prelude::*;
use toolpass_slack::SLACK;
use toolpass_testkit::{connect, corpus, observed};
use toolpass_wire::extract::Target;
use toolpass_wire::observe::Observation;
use toolpass_wire::raw::RawBody;

#[test]
fn every_request_is_named_as_written() {
    let settings = connect::settings(&SLACK, &[("credential", "xoxb-t")]).unwrap();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/requests.jsonl");
    let named =
        corpus::requests(&file, &SLACK, &settings).unwrap_or_else(|failures| panic!("{failures}"));
    assert!(named > 100, "only {named} cases");
}

#[test]
fn a_system_of_ones_own_serves_files_beside_its_api() {
    let keys = [
        ("credential", "xoxb-t"),
        ("url", "http://localhost:4000/api"),
    ];
    let settings = connect::settings(&SLACK, &keys).unwrap();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/requests_local.jsonl");
    let named =
        corpus::requests(&file, &SLACK, &settings).unwrap_or_else(|failures| panic!("{failures}"));
    assert!(named > 5, "only {named} cases");
}

proptest! {
    /// Whatever argument names a channel, and wherever it stands: a call that is understood asks for each of them.
    #[test]
    fn no_channel_that_a_call_names_goes_unasked(
        named in prop::collection::vec((0..NAMES.len(), any::<bool>(), 0..6_u32), 1..5),
        as_json in any::<bool>(),
        method in prop::sample::select(vec!["files.completeUploadExternal", "chat.postMessage", "conversations.rename", "pins.add"]),
    ) {
        let id = |number: u32| format!("C01234567{number}");
        let pairs = |in_query: bool| -> Vec<(&str, String)> {
            let of_place = named.iter().filter(|(_, query, _)| *query == in_query);
            of_place.map(|(name, _, number)| (NAMES[*name], id(*number))).collect()
        };
        let form = |pairs: &[(&str, String)]| {
            pairs.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("&")
        };
        let body = match as_json {
            true => {
                let members = pairs(false).iter().map(|(name, value)| format!("{name:?}: {value:?}")).collect::<Vec<_>>();
                format!("{{{}}}", members.join(", "))
            }
            false => form(&pairs(false)),
        };
        let kind = if as_json { "application/json" } else { "application/x-www-form-urlencoded" };
        let url = format!("https://slack.com/api/{method}?{}", form(&pairs(true)));
        let settings = connect::settings(&SLACK, &[("credential", "xoxb-t")]).unwrap();
        let systems = observed::systems(&SLACK, &settings).unwrap();
        let request = observed::request("POST", &url, [("content-type", kind)], RawBody::Bytes(body.as_bytes())).unwrap();
        if let Observation::Mapped { needs, .. } = systems.observe(&request) {
            let asked: Vec<String> = needs
                .iter()
                .filter_map(|need| match &need.target {
                    Some(Target::Resource(resource)) => Some(resource.clone()),
                    Some(Target::Pointer(_)) | None => None,
                })
                .collect();
            for (_, _, number) in &named {
                prop_assert!(asked.contains(&format!("channel:{}", id(*number))), "{url} {body}: {asked:?}");
            }
        }
    }
}

const NAMES: [&str; 4] = ["channel", "channel_id", "channel_ids", "channels"];
