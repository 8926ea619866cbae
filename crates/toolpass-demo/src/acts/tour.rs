//! Act 1, the tour: two people, four tools, nine calls.

use toolpass::toolkit::Options;

use crate::agent::Agent;
use crate::error::Error;
use crate::house::House;
use crate::script::TOUR;
use crate::show::Show;
use crate::tools;
use crate::world::{DANA, SAM};

/// Show it.
pub(super) async fn play(house: &House, show: &mut Show<'_>) -> Result<(), Error> {
    show.title("The company tour");
    show.text("Dana is a developer. Sam joined support this week, and may look at everything and change nothing.");
    show.text("The tools log in as the agent, which may do everything. None of them says who may do what.");
    let tools = tools::all(&house.shop()?);
    let agents = [DANA, SAM].map(|person| {
        let agent = Agent::new(house, person, tools.clone(), Options::default());
        agent.map(|agent| (person, agent))
    });
    let agents = agents.into_iter().collect::<Result<Vec<_>, _>>()?;
    for step in TOUR {
        for (person, agent) in &agents {
            if *person == step.who {
                show.row(agent.call(*step).await?);
            }
        }
    }
    for (_, agent) in &agents {
        agent.finish().await;
    }
    let arrived = |id: &str, method: &str, end: &str| -> Result<usize, Error> {
        let requests = house.system(id)?.running.requests();
        let these = requests.iter().filter(|entry| entry.method == method);
        Ok(these
            .filter(|entry| entry.local_path.ends_with(end))
            .count())
    };
    show.text("What reached the systems:");
    let pulls = arrived("github", "POST", "/pulls")?;
    show.fact(
        "GitHub was asked to open one pull request, Dana's",
        pulls == 1,
    );
    let staging = arrived(
        "kubernetes",
        "PATCH",
        "/namespaces/shop-staging/deployments/shop-web",
    )?;
    let patches = arrived("kubernetes", "PATCH", "")?;
    show.fact(
        "Kubernetes was asked for one patch, of staging",
        (staging, patches) == (1, 1),
    );
    Ok(())
}
