//! The acts: the tour, and what it leaves out.
//!
//! Each opens on a house of its own and leaves it changed, so an act is shown alone. Act 4, of handoffs, comes with them.

mod entitlements;
mod failure;
mod injection;
mod revocation;
mod tour;

use crate::error::Error;
use crate::house::House;
use crate::show::Show;

/// Show one.
/// Errors: [`Error`]; there is no such act.
pub(crate) async fn play(act: u8, house: &mut House, show: &mut Show<'_>) -> Result<(), Error> {
    match act {
        1 => tour::play(house, show).await,
        2 => entitlements::play(house, show).await,
        3 => injection::play(house, show).await,
        5 => failure::play(house, show).await,
        6 => revocation::play(house, show).await,
        _ => {
            let known = NUMBERS.map(|number| number.to_string());
            Err(Error::NoSuchAct(known.join(", ")))
        }
    }
}

/// Those there are.
pub const NUMBERS: [u8; 5] = [1, 2, 3, 5, 6];
