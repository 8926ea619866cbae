//! Git over HTTPS: what is fetched, and which refs a push changes.
//!
//! A push says in its first lines which refs go from where to where, so it is understood ref by ref. Whether the new commits
//! follow the old ones cannot be told, so moving a ref counts as forcing it.
//! Source: git-scm.com "gitprotocol-http", "gitprotocol-pack", git-lfs `docs/api/batch.md`; read 2026-11-30.

use toolpass_core::effect::Effect;
use toolpass_wire::extract::{Extracted, Pair};
use toolpass_wire::field::Unresolved;
use toolpass_wire::json::Json;
use toolpass_wire::reading::Reading;

use super::{branch, member, no_repository, pair};
use crate::actions::Action;
use crate::facts;
use crate::resource::Repo;

/// The refs of a repository, asked for before a fetch or a push.
pub fn refs(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    match reading.query("service").known()?.as_deref() {
        None | Some("git-upload-pack") => fetch(reading),
        Some("git-receive-pack") => on(reading, Action::RepoPush),
        Some(_) => Err(Unresolved::new(
            "expected `git-upload-pack` or `git-receive-pack` as `service`",
        )),
    }
}

/// Commits or files are fetched.
pub fn fetch(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    on(reading, Action::RepoRead)
}

/// Refs are changed.
pub fn push(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let repo = repository(reading)?;
    let body = reading.bytes().required("body")?;
    let mut pairs = Vec::new();
    for change in changes(body)? {
        let mut pair = asked(&repo, &change)?;
        if change.operation == "delete" {
            pair.effect = Some(Effect::Destructive);
        }
        pairs.push(pair);
    }
    match pairs.is_empty() {
        true => Err(Unresolved::new("the push names no ref")),
        false => Ok(Extracted::pairs(pairs)),
    }
}

/// Large files are fetched or stored.
pub fn large_files(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    match member(reading, "operation")?.and_then(Json::as_str) {
        Some("download") => Ok(fetch(reading)?.with_effect(Effect::Read)),
        Some("upload") => on(reading, Action::RepoPush),
        _ => Err(Unresolved::new(
            "expected `download` or `upload` as `operation`",
        )),
    }
}

/// One line of a push.
#[derive(Debug, PartialEq, Eq)]
struct Change {
    operation: &'static str,
    full_ref: String,
}

fn on(reading: &Reading<'_>, action: Action) -> Result<Extracted, Unresolved> {
    Ok(Extracted::pairs(vec![pair(
        action,
        format!("repo:{}", repository(reading)?),
    )]))
}

fn repository(reading: &Reading<'_>) -> Result<Repo, Unresolved> {
    let name = reading.path("repo");
    let name = name.strip_suffix(".git").unwrap_or(name);
    Repo::parse(&format!("{}/{name}", reading.path("owner"))).ok_or_else(no_repository)
}

fn asked(repo: &Repo, change: &Change) -> Result<Pair, Unresolved> {
    Ok(match branch::branch_of(&change.full_ref)? {
        Some(name) => {
            let resource = format!("repo:{repo}{}", branch::suffix(name)?);
            pair(Action::RepoPush, resource).fact(facts::REF_OPERATION, change.operation)
        }
        None => {
            let asked = pair(Action::RepoPush, format!("repo:{repo}"))
                .fact(facts::REF_OPERATION, change.operation);
            match branch::tag_of(&change.full_ref)? {
                Some(name) => asked.fact(facts::TAG, name),
                None => asked,
            }
        }
    })
}

/// The commands of a push: `old new ref` in packet lines, up to the first flush.
fn changes(body: &[u8]) -> Result<Vec<Change>, Unresolved> {
    let malformed = || Unresolved::new("the push does not begin with the refs it changes");
    let (mut changes, mut rest) = (Vec::new(), body);
    loop {
        let (length, after) = rest.split_at_checked(4).ok_or_else(malformed)?;
        let length = std::str::from_utf8(length)
            .ok()
            .filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))
            .and_then(|digits| usize::from_str_radix(digits, 16).ok())
            .ok_or_else(malformed)?;
        if length == 0 {
            return Ok(changes);
        }
        let length = length.checked_sub(4).ok_or_else(malformed)?;
        let (line, after) = after.split_at_checked(length).ok_or_else(malformed)?;
        rest = after;
        if !line.starts_with(b"shallow ") {
            changes.push(change(line).ok_or_else(malformed)?);
        }
    }
}

fn change(line: &[u8]) -> Option<Change> {
    let command = line.split(|b| *b == 0).next()?;
    let command = std::str::from_utf8(command).ok()?.trim_end_matches('\n');
    let mut parts = command.splitn(3, ' ');
    let (old, new, full_ref) = (parts.next()?, parts.next()?, parts.next()?);
    let is_id = |id: &str| matches!(id.len(), 40 | 64) && id.bytes().all(|b| b.is_ascii_hexdigit());
    let is_zero = |id: &str| id.bytes().all(|b| b == b'0');
    if !is_id(old) || !is_id(new) || !full_ref.starts_with("refs/") {
        return None;
    }
    let operation = match (is_zero(old), is_zero(new)) {
        (_, true) => "delete",
        (true, false) => "create",
        (false, false) => "force",
    };
    Some(Change {
        operation,
        full_ref: full_ref.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(line: &str) -> String {
        format!("{:04x}{line}", line.len() + 4)
    }

    #[test]
    fn commands_of_a_push() {
        let (old, new, none) = ("1".repeat(40), "2".repeat(40), "0".repeat(40));
        let first = packet(&format!("{old} {new} refs/heads/main\0 report-status\n"));
        let second = packet(&format!("{none} {new} refs/heads/topic"));
        let third = packet(&format!("{old} {none} refs/tags/v1"));
        let shallow = packet(&format!("shallow {old}"));
        let found = changes(format!("{shallow}{first}{second}{third}0000PACK\u{1}").as_bytes());
        let found: Vec<(&str, String)> = found
            .unwrap()
            .into_iter()
            .map(|change| (change.operation, change.full_ref))
            .collect();
        let expected = [
            ("force", "refs/heads/main"),
            ("create", "refs/heads/topic"),
            ("delete", "refs/tags/v1"),
        ];
        assert!(
            found
                .iter()
                .map(|(operation, full)| (*operation, full.as_str()))
                .eq(expected)
        );
    }

    #[test]
    fn what_is_no_push_is_refused() {
        let line = packet(&format!(
            "{} {} refs/heads/main",
            "1".repeat(40),
            "2".repeat(40)
        ));
        let certificate = packet("push-cert\0 report-status");
        for body in [
            "",
            "00",
            "0003",
            "zzzz",
            "+00a",
            line.as_str(),
            certificate.as_str(),
            "0008main0000",
        ] {
            assert!(changes(body.as_bytes()).is_err(), "{body:?}");
        }
        assert_eq!(changes(b"0000"), Ok(Vec::new()));
    }
}
