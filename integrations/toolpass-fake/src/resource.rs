//! The one resource type: `thing:<id>`.

use toolpass_core::quoted::Quoted;
use toolpass_core::resource::Resource;
use toolpass_integration::failure::Failure;

/// A thing, and what asking about it comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thing {
    /// `thing:broken`: a rule of it cannot be evaluated.
    Broken,
    /// `thing:hidden`: toolpass's own credential cannot see it.
    Hidden,
    /// Any other.
    Plain,
}

impl Thing {
    /// Read a resource.
    /// Errors: `invalid_request` for another type, an empty id, or a query.
    pub fn read(resource: &Resource) -> Result<Thing, Failure> {
        if resource.kind() != "thing" {
            let found = Quoted::new(resource.kind());
            return Err(Failure::invalid(format!(
                "expected a resource of type `thing`, found {found}"
            )));
        }
        if resource.as_str().contains('?') {
            return Err(Failure::invalid("a `thing` takes no query"));
        }
        match resource.id() {
            "" => Err(Failure::invalid("expected an id after `thing:`")),
            "broken" => Ok(Thing::Broken),
            "hidden" => Ok(Thing::Hidden),
            _ => Ok(Thing::Plain),
        }
    }
}
