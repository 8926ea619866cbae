//! Account, action, thing → decision. Pure: one function, one row of the README's table an arm.

use toolpass_core::codes::Code;
use toolpass_core::decision::Decision;
use toolpass_core::quoted::Quoted;
use toolpass_integration::connection::Identity;
use toolpass_integration::failure::Failure;

use crate::actions::Action;
use crate::config::Config;
use crate::resource::Thing;

/// Decide.
/// Errors: `resource_not_visible` and `unsupported` for the two things that stand for them.
pub fn decide(
    config: &Config,
    who: &Identity,
    action: Action,
    thing: Thing,
) -> Result<Decision, Failure> {
    match thing {
        Thing::Broken => {
            return Err(Failure::unsupported(
                "the thing has a rule that cannot be evaluated",
            ));
        }
        Thing::Hidden => {
            return Err(Failure::new(
                Code::ResourceNotVisible,
                "toolpass cannot see the thing",
            ));
        }
        Thing::Plain => {}
    }
    let name = Quoted::new(&who.display);
    Ok(match (action, config.is_admin(&who.id)) {
        (Action::ThingRead, _) => Decision::allow(format!("{name} is a user")).by("users"),
        (Action::ThingAdmin | Action::ThingWrite, true) => {
            Decision::allow(format!("{name} is an admin")).by("admins")
        }
        (Action::ThingAdmin | Action::ThingWrite, false) => {
            Decision::deny(format!("{name} is no admin")).by("admins")
        }
    })
}
