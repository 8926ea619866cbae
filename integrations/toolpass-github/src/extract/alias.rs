//! Addresses by number: the row of the named address, asked of what the number leads to.
//!
//! GitHub answers `/repositories/{id}/…` and `/teams/{id}/…` like the named addresses, for reads and for writes. So the rest of the
//! path is looked up in the same table with a name nobody has, and every pair on that name becomes a pointer.
//! INVARIANT: a pair that still needs the name is unresolved; a row that is the agent's only or hands out a secret is too.

use toolpass_core::question::Pointer;
use toolpass_core::resource::Resource;
use toolpass_wire::extract::{Extracted, Pair, Target};
use toolpass_wire::field::Unresolved;
use toolpass_wire::matcher::Match;
use toolpass_wire::path::PathSegments;
use toolpass_wire::reading::Reading;
use toolpass_wire::table::Text;
use toolpass_wire::template::Path;

use super::{NOBODY, number, pointer};
use crate::routes;

/// `/repositories/{repository_id}[/{rest+}]`.
pub fn repository(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let pointer = pointer("repository_id", number(reading, "repository_id")?);
    as_named(
        reading,
        &format!("/repos/{NOBODY}/{NOBODY}"),
        &format!("repo:{NOBODY}/{NOBODY}"),
        &pointer,
    )
}

/// `/teams/{team_id}[/{rest+}]`.
pub fn team(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let pointer = pointer("team_id", number(reading, "team_id")?);
    as_named(
        reading,
        &format!("/orgs/{NOBODY}/teams/{NOBODY}"),
        &format!("team:{NOBODY}/{NOBODY}"),
        &pointer,
    )
}

/// `/organizations/{organization_id}/team/{team_id}[/{rest+}]`.
pub fn team_of_organization(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let mut pointer = pointer("team_id", number(reading, "team_id")?);
    let organization = number(reading, "organization_id")?;
    pointer
        .parts
        .insert("organization_id".to_owned(), organization.to_owned());
    as_named(
        reading,
        &format!("/orgs/{NOBODY}/teams/{NOBODY}"),
        &format!("team:{NOBODY}/{NOBODY}"),
        &pointer,
    )
}

/// What the named row says, with `named` replaced by `pointer`.
fn as_named(
    reading: &Reading<'_>,
    start: &str,
    named: &str,
    pointer: &Pointer,
) -> Result<Extracted, Unresolved> {
    let path = PathSegments::read(&format!("{start}{}", encoded(reading.path("rest"))))?;
    let path = Path::from(&path);
    let found = routes::table().find(reading.method(), path);
    let found = found
        .ok_or_else(|| Unresolved::new("an address by number of which no named row is known"))?;
    let route = found.route;
    if route.agent_only.is_some() || route.sensitive {
        return Err(Unresolved::new(
            "this is not done by number; name the repository or the team",
        ));
    }
    let captured = found.captures(path);
    let mut extracted = match route.reads {
        Some(reads) => reads(&reading.under(&captured))?,
        None => Extracted::default(),
    };
    let pairs = match extracted.pairs.take() {
        Some(pairs) => pairs,
        None => vec![own_pair(&found, &captured, &extracted)?],
    };
    let pairs = pairs.into_iter().map(|pair| pointed(pair, named, pointer));
    Ok(Extracted {
        pairs: Some(pairs.collect::<Result<_, _>>()?),
        effect: extracted
            .effect
            .or_else(|| Some(route.effect_of(reading.method()))),
        sends_out: extracted.sends_out.or(route.sends_out),
        agent_only: extracted.agent_only,
        sensitive: extracted.sensitive,
        ..Extracted::default()
    })
}

/// The pair of a row that names none itself.
fn own_pair(
    found: &Match<'_>,
    captured: &[(Text, String)],
    extracted: &Extracted,
) -> Result<Pair, Unresolved> {
    let value_of = |name: &str| {
        let fields = extracted.fields.iter().chain(captured);
        let mut named = fields.filter(|(known, _)| known == name);
        named.next().map(|(_, value)| value.as_str())
    };
    let resource = found
        .resource()
        .map(|template| template.fill(value_of))
        .transpose()?;
    Ok(Pair {
        action: found.route.action.clone(),
        target: resource.map(Target::Resource),
        effect: None,
        facts: extracted.facts.clone(),
    })
}

fn pointed(mut pair: Pair, named: &str, pointer: &Pointer) -> Result<Pair, Unresolved> {
    let Some(Target::Resource(resource)) = &pair.target else {
        return Ok(pair);
    };
    match resource.strip_prefix(named) {
        Some("") => pair.target = Some(Target::Pointer(pointer.clone())),
        Some(branch) if branch.starts_with('@') => {
            let mut pointer = pointer.clone();
            pointer
                .parts
                .insert("at".to_owned(), branch.trim_start_matches('@').to_owned());
            pair.target = Some(Target::Pointer(pointer));
        }
        _ => {
            let resource =
                Resource::parse(resource).map_err(|why| Unresolved::new(why.to_string()))?;
            if resource.id().split('/').next() == Some(NOBODY) {
                return Err(Unresolved::new(
                    "this needs the organization's name; name the repository or the team",
                ));
            }
        }
    }
    Ok(pair)
}

/// A decoded tail as a path again.
fn encoded(rest: &str) -> String {
    let mut path = String::new();
    for segment in rest.split('/').filter(|segment| !segment.is_empty()) {
        path.push('/');
        for b in segment.bytes() {
            match b.is_ascii_alphanumeric() || b"-._~".contains(&b) {
                true => path.push(char::from(b)),
                false => path.push_str(&format!("%{b:02X}")),
            }
        }
    }
    path
}
