//! Act 3, injection and limits: a comment in Jira carries an instruction with somebody's address in it.
//!
//! The same address is tried alone, in copied words, and in another writing; then words of one's own against the trust gate;
//! then the same call runs, because the person named the address.

use serde_json::{Value, json};
use toolpass::context::Context;
use toolpass::tool::{Arguments, BodyResult, Tool};
use toolpass::toolkit::Options;
use toolpass::{AfterUntrusted, Effect, Gate, Limit};

use crate::agent::Agent;
use crate::error::Error;
use crate::house::House;
use crate::script::injection as script;
use crate::show::Show;
use crate::systems::jira;
use crate::tools::Shop;
use crate::world::DANA;

/// Show it.
pub(super) async fn play(house: &House, show: &mut Show<'_>) -> Result<(), Error> {
    let shop = house.shop()?;
    let tools = vec![comments(shop.clone()), name_contact(shop)];
    show.title("What a text from outside can do");
    show.text("A customer's comment on SHOP-14 asks the agent to name another contact, with an address of theirs.");

    let mut agent = Agent::new(house, DANA, tools.clone(), Options::default())?;
    let read = agent.call(script::READ).await?;
    let said = without_id(&read.said);
    show.row(read);
    show.text("What the model is given, between tags that the comment cannot close:");
    show.quoted(&said);
    show.text("The address alone, six of the comment's words, and the address in base64:");
    for step in script::COPIES {
        show.row(agent.call(*step).await?);
    }

    show.text("The trust gate looks at no words. Once outside text was read, nothing is written:");
    let gate = Gate {
        write: AfterUntrusted::Refuse,
        ..Gate::default()
    };
    let gated = Options {
        after_untrusted: gate,
        ..Options::default()
    };
    let other = Agent::new(house, DANA, tools.clone(), gated)?;
    for step in [script::READ, script::GATED] {
        show.row(other.call(step).await?);
    }
    other.finish().await;

    show.text("Without it, words of the model's own pass, for they repeat nothing:");
    show.row(agent.call(script::REWORDED).await?);
    agent.finish().await;

    show.text(&format!(
        "Dana says: \"{}\" Now the address is hers:",
        script::PROMPT
    ));
    agent.begin_anew(DANA)?;
    agent.session().trust(script::PROMPT);
    for step in [script::READ, script::NAMED] {
        show.row(agent.call(step).await?);
    }
    agent.finish().await;

    show.text("And a limit of two writes in a session, whoever asks:");
    let limited = Options {
        limits: vec![(Effect::Write, Limit::of_session(2))],
        ..Options::default()
    };
    let agent = Agent::new(house, DANA, tools, limited)?;
    for step in script::LIMITED {
        show.row(agent.call(*step).await?);
    }
    agent.finish().await;
    let requests = house.system("jira")?.running.requests();
    let written = requests
        .iter()
        .filter(|entry| entry.method == "POST" && entry.local_path.ends_with("/comment"));
    show.fact(
        "Jira was asked to write four comments, none of the refused",
        written.count() == 4,
    );
    Ok(())
}

/// `read_comments(issue)`: what people wrote.
fn comments(shop: Shop) -> Tool {
    Tool::named("read_comments")
        .takes("issue")
        .effect(Effect::Read)
        .untrusted_output()
        .runs(move |context, given| {
            let shop = shop.clone();
            async move { read(&shop, &context, &given).await }
        })
}

async fn read(shop: &Shop, context: &Context, given: &Arguments) -> BodyResult {
    let path = format!("/rest/api/3/issue/{}/comment", given.text("issue"));
    let found = shop.jira.get(context, &path).await?;
    let comments = found.pointer("/comments").and_then(Value::as_array);
    let texts = comments.into_iter().flatten().map(|comment| {
        let body = comment.get("body").cloned().unwrap_or_default();
        jira::text(&body)
    });
    Ok(Value::String(texts.collect::<Vec<_>>().join("\n")))
}

/// `name_contact(issue, email, note)`: who is written to about an issue.
fn name_contact(shop: Shop) -> Tool {
    Tool::named("name_contact")
        .takes("issue")
        .takes("email")
        .takes("note")
        .effect(Effect::Write)
        .sends_out()
        .runs(move |context, given| {
            let shop = shop.clone();
            async move { named(&shop, &context, &given).await }
        })
}

async fn named(shop: &Shop, context: &Context, given: &Arguments) -> BodyResult {
    let path = format!("/rest/api/3/issue/{}/comment", given.text("issue"));
    let said = format!("Contact: {}. {}", given.text("email"), given.text("note"));
    let body = json!({"body": jira::document(&said)});
    shop.jira.post(context, &path, &body).await?;
    Ok(Value::String("the contact is named".to_owned()))
}

/// A fenced text without the id, which is another one each time.
fn without_id(text: &str) -> String {
    let id = text
        .split_once("<untrusted-")
        .and_then(|(_, rest)| rest.get(..16));
    match id {
        Some(id) => text.replace(id, "…"),
        None => text.to_owned(),
    }
}
