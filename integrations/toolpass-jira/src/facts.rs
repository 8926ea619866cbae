//! What an observed request says beside its resource, in words that both `extract` and the rules know.
//!
//! INVARIANT: a fact the rules do not know, or that does not belong to the action, is no answer (`unsupported`), never ignored.

use toolpass_core::question::Facts;
use toolpass_integration::failure::Failure;

use crate::actions::Action;
use crate::resource::number;

/// The request deletes sub-tasks too: `1`.
pub const DELETES_SUBTASKS: &str = "deletes_subtasks";
/// The request raises a customer's request, which who opens the portal may: `1`.
pub const AS_CUSTOMER: &str = "as_customer";
/// Custom fields that are set, by number, separated by a space.
pub const CUSTOM_FIELDS: &str = "custom_fields";
/// An administrator of the site may, whoever owns it: `1`.
pub const OR_ADMINISTER: &str = "or_administer";
/// The comment answers another one, of this id.
pub const REPLIES_TO: &str = "replies_to";

/// The facts of a question, read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Circumstances {
    /// Sub-tasks go with their issue.
    pub deletes_subtasks: bool,
    /// Who opens the portal may.
    pub as_customer: bool,
    /// Custom fields that are set.
    pub custom_fields: Vec<u64>,
    /// An administrator of the site may.
    pub or_administer: bool,
    /// The comment answered.
    pub replies_to: Option<u64>,
}

impl Circumstances {
    /// Read the facts of a question about `action`.
    /// Errors: `unsupported` for one that is not known, belongs to another action, or has another form.
    pub fn read(action: Action, facts: &Facts) -> Result<Circumstances, Failure> {
        let mut read = Circumstances::default();
        for (name, value) in facts {
            let understood = match name.as_str() {
                DELETES_SUBTASKS if action == Action::DeleteIssues => {
                    set(&mut read.deletes_subtasks, value)
                }
                AS_CUSTOMER if action == Action::CreateIssues => set(&mut read.as_customer, value),
                CUSTOM_FIELDS if matches!(action, Action::CreateIssues | Action::EditIssues) => {
                    let numbers: Option<Vec<u64>> = value.split(' ').map(number).collect();
                    numbers.map(|numbers| read.custom_fields = numbers)
                }
                OR_ADMINISTER if matches!(action, Action::DashboardOwn | Action::FilterOwn) => {
                    set(&mut read.or_administer, value)
                }
                REPLIES_TO if action == Action::AddComments => number(value).map(|id| {
                    read.replies_to = Some(id);
                }),
                _ => None,
            };
            if understood.is_none() {
                return Err(Failure::unsupported(
                    "the request says something that the rules do not know",
                ));
            }
        }
        Ok(read)
    }
}

fn set(flag: &mut bool, value: &str) -> Option<()> {
    *flag = true;
    (value == "1").then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fact_of_another_action_is_no_answer() {
        let facts: Facts = [(DELETES_SUBTASKS.to_owned(), "1".to_owned())].into();
        assert!(
            Circumstances::read(Action::DeleteIssues, &facts)
                .unwrap()
                .deletes_subtasks
        );
        assert!(Circumstances::read(Action::EditIssues, &facts).is_err());
        let facts: Facts = [(CUSTOM_FIELDS.to_owned(), "10020 x".to_owned())].into();
        assert!(Circumstances::read(Action::EditIssues, &facts).is_err());
    }
}
