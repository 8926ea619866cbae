//! Act 5, failure: a system that does not answer, and one that is not set up, are not a no.

use toolpass::toolkit::Options;

use crate::agent::Agent;
use crate::error::Error;
use crate::house::House;
use crate::script::{Ending, STATUS, Step};
use crate::show::Show;
use crate::tools;
use crate::world::{DANA, SAM};

/// Show it.
pub(super) async fn play(house: &mut House, show: &mut Show<'_>) -> Result<(), Error> {
    let tools = tools::all(&house.shop()?);
    let dana = Agent::new(house, DANA, tools.clone(), Options::default())?;
    let sam = Agent::new(house, SAM, tools, Options::default())?;
    let status = |shown: &'static str, ends: Ending| Step {
        who: SAM,
        shown,
        ends,
        ..STATUS
    };
    show.title("When a system does not answer");
    show.text("Everything runs:");
    show.row(dana.call(STATUS).await?);

    show.text("Jira is stopped. Whether Sam may cannot be found out; that is no \"may not\":");
    house.stop("jira")?;
    let unanswered = Ending::Refused("authorization_error");
    show.row(sam.call(status("status, Jira is down", unanswered)).await?);

    show.text("Jira runs again, and its connection is taken out of the server's configuration:");
    house.restart("jira")?;
    house.without(&["jira"]).await?;
    let unset = Ending::Refused("not_configured");
    show.row(sam.call(status("status, no connection", unset)).await?);

    show.text("The connection is put back:");
    house.without(&[]).await?;
    show.row(sam.call(status("status SHOP-12", Ending::Ok)).await?);
    dana.finish().await;
    sam.finish().await;
    Ok(())
}
