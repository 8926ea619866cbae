//! The order of a check, and nothing else.

use std::sync::Arc;

use toolpass_core::codes::Code;
use toolpass_core::decision::Decision;
use toolpass_core::question::Question;
use toolpass_http::budget::{Context, Recorder};
use toolpass_integration::cache::Fill;
use toolpass_integration::connection::{Person, Request};
use toolpass_integration::crash::caught;
use toolpass_integration::failure::Failure;

use crate::caller::Caller;
use crate::engine::Engine;
use crate::outcome::{self, Stop};
use crate::validate::{self, Valid};
use crate::{decisions, identity};

/// Answer a question that was asked when `asked` began.
pub(crate) async fn answer(
    engine: &Engine,
    question: &Question,
    caller: &Caller,
    asked: &Context,
) -> Decision {
    let valid = match validate::question(engine, question, caller) {
        Ok(valid) => valid,
        Err(refused) => return *refused,
    };
    let (wired, user) = (&valid.wired, &valid.person.user);
    let freshness = engine.bounded(wired, user, question.freshness, asked.began());
    let ctx = asked
        .with_freshness(freshness)
        .with_deadline(caller.deadline(asked.began(), valid.wired.timeout))
        .with_recorder(Recorder::new());
    decisions::answer(engine, &ctx, question, valid).await
}

/// Find out what nothing stored says.
/// Errors: only that the time of the caller who began it ran out, so that others who wait may begin again.
pub(crate) async fn ask(valid: Valid, ctx: Context) -> Result<Fill<Decision>, Failure> {
    let mut account = String::new();
    let found = attempt(&valid, &ctx, &mut account).await;
    if let Err(Stop::Failed(failure)) = &found
        && failure.code() == Code::UpstreamTimeout
        && ctx.remaining().is_zero()
    {
        return Err(failure.clone());
    }
    let mut decision = found.unwrap_or_else(|stop| outcome::stopped(&stop));
    decision.identity = account;
    let kept =
        valid
            .wired
            .lives
            .decision(decision.outcome(), valid.person.token.as_ref(), ctx.wall());
    Ok(match kept {
        Some(ttl) => Fill::Store(decision, ttl),
        None => Fill::Pass(decision),
    })
}

/// The part that asks the system.
async fn attempt(valid: &Valid, ctx: &Context, account: &mut String) -> Result<Decision, Stop> {
    let wired = &valid.wired;
    let person = &person(valid, ctx).await?;
    let began = ctx.now();
    let slot = wired.limits.enter(ctx).await;
    ctx.steps()
        .add("turn", ctx.now().since(began), || match &slot {
            Ok(_) => String::new(),
            Err(_) => "not given".to_owned(),
        });
    let slot = slot?;
    let found = consult(valid, person, ctx, account).await;
    slot.tell(found.as_ref().err());
    Ok(outcome::answered(&found?))
}

/// The person asked about, with the groups of their token when the caller sent none and the connection takes them from there.
async fn person(valid: &Valid, ctx: &Context) -> Result<Person, Failure> {
    let person = valid.person.clone();
    let Some(issuer) = valid
        .wired
        .issuer
        .as_ref()
        .filter(|_| person.groups.is_empty())
    else {
        return Ok(person);
    };
    let began = ctx.now();
    let asking = issuer.groups(ctx, &person.user, person.token.as_ref());
    let groups = ctx.within(asking).await;
    let groups = groups.unwrap_or_else(|| Err(outcome::out_of_time()));
    ctx.steps().add(
        "groups of the token",
        ctx.now().since(began),
        || match &groups {
            Ok(groups) => groups.as_slice().join(", "),
            Err(_) => "not taken".to_owned(),
        },
    );
    Ok(Person {
        groups: groups?,
        ..person
    })
}

async fn consult(
    valid: &Valid,
    person: &Person,
    ctx: &Context,
    account: &mut String,
) -> Result<Decision, Failure> {
    let wired = &valid.wired;
    let identity = identity::resolve(wired, ctx, person).await?;
    account.clone_from(&identity.id);
    let request = Request {
        person: person.clone(),
        identity: Arc::unwrap_or_clone(identity),
        action: valid.action.as_str().to_owned(),
        resource: valid.resource.clone(),
        facts: valid.facts.clone(),
    };
    let began = ctx.now();
    let checked = caught(wired.connection.check(ctx, &request)).await;
    ctx.steps()
        .add("system", ctx.now().since(began), String::new);
    checked.map_err(|crash| identity::logged(wired, crash))?
}
