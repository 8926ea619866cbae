//! Every integration there is, in the order it was registered.
//!
//! The only crate that names them all: a new system is its own crate and one line here. Who needs the list takes it as a
//! parameter, so that each part can be tried with fewer.

use toolpass_integration::integration::Integration;

/// The integrations, in registration order.
static ALL: &[&dyn Integration] = &[
    &toolpass_fake::FAKE,
    &toolpass_github::GITHUB,
    &toolpass_jira::JIRA,
    &toolpass_kubernetes::KUBERNETES,
    &toolpass_linear::LINEAR,
    &toolpass_slack::SLACK,
];

/// The integrations, in registration order.
pub fn all() -> &'static [&'static dyn Integration] {
    ALL
}

/// The integration of that name.
pub fn find(name: &str) -> Option<&'static dyn Integration> {
    ALL.iter()
        .copied()
        .find(|integration| integration.name() == name)
}

#[cfg(test)]
mod tests;
