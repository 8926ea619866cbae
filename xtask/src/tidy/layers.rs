//! Which crate may use which. A crate uses only crates of a lower layer; never one of its own layer, never a higher one.
//!
//! Read from the manifests through cargo. Dev-dependencies are free, but for one rule: no vendor ever sees another.
//! Source: `ARCHITECTURE.md`, "Direction".

use anyhow::Context as _;
use serde_json::Value;

use super::Problem;
use crate::build::cargo;
use crate::paths;

/// A crate and what it declares.
#[derive(Debug)]
struct Crate {
    name: String,
    manifest: String,
    /// Crates of this workspace it uses: name, and whether only in tests.
    uses: Vec<(String, bool)>,
    published: bool,
}

/// The layers of the crates in the workspace, against the table.
pub(super) fn problems() -> anyhow::Result<Vec<Problem>> {
    let output = cargo(&["metadata", "--no-deps", "--offline", "--format-version=1"])
        .current_dir(paths::root())
        .output()?;
    let metadata: Value = serde_json::from_slice(&output.stdout).with_context(|| {
        format!(
            "cargo gave no metadata: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        )
    })?;
    let packages = metadata
        .get("packages")
        .and_then(Value::as_array)
        .context("cargo gave no packages")?;
    Ok(check(&packages.iter().map(read).collect::<Vec<_>>()))
}

fn read(package: &Value) -> Crate {
    let text = |value: &Value, key: &str| {
        value
            .get(key)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let root = format!("{}/", paths::root().display());
    let dependencies = package.get("dependencies").and_then(Value::as_array);
    Crate {
        name: text(package, "name"),
        manifest: text(package, "manifest_path")
            .trim_start_matches(&root)
            .to_owned(),
        uses: dependencies
            .into_iter()
            .flatten()
            .filter(|dependency| dependency.get("path").is_some_and(Value::is_string))
            .map(|dependency| (text(dependency, "name"), text(dependency, "kind") == "dev"))
            .collect(),
        published: package.get("publish").is_some_and(Value::is_null),
    }
}

fn check(crates: &[Crate]) -> Vec<Problem> {
    let vendors: Vec<&str> = crates
        .iter()
        .filter(|one| one.manifest.starts_with("integrations/"))
        .map(|one| one.name.as_str())
        .collect();
    let layer = |name: &str| {
        if vendors.contains(&name) {
            return Some(VENDORS);
        }
        LAYERS.iter().position(|names| names.contains(&name))
    };
    let mut problems = Vec::new();
    for one in crates {
        let mut wrong = |what: String| {
            problems.push(Problem {
                path: one.manifest.clone(),
                line: 0,
                what,
            });
        };
        if one.published && one.name != "toolpass" {
            wrong("is not `publish = false`; only the crate `toolpass` is a promise".to_owned());
        }
        if OUTSIDE.contains(&one.name.as_str()) {
            continue;
        }
        let Some(own) = layer(&one.name) else {
            wrong(
                "is in no layer: give it a place in xtask/src/tidy/layers.rs and ARCHITECTURE.md"
                    .to_owned(),
            );
            continue;
        };
        for (used, only_in_tests) in &one.uses {
            let of_vendor = vendors.contains(&used.as_str());
            if of_vendor && own == VENDORS {
                wrong(format!("a vendor uses the vendor `{used}`"));
                continue;
            }
            if *only_in_tests {
                continue;
            }
            if OUTSIDE.contains(&used.as_str()) {
                wrong(format!("uses `{used}`, which is for tests and automation"));
            } else if of_vendor && own > VENDORS && one.name != REGISTRY {
                wrong(format!("names the vendor `{used}`; only `{REGISTRY}` does"));
            } else if layer(used).is_none_or(|used| used >= own) {
                wrong(format!("uses `{used}`, which is not below it"));
            }
        }
        let joins = JOINED.iter().all(|name| {
            one.uses
                .iter()
                .any(|(used, only_in_tests)| used == name && !only_in_tests)
        });
        if joins
            && !LAYERS
                .last()
                .is_some_and(|faces| faces.contains(&one.name.as_str()))
        {
            wrong(format!("joins {}; only the faces do", JOINED.join(", ")));
        }
    }
    problems
}

/// The layers from the bottom. The vendors' layer is the folder `integrations/`.
const LAYERS: &[&[&str]] = &[
    &["toolpass-core"],
    &["toolpass-wire", "toolpass-http"],
    &["toolpass-integration"],
    &[],
    &[
        "toolpass-registry",
        "toolpass-config",
        "toolpass-engine",
        "toolpass-client",
        "toolpass-guard",
    ],
    &[
        "toolpass-audit",
        "toolpass-authority",
        "toolpass-local",
        "toolpass-entitlements",
        "toolpass-page",
        "toolpass-store",
    ],
    &["toolpass-store"],
    &["toolpass-server", "toolpass-standin", "toolpass"],
    &["toolpass-demo"],
    &["toolpass-cli", "toolpass-python"],
];

/// The place of the vendors in `LAYERS`.
const VENDORS: usize = 3;

/// Crates that test or build the others. They may use all; nothing that ships uses them.
const OUTSIDE: &[&str] = &[
    "toolpass-testkit",
    "toolpass-tests",
    "toolpass-benches",
    "toolpass-fuzz",
    "xtask",
];

const REGISTRY: &str = "toolpass-registry";

/// What only a face brings together.
const JOINED: &[&str] = &[
    REGISTRY,
    "toolpass-config",
    "toolpass-engine",
    "toolpass-guard",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn one(name: &str, uses: &[(&str, bool)]) -> Crate {
        let folder = if ["toolpass-github", "toolpass-jira"].contains(&name) {
            "integrations"
        } else {
            "crates"
        };
        Crate {
            name: name.to_owned(),
            manifest: format!("{folder}/{name}/Cargo.toml"),
            uses: uses
                .iter()
                .map(|(name, dev)| ((*name).to_owned(), *dev))
                .collect(),
            published: false,
        }
    }

    fn said(user: &str, uses: &[(&str, bool)]) -> Vec<String> {
        let mut crates = vec![one("toolpass-github", &[]), one("toolpass-jira", &[])];
        crates.retain(|known| known.name != user);
        crates.push(one(user, uses));
        check(&crates)
            .into_iter()
            .map(|problem| problem.what)
            .collect()
    }

    #[test]
    fn the_allowed_direction() {
        for (user, used) in [
            ("toolpass-wire", "toolpass-core"),
            ("toolpass-github", "toolpass-integration"),
            ("toolpass-registry", "toolpass-github"),
            ("toolpass-engine", "toolpass-http"),
            ("toolpass-python", "toolpass-guard"),
            ("toolpass-demo", "toolpass"),
            ("toolpass-cli", "toolpass-demo"),
            ("toolpass-tests", "toolpass-github"),
        ] {
            assert!(
                said(user, &[(used, false)]).is_empty(),
                "{user} may use {used}"
            );
        }
    }

    #[test]
    fn every_other_direction_is_a_problem() {
        for (user, used) in [
            ("toolpass-core", "toolpass-wire"),
            ("toolpass-wire", "toolpass-http"),
            ("toolpass-engine", "toolpass-config"),
            ("toolpass-engine", "toolpass-github"),
            ("toolpass-cli", "toolpass-github"),
            ("toolpass-github", "toolpass-jira"),
            ("toolpass-github", "toolpass-engine"),
            ("toolpass-engine", "toolpass-testkit"),
            ("toolpass-cli", "toolpass-python"),
            ("toolpass", "toolpass-server"),
            ("toolpass-server", "toolpass-demo"),
        ] {
            assert_eq!(
                said(user, &[(used, false)]).len(),
                1,
                "{user} may not use {used}"
            );
        }
    }

    #[test]
    fn tests_may_use_anything_but_another_vendor() {
        assert!(said("toolpass-github", &[("toolpass-testkit", true)]).is_empty());
        assert_eq!(said("toolpass-github", &[("toolpass-jira", true)]).len(), 1);
    }

    #[test]
    fn only_a_face_joins_the_parts() {
        let parts: Vec<(&str, bool)> = JOINED.iter().map(|name| (*name, false)).collect();
        assert!(said("toolpass-cli", &parts).is_empty());
        assert_eq!(said("toolpass-server", &parts).len(), 1);
    }

    #[test]
    fn a_crate_without_a_place_is_a_problem() {
        assert_eq!(said("toolpass-extra", &[]).len(), 1);
    }
}
