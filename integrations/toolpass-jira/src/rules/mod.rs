//! From records to a decision. Pure: no network, no clock, no logging.
//!
//! One file per thing asked about, one function per rule of the specification. [`decide`] is the only way in; what it does not know
//! yet it names (see [`known`]).
//! INVARIANT: deny only on a positive no: Jira's evaluator leaving out what it was asked, or a record that names somebody else. Absent, null,
//! an unknown word, a wrong type, 401, 403, 404, 429 and 5xx each have a stated meaning, and none of them is "allow".

pub mod authored;
pub mod board;
pub mod known;
pub mod permission;
pub mod shared;
pub mod site;

use toolpass_core::codes::Code;
use toolpass_core::decision::Decision;
use toolpass_integration::answers::Answers;
use toolpass_integration::connection::Request;
use toolpass_integration::failure::Failure;

use crate::actions::{Action, is_permission_key};
use crate::config::Config;
use crate::facts::Circumstances;
use crate::identity::is_account_id;
use crate::resource::Target;
use crate::upstream::read::Read;
use known::{Known, Stop};

/// A question, read: everything the rules need besides what Jira says.
#[derive(Clone, Debug)]
pub struct Question {
    /// What is to be done.
    pub action: Action,
    /// The permission key as it was asked, of [`Action::Other`] the only place it stands in.
    pub key: String,
    /// To what.
    pub target: Target,
    /// By whom: the account's id.
    pub user: String,
    /// What the request said besides.
    pub said: Circumstances,
    /// Whether service projects are like any other.
    pub plain_service_projects: bool,
}

impl Question {
    /// Read a request to the connection of `config`.
    /// Errors: `unknown_action`, `invalid_request` (the resource), `unsupported` (identity or facts).
    pub fn read(config: &Config, request: &Request) -> Result<Question, Failure> {
        let action = Action::parse(&request.action)
            .or_else(|| is_permission_key(&request.action).then_some(Action::Other))
            .ok_or_else(|| Failure::new(Code::UnknownAction, "Jira has no such action here"))?;
        if !is_account_id(&request.identity.id) {
            return Err(Failure::unsupported("the user's identity is no account id"));
        }
        let target = Target::read(&request.resource)?;
        if !action.spec().on.contains(&target.type_name()) {
            return Err(Failure::invalid(format!(
                "`{}` is asked on `{}`, not on `{}`",
                request.action,
                action.spec().on.join("`, `"),
                target.type_name()
            )));
        }
        Ok(Question {
            action,
            key: request.action.clone(),
            target,
            user: request.identity.id.clone(),
            said: Circumstances::read(action, &request.facts)?,
            plain_service_projects: config.plain_service_projects,
        })
    }
}

/// Decide a question from what is known.
/// Errors: [`Stop::Missing`] with what must be read first, [`Stop::Failed`] when there is no answer; never [`Stop::Denied`].
pub fn decide(question: &Question, answers: &Answers<Read>) -> Result<Decision, Stop> {
    let known = &Known::new(answers, &question.user);
    let (rule, decided) = match question.action {
        Action::BoardEdit => ("board", board::edit(question, known)),
        Action::BoardView => ("board", board::view(question, known)),
        Action::CommentDelete | Action::CommentEdit => {
            ("comment", authored::decide(question, known))
        }
        Action::DashboardEdit | Action::FilterEdit => ("share", shared::edit(question, known)),
        Action::DashboardOwn | Action::FilterOwn => ("owner", shared::own(question, known)),
        Action::LinkDelete => ("link", permission::link(question, known)),
        Action::OrgManage => ("site", site::organizations(known)),
        Action::ProjectAdmin => ("project", permission::administers(question, known)),
        Action::RequestManage => ("request", permission::request(question, known)),
        Action::SiteUser => ("site", site::user(known)),
        Action::SprintManage => ("sprint", board::sprints(question, known)),
        Action::WorklogDelete | Action::WorklogEdit => {
            ("worklog", authored::decide(question, known))
        }
        Action::AddComments
        | Action::Administer
        | Action::AdministerProjects
        | Action::ArchiveIssues
        | Action::AssignIssues
        | Action::AssignableUser
        | Action::BrowseProjects
        | Action::BulkChange
        | Action::CloseIssues
        | Action::CreateAttachments
        | Action::CreateIssues
        | Action::CreateProject
        | Action::CreateSharedObjects
        | Action::DeleteAllAttachments
        | Action::DeleteAllComments
        | Action::DeleteAllWorklogs
        | Action::DeleteIssues
        | Action::DeleteOwnAttachments
        | Action::DeleteOwnComments
        | Action::DeleteOwnWorklogs
        | Action::EditAllComments
        | Action::EditAllWorklogs
        | Action::EditIssues
        | Action::EditOwnComments
        | Action::EditOwnWorklogs
        | Action::LinkIssues
        | Action::ManageGroupFilterSubscriptions
        | Action::ManageSprints
        | Action::ManageWatchers
        | Action::ModifyReporter
        | Action::MoveIssues
        | Action::Other
        | Action::ResolveIssues
        | Action::ScheduleIssues
        | Action::ServiceDeskAgent
        | Action::SetIssueSecurity
        | Action::SystemAdmin
        | Action::TransitionIssues
        | Action::UserPicker
        | Action::ViewAggregatedData
        | Action::ViewDevTools
        | Action::ViewReadonlyWorkflow
        | Action::ViewVotersAndWatchers
        | Action::WorkOnIssues => ("permission", permission::key(question, known)),
    };
    match decided {
        Ok(text) => Ok(Decision::allow(text).by(rule)),
        Err(Stop::Denied(text)) => Ok(Decision::deny(text).by(rule)),
        Err(other) => Err(other),
    }
}
