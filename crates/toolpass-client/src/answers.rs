//! What a server's answers mean, as far as bytes can say it.
//!
//! Separate from the asking because it is pure, and because it is the place where a lie could become an allow.
//! INVARIANT: an allow is the word `allow`, once, under its exact name, in one JSON object, with status 200 and nothing that
//! contradicts it. Whatever else is no answer: `client_error`, which is unknown.

use std::collections::BTreeMap;
use std::time::Duration;

use toolpass_core::clock::Wall;
use toolpass_core::codes::{Code, Outcome};
use toolpass_core::decision::Decision;
use toolpass_core::resource::{Resource, Visibility};
use toolpass_wire::body::limits::Limits;
use toolpass_wire::json::Json;

/// An answer as it came.
#[derive(Clone, Debug)]
pub struct Answer<'a> {
    /// The HTTP status.
    pub status: u16,
    /// The body.
    pub body: &'a [u8],
    /// `Retry-After`, when there is one.
    pub retry_after: Option<Duration>,
}

/// What a server told of the connections it can be asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// The connections.
    pub connections: Vec<ToldConnection>,
    /// The version of each integration's route table.
    pub tables: BTreeMap<String, String>,
}

/// One connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToldConnection {
    /// Its id.
    pub id: String,
    /// Its integration.
    pub integration: String,
    /// Where it is reached.
    pub places: Vec<ToldPlace>,
    /// Whether the server says for every place which face of the system it is; an older one does not.
    pub tells_faces: bool,
    /// The settings by which a resource is known to be its own.
    pub selectors: BTreeMap<String, String>,
    /// What it answers is private data.
    pub private: bool,
    /// Its unmapped reads need the agent's own authority.
    pub strict_reads: bool,
}

/// One place a connection is reached at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToldPlace {
    /// Scheme, host or pattern, and a port that is not the scheme's own.
    pub origin: String,
    /// What its paths begin with.
    pub prefix: String,
    /// Which face of the system it is.
    pub mount: Option<String>,
}

/// The decision in an answer to one question.
pub fn decision(answer: &Answer<'_>) -> Decision {
    let read = object(answer.body).and_then(|members| decided(answer.status, &members));
    let mut decision = read.unwrap_or_else(|why| no_answer(answer.status, why));
    if decision.outcome() == Outcome::Unknown && decision.retry_after_ms.is_none() {
        decision.retry_after_ms = answer.retry_after.map(millis);
    }
    decision
}

/// The decisions in an answer to `count` questions at once.
pub fn decisions(answer: &Answer<'_>, count: usize) -> Vec<Decision> {
    let all = |decision: Decision| vec![decision; count];
    if answer.status != OK {
        return all(failure(answer));
    }
    let results = object(answer.body).and_then(|members| match member(&members, "results") {
        Some(Json::Array(results)) => Ok(results.clone()),
        _ => Err("there is no list of results in it"),
    });
    let results = match results {
        Ok(results) if results.len() == count => results,
        Ok(_) => return all(no_answer(answer.status, "it has another number of results")),
        Err(why) => return all(no_answer(answer.status, why)),
    };
    let one = |result: Json| match result {
        Json::Object(members) => decided(OK, &members)
            .map(|mut decision| {
                decision.status = status_of(decision.code());
                decision
            })
            .unwrap_or_else(|why| no_answer(answer.status, why)),
        _ => no_answer(answer.status, "a result in it is no object"),
    };
    results.into_iter().map(one).collect()
}

/// Where a pointer leads.
/// Errors: why that could not be found out.
pub fn resolved(answer: &Answer<'_>) -> Result<Option<Resource>, Box<Decision>> {
    looked_up(answer, "resource", |text| Resource::parse(text).ok())
}

/// Who can read a resource.
/// Errors: why that could not be found out.
pub fn seen(answer: &Answer<'_>) -> Result<Option<Visibility>, Box<Decision>> {
    looked_up(answer, "visibility", |text| {
        [
            Visibility::Private,
            Visibility::Internal,
            Visibility::Public,
        ]
        .into_iter()
        .find(|visibility| visibility.as_str() == text)
    })
}

/// What the server tells of its connections.
/// Errors: why it told nothing.
pub fn told(answer: &Answer<'_>) -> Result<Told, Box<Decision>> {
    if answer.status != OK {
        return Err(Box::new(failure(answer)));
    }
    object(answer.body)
        .ok()
        .and_then(|members| read_told(&members))
        .ok_or_else(|| {
            let why = "it does not say where connections are reached";
            Box::new(no_answer(answer.status, why))
        })
}

/// Why a server did not answer what was asked, when it said so itself; else that its answer is none.
pub fn failure(answer: &Answer<'_>) -> Decision {
    let said = object(answer.body).ok().and_then(|members| {
        let code = member(&members, "code").and_then(Json::as_str)?;
        let code = Code::parse(code).filter(|code| code.outcome() == Outcome::Unknown)?;
        let text = member(&members, "error").and_then(Json::as_str);
        Some(Decision::unknown(code, text.unwrap_or_default()))
    });
    let mut decision = match (said, answer.status) {
        (Some(said), _) => said,
        (None, 404) => Decision::unknown(
            Code::NotConfigured,
            "the server does not know this path; is it of this version, and is the address its base address?",
        ),
        (None, _) => no_answer(answer.status, "it does not say what went wrong"),
    };
    decision.status = answer.status;
    decision.retry_after_ms = answer.retry_after.map(millis);
    decision
}

/// That there is an answer, and that it is none.
pub(crate) fn no_answer(status: u16, why: &str) -> Decision {
    let text = format!("the server's answer (status {status}) cannot be used: {why}");
    let mut decision = Decision::unknown(Code::ClientError, text);
    decision.status = status;
    decision
}

/// The members of an answer.
/// Errors: it is no JSON object that can be read in one way only.
pub(crate) fn object(body: &[u8]) -> Result<Vec<(String, Json)>, &'static str> {
    if body.len() > MAX_ANSWER {
        return Err("it is larger than 1 MiB");
    }
    match Json::parse_within(body, &LIMITS) {
        Ok(Json::Object(members)) => Ok(members),
        Ok(_) => Err("it is no JSON object"),
        Err(_) => Err("it is no well-formed JSON"),
    }
}

/// A member under its exact name, unless it is null.
pub(crate) fn member<'m>(members: &'m [(String, Json)], name: &str) -> Option<&'m Json> {
    let found = members.iter().find(|(known, _)| known == name);
    found
        .map(|(_, value)| value)
        .filter(|value| !value.is_null())
}

fn decided(status: u16, members: &[(String, Json)]) -> Result<Decision, &'static str> {
    let text = |name: &str| member(members, name).and_then(Json::as_str);
    let word = text("decision").ok_or("there is no `decision` in it")?;
    let reason = text("reason").unwrap_or_default();
    let (first, rest) = reason.split_once(':').unwrap_or((reason, ""));
    let in_reason = Code::parse(first.trim());
    let rest = if in_reason.is_some() {
        rest.trim()
    } else {
        reason
    };
    let own = match member(members, "code") {
        None => None,
        Some(code) => {
            let code = code.as_str().and_then(Code::parse);
            Some(code.ok_or("its `code` is none that is known")?)
        }
    };
    if let (Some(own), Some(in_reason)) = (own, in_reason)
        && own != in_reason
    {
        return Err("its `code` and its `reason` contradict each other");
    }
    let code = own.or(in_reason);
    let contradicts = |outcome| code.is_some_and(|code| code.outcome() != outcome);
    let mut decision = match word {
        "allow" if status != OK => return Err("it allows with a status other than 200"),
        "allow" if contradicts(Outcome::Allow) => {
            return Err("it allows with a code that does not");
        }
        "allow" => Decision::allow(rest),
        "deny" if contradicts(Outcome::Deny) => return Err("it denies with a code that does not"),
        "deny" => Decision::new(code.unwrap_or(Code::Denied), rest),
        "unknown" if contradicts(Outcome::Unknown) => {
            return Err("it is unknown with a code that is not");
        }
        "unknown" => Decision::unknown(code.unwrap_or(Code::Unsupported), rest),
        _ => return Err("its `decision` is neither allow nor deny nor unknown"),
    };
    decision.status = status;
    decision.identity = text("identity").unwrap_or_default().to_owned();
    decision.id = text("id").unwrap_or_default().to_owned();
    decision.as_of = text("as_of").and_then(moment);
    decision.cached = member(members, "cached").and_then(Json::as_bool) == Some(true);
    decision.retry_after_ms = member(members, "retry_after_ms")
        .and_then(Json::as_number)
        .and_then(|digits| digits.parse().ok());
    Ok(decision)
}

fn looked_up<T>(
    answer: &Answer<'_>,
    name: &str,
    read: impl FnOnce(&str) -> Option<T>,
) -> Result<Option<T>, Box<Decision>> {
    let unusable = |why| Box::new(no_answer(answer.status, why));
    if answer.status != OK {
        return Err(Box::new(failure(answer)));
    }
    let members = object(answer.body).map_err(unusable)?;
    if let Some(code) = member(&members, "code") {
        let code = code
            .as_str()
            .and_then(Code::parse)
            .unwrap_or(Code::ClientError);
        let text = member(&members, "text").and_then(Json::as_str);
        let mut decision = Decision::unknown(code, text.unwrap_or_default());
        decision.retry_after_ms = member(&members, "retry_after_ms")
            .and_then(Json::as_number)
            .and_then(|digits| digits.parse().ok());
        return Err(Box::new(decision));
    }
    match members.iter().find(|(known, _)| known == name) {
        Some((_, Json::Null)) => Ok(None),
        Some((_, Json::String(text))) => match read(text) {
            Some(found) => Ok(Some(found)),
            None => Err(unusable("what it found is not of the form expected")),
        },
        Some(_) | None => Err(unusable("it does not say what was found")),
    }
}

fn read_told(members: &[(String, Json)]) -> Option<Told> {
    let connections = member(members, "connections")?.as_array()?;
    if connections.len() > MAX_CONNECTIONS {
        return None;
    }
    let connections = connections
        .iter()
        .map(|one| read_connection(one.as_object()?));
    Some(Told {
        connections: connections.collect::<Option<_>>()?,
        tables: texts_of(member(members, "tables")?)?,
    })
}

fn read_connection(members: &[(String, Json)]) -> Option<ToldConnection> {
    let text = |name: &str| {
        member(members, name)
            .and_then(Json::as_str)
            .map(str::to_owned)
    };
    let flag = |name: &str| member(members, name).and_then(Json::as_bool);
    let hosts = member(members, "hosts")?.as_array()?;
    let prefixes = member(members, "prefixes")?.as_array()?;
    let mounts = match member(members, "mounts") {
        None => None,
        Some(mounts) => Some(mounts.as_array()?),
    };
    let alike = hosts.len() == prefixes.len()
        && mounts.is_none_or(|mounts| mounts.len() == hosts.len())
        && hosts.len() <= MAX_PLACES;
    if !alike {
        return None;
    }
    let place = |(index, (host, prefix)): (usize, (&Json, &Json))| {
        let mount = match mounts.and_then(|mounts| mounts.get(index)) {
            None | Some(Json::Null) => None,
            Some(mount) => Some(mount.as_str()?.to_owned()),
        };
        Some(ToldPlace {
            origin: host.as_str()?.to_owned(),
            prefix: prefix.as_str()?.to_owned(),
            mount,
        })
    };
    let places = hosts.iter().zip(prefixes).enumerate().map(place);
    Some(ToldConnection {
        id: text("id").filter(|id| !id.is_empty())?,
        integration: text("integration").filter(|name| !name.is_empty())?,
        places: places.collect::<Option<_>>()?,
        tells_faces: mounts.is_some(),
        selectors: member(members, "selectors").map_or(Some(BTreeMap::new()), texts_of)?,
        private: flag("private")?,
        strict_reads: flag("strict_reads")?,
    })
}

fn texts_of(json: &Json) -> Option<BTreeMap<String, String>> {
    let members = json.as_object()?.iter();
    let texts = members.map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())));
    texts.collect()
}

/// The status an item of a batch would have had alone.
fn status_of(code: Code) -> u16 {
    match code {
        Code::InvalidRequest | Code::UnknownAction | Code::UnknownConnection => 400,
        Code::Unauthorized => 403,
        Code::Overloaded => 503,
        Code::Allowed
        | Code::ClientError
        | Code::CredentialRejected
        | Code::Denied
        | Code::NotConfigured
        | Code::ResourceNotVisible
        | Code::Unsupported
        | Code::UpstreamError
        | Code::UpstreamRateLimited
        | Code::UpstreamTimeout
        | Code::UserAmbiguous
        | Code::UserNotFound => OK,
    }
}

fn moment(text: &str) -> Option<Wall> {
    let moment: jiff::Timestamp = text.parse().ok()?;
    Duration::try_from(moment.as_duration()).ok().map(Wall)
}

fn millis(wait: Duration) -> u64 {
    u64::try_from(wait.as_millis()).unwrap_or(u64::MAX)
}

const OK: u16 = 200;
/// The largest answer that is read.
const MAX_ANSWER: usize = 1024 * 1024;
const MAX_CONNECTIONS: usize = 10_000;
const MAX_PLACES: usize = 64;
const LIMITS: Limits = Limits {
    body_bytes: MAX_ANSWER,
    decoded_bytes: MAX_ANSWER,
    decoded_ratio: 1,
    json_depth: 32,
    json_values: 100_000,
    parts: 0,
};

#[cfg(test)]
mod tests;
