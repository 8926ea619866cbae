//! Answers to a decision: what the API server said of this user, and what may stand in for a right.
//!
//! Pure: a rule asks [`Answers`] for reviews and objects, and whoever drives it makes them (`toolpass_integration::answers`).
//! INVARIANT: an allow is an `allowed: true` of the API server: of the question itself, or of all questions that stand in for it. An
//! object that was read never makes one alone, but that it exists makes a right to create it needless.
//! Source: kubernetes.io "Authorization", "Using RBAC Authorization" (privilege escalation); k8s.io/apiserver
//! `endpoints/filters/authorization.go`, `handlers/patch.go`; read 2026-12-01.

pub mod rights;
pub mod verdict;

use toolpass_core::decision::Decision;
use toolpass_http::json::Json;
use toolpass_integration::answers::{Answers, Found, Stop};
use toolpass_integration::connection::Request;
use toolpass_integration::failure::Failure;

use crate::actions::Meaning;
use crate::config::Names;
use crate::facts::{Circumstances, Otherwise, Selectors};
use crate::identity::{self, Subject};
use crate::resource::{Asked, Object};
use crate::upstream::{Read, Review, Stored};
use rights::PolicyRule;
use verdict::Verdict;

/// A question in the words of the cluster.
#[derive(Clone, Debug)]
pub struct Question {
    /// Who.
    pub subject: Subject,
    /// What.
    pub asked: Asked,
    /// What the request says besides.
    pub circumstances: Circumstances,
}

impl Question {
    /// Read what a connection is asked.
    /// Errors: `invalid_request`.
    pub fn read(names: &Names, request: &Request) -> Result<Question, Failure> {
        let meaning = Meaning::of(&request.action)
            .ok_or_else(|| Failure::invalid("expected an action of Kubernetes"))?;
        Ok(Question {
            subject: identity::subject(names, &request.person.user, &request.person.groups)?,
            asked: Asked::read(&meaning, &request.resource)?,
            circumstances: Circumstances::read(&request.facts)?,
        })
    }
}

/// The decision. Errors: [`Stop`], never a denial.
pub fn decide(question: &Question, answers: &Answers<Read>) -> Result<Decision, Stop<Read>> {
    acting_as(question)?;
    let first = best(question, answers)?;
    if let Verdict::Allowed(reason) = &first {
        return Ok(Decision::allow(text("allowed by the cluster", reason)).by("review"));
    }
    let second = match (&question.circumstances.otherwise, &question.asked) {
        (None, _) => None,
        (Some(Otherwise::Exists(version)), Asked::Object(object)) => {
            Some(existing(object, version, answers)?)
        }
        (Some(Otherwise::Held { rules, stored }), Asked::Object(object)) => Some(role_written(
            question,
            object,
            rules,
            stored.as_deref(),
            answers,
        )?),
        (Some(Otherwise::RoleHeld(version)), Asked::Object(object)) => {
            Some(role_held(question, object, version, answers)?)
        }
        (Some(_), Asked::Path { .. }) => {
            return Err(Failure::invalid("a path is no object that could be there").into());
        }
    };
    end(question, first, second)
}

/// The answer when the question itself was not allowed.
fn end(
    question: &Question,
    first: Verdict,
    second: Option<Verdict>,
) -> Result<Decision, Stop<Read>> {
    match (first, second) {
        (_, Some(Verdict::Allowed(reason))) => {
            Ok(Decision::allow(text("allowed by the cluster", &reason)).by("instead"))
        }
        (Verdict::Undecided(why), _) | (_, Some(Verdict::Undecided(why))) => {
            Err(Stop::unsupported(why))
        }
        (Verdict::Denied(_), Some(Verdict::Denied(reason))) | (Verdict::Denied(reason), None) => {
            Ok(Decision::deny(text(
                &format!("the cluster does not allow {}", question.asked),
                &reason,
            ))
            .by("review"))
        }
        // The caller answered this one already.
        (Verdict::Allowed(reason), _) => Ok(Decision::allow(reason).by("review")),
    }
}

/// What the server would check itself: a request that acts as somebody may only act as the person it is for.
fn acting_as(question: &Question) -> Result<(), Stop<Read>> {
    let said = &question.circumstances;
    let is_known = |group: &String| question.subject.groups.contains(group);
    let is_other = said
        .as_user
        .as_ref()
        .is_some_and(|user| *user != question.subject.user);
    let widens = said.as_group.as_ref().is_some_and(|group| !is_known(group));
    match is_other || widens || (said.as_group.is_some() && said.as_user.is_none()) {
        true => Err(Stop::unsupported(
            "the request acts as another user or in another group than the person it is for",
        )),
        false => Ok(()),
    }
}

/// What the server says of the question; for the signer of a certificate also of all signers of its domain.
fn best(question: &Question, answers: &Answers<Read>) -> Result<Verdict, Stop<Read>> {
    let read = |asked: &Asked| review(&question.subject, asked, &question.circumstances.selectors);
    let Some(whole) = whole_domain(&question.asked) else {
        return verdict::of(read(&question.asked), answers);
    };
    answers.all([read(&question.asked), read(&whole)])?;
    let one = verdict::of(read(&question.asked), answers)?;
    let all = verdict::of(read(&whole), answers)?;
    Ok(match (one, all) {
        (Verdict::Allowed(reason), _) | (_, Verdict::Allowed(reason)) => Verdict::Allowed(reason),
        (Verdict::Undecided(why), _) | (_, Verdict::Undecided(why)) => Verdict::Undecided(why),
        (denied @ Verdict::Denied(_), Verdict::Denied(_)) => denied,
    })
}

/// `example.com/*` for the signer `example.com/one`.
fn whole_domain(asked: &Asked) -> Option<Asked> {
    let Asked::Object(object) = asked else {
        return None;
    };
    if !object.kind.is("certificates.k8s.io", "signers") {
        return None;
    }
    let (domain, _) = object.name.split_once('/')?;
    Some(Asked::Object(Object {
        name: format!("{domain}/*"),
        ..object.clone()
    }))
}

/// A right to create is needed only for what is not there.
fn existing(
    object: &Object,
    version: &str,
    answers: &Answers<Read>,
) -> Result<Verdict, Stop<Read>> {
    let is_named = |json: Json<'_>| {
        let name = json.required("metadata")?.required("name")?.string()?;
        Ok(name.to_owned())
    };
    let read = stored(object, &object.kind.resource, version);
    Ok(match answers.record(read, is_named)? {
        Found::Here(name) if name == object.name => {
            Verdict::Allowed("the object exists".to_owned())
        }
        Found::Here(_) => {
            Verdict::Undecided("the API server answered with another object".to_owned())
        }
        Found::Missing => {
            Verdict::Denied("the object does not exist and may not be created".to_owned())
        }
        Found::Forbidden => Verdict::Undecided(
            "the object may not be created, and the token may not see whether it exists".to_owned(),
        ),
    })
}

/// Whoever holds all rights of a role may hand it out.
fn role_held(
    question: &Question,
    object: &Object,
    version: &str,
    answers: &Answers<Read>,
) -> Result<Verdict, Stop<Read>> {
    // A role of the whole cluster is kept outside the namespace it is bound in.
    let place = Object {
        namespace: object
            .namespace
            .clone()
            .filter(|_| object.kind.resource == "roles"),
        ..object.clone()
    };
    let read = stored(&place, &object.kind.resource, version);
    let rules_of = match object.verb.as_str() {
        "escalate" => rights::to_change,
        _ => rights::of_role,
    };
    match answers.record(read, rules_of)? {
        Found::Here(rules) => held(question, &question.asked, &rules, answers),
        Found::Missing => Ok(Verdict::Denied("there is no such role".to_owned())),
        Found::Forbidden => Ok(Verdict::Undecided(
            "the user may not hand out every role, and the token may not read what this one allows"
                .to_owned(),
        )),
    }
}

/// Whoever holds all rights of a role may write it; one that is filled from others takes everything.
fn role_written(
    question: &Question,
    object: &Object,
    rules: &[PolicyRule],
    version: Option<&str>,
    answers: &Answers<Read>,
) -> Result<Verdict, Stop<Read>> {
    let gathered = match version {
        None => Found::Missing,
        Some(version) => {
            let read = stored(object, &object.kind.resource, version);
            answers.record(read, rights::is_gathered)?
        }
    };
    match gathered {
        Found::Here(true) => held(question, &question.asked, &rights::everything(), answers),
        Found::Here(false) | Found::Missing => held(question, &question.asked, rules, answers),
        Found::Forbidden => Ok(Verdict::Undecided(
            "the user may not escalate, and the token may not read whether the role is filled from others".to_owned(),
        )),
    }
}

/// Whether the user holds every one of these rights where the question is asked.
fn held(
    question: &Question,
    asked: &Asked,
    rules: &[PolicyRule],
    answers: &Answers<Read>,
) -> Result<Verdict, Stop<Read>> {
    let namespace = match asked {
        Asked::Object(object) => object.namespace.as_deref(),
        Asked::Path { .. } => None,
    };
    let Some(units) = rights::units(rules, namespace) else {
        return Ok(Verdict::Undecided(
            "the role allows more different things than are asked for one request".to_owned(),
        ));
    };
    let read = |asked: &Asked| review(&question.subject, asked, &Selectors::default());
    answers.all(units.iter().map(read))?;
    let mut undecided = None;
    for unit in &units {
        match verdict::of(read(unit), answers)? {
            Verdict::Allowed(_) => {}
            Verdict::Denied(_) => {
                return Ok(Verdict::Denied(format!(
                    "the user does not hold every right of the role: {unit}"
                )));
            }
            Verdict::Undecided(why) => undecided = Some(why),
        }
    }
    Ok(match undecided {
        None => Verdict::Allowed("the user holds every right of the role".to_owned()),
        Some(why) => Verdict::Undecided(why),
    })
}

fn review(subject: &Subject, asked: &Asked, selectors: &Selectors) -> Read {
    Read::Review(Box::new(Review {
        subject: subject.clone(),
        asked: asked.clone(),
        selectors: selectors.clone(),
    }))
}

fn stored(object: &Object, resource: &str, version: &str) -> Read {
    Read::Object(Stored {
        group: object.kind.group.clone(),
        version: version.to_owned(),
        resource: resource.to_owned(),
        namespace: object.namespace.clone(),
        name: object.name.clone(),
    })
}

fn text(what: &str, reason: &str) -> String {
    match reason.is_empty() {
        true => what.to_owned(),
        false => format!("{what}: {reason}"),
    }
}
