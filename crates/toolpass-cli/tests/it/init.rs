//! `toolpass init`: a first file, which `validate` takes.

use crate::support::{Folder, run};

#[test]
fn what_it_prints_is_a_configuration() {
    let folder = Folder::with(&[]);
    let shown = folder.run(&["init", "-out", "toolpass.yaml", "fake", "fake"]);
    assert!(
        shown.starts_with("exit 0\n--- stdout\ntoolpass.yaml: written"),
        "{shown}"
    );
    let shown = folder.run(&["validate", "-config", "toolpass.yaml"]);
    assert!(
        shown.starts_with("exit 0\n--- stdout\ntoolpass.yaml: ok, 2 connections\n"),
        "{shown}"
    );
    let again = folder.run(&["init", "-out", "toolpass.yaml", "fake"]);
    assert!(
        again.starts_with("exit 1\n--- stderr\ntoolpass init: -out `toolpass.yaml`: "),
        "{again}"
    );
}

#[test]
fn every_key_and_the_least_credential_are_explained() {
    let shown = run(&["init", "github"]);
    for part in [
        "integration: github",
        "GitHub App of the organization that only reads",
        "organization: CHANGE",
        "# app_id: CHANGE",
        "# credential: env:GITHUB_CREDENTIAL",
        "# decision_log: stderr",
        "max_concurrency",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert!(
        run(&["init", "gitub"])
            .starts_with("exit 1\n--- stderr\ntoolpass init: there is no integration `gitub`")
    );
    assert!(run(&["init"]).starts_with("exit 2\n"));
}
