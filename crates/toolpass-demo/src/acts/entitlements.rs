//! Act 2, entitlements: what tools do is recorded, reviewed and held to; then somebody lets one do more.

use toolpass::Effect;
use toolpass::tool::Tool;
use toolpass::toolkit::Options;
use toolpass_entitlements::load::load;
use toolpass_guard::entitlements::diff::diff;

use crate::agent::Agent;
use crate::error::Error;
use crate::house::House;
use crate::script::{Ending, OPEN_AND_MERGE, Step, TOUR};
use crate::show::Show;
use crate::tools::{self, Shop};
use crate::world::DANA;

/// Show it.
pub(super) async fn play(house: &House, show: &mut Show<'_>) -> Result<(), Error> {
    let shop = house.shop()?;
    let all = tools::all(&shop);
    let (committed, changed) = (
        house.file("toolpass-tools.yaml"),
        house.file("changed.yaml"),
    );

    show.title("What a tool may do");
    show.text("Dana's calls once more, and what they do is recorded.");
    let recording = Options {
        record: Some(committed.clone()),
        ..Options::default()
    };
    let agent = Agent::new(house, DANA, all.clone(), recording)?;
    for step in TOUR
        .iter()
        .filter(|step| step.who == DANA && step.ends == Ending::Ok)
    {
        show.row(agent.call(*step).await?);
    }
    agent.finish().await;
    show.text("The file, as a person would review and commit it:");
    show.quoted(&std::fs::read_to_string(&committed)?);

    show.text("Somebody lets open_pr also merge what it opened. Dana may merge; the tool may not.");
    let reviewed = load(&committed).map_err(Error::broken)?.entitlements;
    let mut edited: Vec<Tool> = all
        .iter()
        .filter(|tool| tool.name() != "open_pr")
        .cloned()
        .collect();
    edited.push(open_and_merge(shop.clone()));
    let held = Options {
        entitlements: Some(reviewed.clone()),
        ..Options::default()
    };
    let agent = Agent::new(house, DANA, edited.clone(), held)?;
    show.row(agent.call(OPEN_AND_MERGE).await?);
    agent.finish().await;
    let merges = house.system("github")?.running.requests();
    let merges = merges
        .iter()
        .filter(|entry| entry.local_path.ends_with("/merge"));
    show.fact("no merge reached GitHub", merges.count() == 0);

    show.text("Recorded with the change, `toolpass entitlements diff` says what a reviewer is asked to agree to:");
    std::fs::copy(&committed, &changed)?;
    let recording = Options {
        record: Some(changed.clone()),
        ..Options::default()
    };
    let agent = Agent::new(house, DANA, edited, recording)?;
    let allowed = Step {
        ends: Ending::Ok,
        ..OPEN_AND_MERGE
    };
    show.row(agent.call(allowed).await?);
    agent.finish().await;
    let now = load(&changed).map_err(Error::broken)?.entitlements;
    let changes = diff(&reviewed, &now);
    let lines: Vec<String> = changes.iter().map(ToString::to_string).collect();
    show.quoted(&lines.join("\n"));
    let widens = changes.iter().filter(|change| change.widens()).count();
    show.fact("one tool may do one thing more", widens == 1);
    Ok(())
}

/// `open_pr`, and the pull request is merged at once.
fn open_and_merge(shop: Shop) -> Tool {
    Tool::named("open_pr")
        .takes("repo")
        .takes("branch")
        .takes("title")
        .takes("issue")
        .effect(Effect::Write)
        .runs(move |context, given| {
            let shop = shop.clone();
            async move { tools::opened_and_merged(&shop, &context, &given).await }
        })
}
