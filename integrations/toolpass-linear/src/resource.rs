//! The types of resource, and the names they are made of.
//!
//! `team:<key or id>`, `issue:<identifier or id>`, `project:<slug or id>`, `workspace`, and things by id that belong to one of
//! those ([`Kind`]). Every name is a type of its own that only its grammar makes, so no query holds unread text. An identifier
//! changes when an issue moves to another team and the old one keeps leading to it, so names are always looked up.
//! Source: Linear's GraphQL schema of 2026-07-22 (`Query.issue`, `Query.project`, `Team.key`).

use std::fmt;
use std::sync::Arc;

use toolpass_core::quoted::Quoted;
use toolpass_core::resource::Resource;
use toolpass_integration::failure::Failure;

/// What a question is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// An issue.
    Issue(Name),
    /// A project.
    Project(Name),
    /// A team.
    Team(Name),
    /// Something that belongs to one of the others.
    Thing(Kind, Name),
    /// The workspace.
    Workspace,
}

/// A name that its type's grammar took: an id in lower case, or a key, identifier or slug.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Name(Arc<str>);

/// Something that is named by an id and belongs to an issue, a project, a team or the workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A run of an agent, of an issue.
    AgentSession,
    /// A link attached to an issue.
    Attachment,
    /// A comment.
    Comment,
    /// A cycle of a team.
    Cycle,
    /// A document.
    Document,
    /// An emoji of the workspace.
    Emoji,
    /// Where mails become issues.
    Intake,
    /// A project in an initiative.
    InitiativeProject,
    /// A label of issues.
    Label,
    /// A link of a project or an initiative.
    Link,
    /// A membership in a team.
    Membership,
    /// A milestone of a project.
    Milestone,
    /// A customer's request.
    Need,
    /// What is posted to chats about a team, a project or an initiative.
    Notices,
    /// A pipeline of releases.
    Pipeline,
    /// A relation of two projects.
    ProjectRelation,
    /// An update of a project.
    ProjectUpdate,
    /// A relation of two issues.
    Relation,
    /// A release, of a pipeline.
    Release,
    /// An issue in a release.
    ReleaseIssue,
    /// Notes of releases, of a pipeline.
    ReleaseNote,
    /// A stage of a pipeline.
    ReleaseStage,
    /// A project in a roadmap.
    RoadmapProject,
    /// A skill of agents.
    Skill,
    /// A state of a team's workflow.
    State,
    /// A template.
    Template,
    /// Who takes what comes in to a team.
    Triage,
    /// A view of issues or projects.
    View,
}

impl Kind {
    /// Every kind.
    pub const ALL: &'static [Kind] = &[
        Kind::AgentSession,
        Kind::Attachment,
        Kind::Comment,
        Kind::Cycle,
        Kind::Document,
        Kind::Emoji,
        Kind::Intake,
        Kind::InitiativeProject,
        Kind::Label,
        Kind::Link,
        Kind::Membership,
        Kind::Milestone,
        Kind::Need,
        Kind::Notices,
        Kind::Pipeline,
        Kind::ProjectRelation,
        Kind::ProjectUpdate,
        Kind::Relation,
        Kind::Release,
        Kind::ReleaseIssue,
        Kind::ReleaseNote,
        Kind::ReleaseStage,
        Kind::RoadmapProject,
        Kind::Skill,
        Kind::State,
        Kind::Template,
        Kind::Triage,
        Kind::View,
    ];

    /// Its name: the type of its resource, and the kind of a pointer to it.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::AgentSession => "agent_session",
            Kind::Attachment => "attachment",
            Kind::Comment => "comment",
            Kind::Cycle => "cycle",
            Kind::Document => "document",
            Kind::Emoji => "emoji",
            Kind::Intake => "intake",
            Kind::InitiativeProject => "initiative_project",
            Kind::Label => "label",
            Kind::Link => "link",
            Kind::Membership => "membership",
            Kind::Milestone => "milestone",
            Kind::Need => "need",
            Kind::Notices => "notices",
            Kind::Pipeline => "pipeline",
            Kind::ProjectRelation => "project_relation",
            Kind::ProjectUpdate => "project_update",
            Kind::Relation => "relation",
            Kind::Release => "release",
            Kind::ReleaseIssue => "release_issue",
            Kind::ReleaseNote => "release_note",
            Kind::ReleaseStage => "release_stage",
            Kind::RoadmapProject => "roadmap_project",
            Kind::Skill => "skill",
            Kind::State => "state",
            Kind::Template => "template",
            Kind::Triage => "triage",
            Kind::View => "view",
        }
    }

    /// The kind of that name.
    pub fn parse(name: &str) -> Option<Kind> {
        Kind::ALL.iter().copied().find(|kind| kind.name() == name)
    }
}

impl Target {
    /// Read a resource.
    /// Errors: `invalid_request` for another type, a query, or a name outside its grammar.
    pub fn read(resource: &Resource) -> Result<Target, Failure> {
        if resource.as_str().contains('?') {
            return Err(Failure::invalid("a resource of Linear takes no query"));
        }
        let id = resource.id().trim();
        let expected = |what: &str| Failure::invalid(what);
        match resource.kind() {
            "issue" => Name::issue(id).map(Target::Issue).ok_or_else(|| {
                expected("expected an identifier such as `ENG-12`, or an id, after `issue:`")
            }),
            "project" => Name::project(id).map(Target::Project).ok_or_else(|| {
                expected("expected the slug or the id of a project after `project:`")
            }),
            "team" => Name::team(id)
                .map(Target::Team)
                .ok_or_else(|| expected("expected a key such as `ENG`, or an id, after `team:`")),
            "workspace" if resource.as_str() == "workspace" => Ok(Target::Workspace),
            "workspace" => Err(expected("expected `workspace` alone")),
            kind => match Kind::parse(kind) {
                Some(kind) => Name::thing(id)
                    .map(|name| Target::Thing(kind, name))
                    .ok_or_else(|| expected("expected an id after the type of the resource")),
                None => Err(Failure::invalid(format!(
                    "expected a resource of type `team`, `issue`, `project` or `workspace`, found {}",
                    Quoted::new(kind)
                ))),
            },
        }
    }

    /// The type the resource has.
    pub fn type_name(&self) -> &'static str {
        match self {
            Target::Issue(_) => "issue",
            Target::Project(_) => "project",
            Target::Team(_) => "team",
            Target::Thing(kind, _) => kind.name(),
            Target::Workspace => "workspace",
        }
    }
}

impl Name {
    /// An id: `8-4-4-4-12` hex digits, in lower case.
    pub fn id(text: &str) -> Option<Name> {
        let groups: Vec<&str> = text.split('-').collect();
        let fits = groups.iter().map(|group| group.len()).eq([8, 4, 4, 4, 12])
            && groups
                .iter()
                .all(|group| group.bytes().all(|b| b.is_ascii_hexdigit()));
        fits.then(|| Name(text.to_ascii_lowercase().into()))
    }

    /// A team: an id, or a key of up to ten letters and digits, upper-cased.
    pub fn team(text: &str) -> Option<Name> {
        Name::id(text).or_else(|| {
            let key = upper(text);
            is_key(&key).then(|| Name(key.into()))
        })
    }

    /// An issue: an id, or a team's key and a number, upper-cased.
    pub fn issue(text: &str) -> Option<Name> {
        Name::id(text).or_else(|| {
            let text = upper(text);
            let (key, number) = text.split_once('-')?;
            let counts = (1..=9).contains(&number.len())
                && !number.starts_with('0')
                && number.bytes().all(|b| b.is_ascii_digit());
            (is_key(key) && counts).then(|| Name(text.as_str().into()))
        })
    }

    /// A project: an id, or a slug of up to 80 letters, digits and hyphens.
    pub fn project(text: &str) -> Option<Name> {
        Name::id(text).or_else(|| {
            let fits = (1..=80).contains(&text.len())
                && !text.starts_with('-')
                && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
            fits.then(|| Name(text.into()))
        })
    }

    /// Anything else: an id, or a slug of up to 64 letters, digits, hyphens and underscores.
    pub fn thing(text: &str) -> Option<Name> {
        Name::id(text).or_else(|| {
            let fits = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
            let plain = (1..=64).contains(&text.len())
                && text
                    .bytes()
                    .next()
                    .is_some_and(|b| b.is_ascii_alphanumeric())
                && text.bytes().all(fits);
            plain.then(|| Name(text.into()))
        })
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it is an id.
    pub fn is_id(&self) -> bool {
        Name::id(&self.0).is_some()
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Letter for letter: what grows when it is upper-cased stays as it is, and so fits no grammar.
fn upper(text: &str) -> String {
    text.to_ascii_uppercase()
}

fn is_key(text: &str) -> bool {
    (1..=10).contains(&text.len())
        && text.bytes().next().is_some_and(|b| b.is_ascii_uppercase())
        && text
            .bytes()
            .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use toolpass_core::codes::Code;

    const ID: &str = "9CFB482A-81E3-4154-B5B9-2C805E70A02D";

    fn read(text: &str) -> Result<Target, Failure> {
        Target::read(&Resource::parse(text).unwrap())
    }

    #[test]
    fn names_are_upper_cased_and_ids_lower_cased() {
        for (text, name) in [
            ("team:eng", "ENG"),
            ("team: Eng2 ", "ENG2"),
            ("issue:eng-12", "ENG-12"),
            ("project:Big-Plan-3a4b", "Big-Plan-3a4b"),
        ] {
            let (Target::Team(found) | Target::Issue(found) | Target::Project(found)) =
                read(text).unwrap()
            else {
                panic!("{text}")
            };
            assert_eq!(found.as_str(), name, "{text}");
        }
        for kind in ["team", "issue", "project", "comment"] {
            let target = read(&format!("{kind}:{ID}")).unwrap();
            let (Target::Team(found)
            | Target::Issue(found)
            | Target::Project(found)
            | Target::Thing(_, found)) = &target
            else {
                panic!("{kind}")
            };
            assert_eq!(found.as_str(), ID.to_ascii_lowercase());
            assert!(found.is_id());
            assert_eq!(target.type_name(), kind);
        }
        assert_eq!(read("workspace").unwrap(), Target::Workspace);
    }

    #[test]
    fn what_is_no_resource() {
        for bad in [
            "team:",
            "team:2a",
            "team:ABCDEFGHIJK",
            "team:e-ng",
            "team:straße",
            "team:é",
            "team:ENG?x=1",
            "issue:ENG",
            "issue:ENG-0",
            "issue:ENG-01",
            "issue:ENG-1234567890",
            "issue:ENG-1-2",
            "issue:-1",
            "project:",
            "project:-a",
            "project:a_b",
            "project:a/b",
            "workspace:",
            "workspace:x",
            "comment:",
            "comment:a b",
            "comment:../x",
            "repo:a/b",
            "issue:ENG-1\u{a0}x",
        ] {
            assert_eq!(read(bad).unwrap_err().code(), Code::InvalidRequest, "{bad}");
        }
    }

    #[test]
    fn kinds_read_back_and_are_sorted() {
        assert!(
            Kind::ALL
                .iter()
                .all(|kind| Kind::parse(kind.name()) == Some(*kind))
        );
        assert!(Kind::ALL.is_sorted_by(|before, after| before < after));
        assert_eq!(Kind::parse("team"), None);
    }

    proptest! {
        /// What a grammar takes needs no escaping anywhere, and is taken again as it is.
        #[test]
        fn names_are_plain_and_stable(text in "[ -~é]{0,90}") {
            for parse in [Name::team, Name::issue, Name::project, Name::thing] {
                if let Some(name) = parse(&text) {
                    prop_assert!(name.as_str().bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_'));
                    prop_assert_eq!(parse(name.as_str()), Some(name));
                }
            }
        }
    }
}
