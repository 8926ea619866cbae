//! One guarded call, from its first check to its audit event: what every tool call costs without a face around it.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use toolpass_core::clock::{Monotonic, Wall};
use toolpass_core::decision::Decision;
use toolpass_core::effect::Effect;
use toolpass_core::glob::Glob;
use toolpass_core::template::Template;
use toolpass_guard::arguments::Argument;
use toolpass_guard::budget::{Budget, TooLarge};
use toolpass_guard::call::{BodyEnd, Finished};
use toolpass_guard::hint::Hint;
use toolpass_guard::pipeline::{Begin, Next, begin};
use toolpass_guard::scope::{AskText, Host, PredicateId, ScopeRule, Verdict};
use toolpass_guard::session::{Memory, Session};
use toolpass_guard::settings::Settings;
use toolpass_guard::tool::{
    Authorize, Disclosure, Outside, Parameter, ParameterKind, Permission, Tool,
};
use toolpass_guard::value::{ClassId, Value, View};

/// A text, as a language's value.
#[derive(Clone, Copy)]
pub struct Text(&'static str);

impl Value for Text {
    fn view(&self) -> View<'_, Self> {
        View::Text(Cow::Borrowed(self.0))
    }

    fn type_name(&self) -> String {
        "str".into()
    }

    fn is_instance(&self, _: ClassId) -> bool {
        false
    }

    fn is_member(&self, _: ClassId) -> bool {
        false
    }

    fn shown(&self, max_chars: usize) -> String {
        self.0.chars().take(max_chars).collect()
    }

    fn texts(&self, budget: &mut Budget, found: &mut Vec<String>) -> Result<(), TooLarge> {
        budget.take(self.0.len())?;
        found.push(self.0.into());
        Ok(())
    }
}

/// An application without callables.
struct Nobody;

impl Host<Text> for Nobody {
    fn validate(&mut self, _: usize, _: &Text) -> Verdict {
        Verdict::Accept
    }

    fn holds(&mut self, _: PredicateId, _: &Text) -> bool {
        false
    }
}

impl AskText for Nobody {
    fn holds_text(&self, _: PredicateId, _: &str) -> bool {
        false
    }
}

/// What a call needs that is the same for all of them.
pub struct Bench {
    settings: Arc<Settings>,
    tool: Arc<Tool>,
    session: Session,
}

impl Bench {
    /// A tool with one argument and nothing declared, or with effect, scope and authorizer.
    /// Errors: a text that says which part is no good.
    pub fn new(declared: bool) -> Result<Bench, String> {
        let session = Session::new("dana@example.com", None, None, None, Memory::new([1; 16]))
            .map_err(|error| error.to_string())?;
        Ok(Bench {
            settings: Arc::default(),
            tool: Arc::new(tool(declared)?),
            session,
        })
    }

    /// One call whose body does nothing. `None` when a check refused it.
    pub fn call(&self) -> Option<Finished> {
        let arguments = [Argument {
            parameter: 0,
            value: Text("acme/gitops-shop"),
            is_default: false,
            handle: None,
        }];
        let input = Begin {
            settings: Arc::clone(&self.settings),
            tool: Arc::clone(&self.tool),
            session: Some(self.session.clone()),
            arguments: Ok(&arguments),
            parent: None,
            now: NOW,
            wall: Wall(Duration::from_secs(1)),
            unhooked: None,
        };
        let mut admission = begin(input, &mut Nobody);
        loop {
            admission = match admission.next() {
                (_, Next::Run(permit)) => {
                    return Some(permit.enter().finish(&BodyEnd::Returned, NOW));
                }
                (Some(mut asked), Next::Ask(_)) => {
                    asked.answer_decision(&Decision::allow("yes"), NOW);
                    asked
                }
                _ => return None,
            };
        }
    }
}

fn tool(declared: bool) -> Result<Tool, String> {
    let scope = Glob::compile("acme/gitops-*").map_err(|error| error.to_string())?;
    let resource = Template::parse("thing:{repo}").map_err(|error| error.to_string())?;
    let permission = Permission {
        connection: "demo".into(),
        action: "thing.read".into(),
        resource,
        fresh: false,
    };
    Ok(Tool {
        name: "open_pr".into(),
        effect: declared.then_some(Effect::Write),
        parameters: vec![Parameter {
            name: "repo".into(),
            kind: ParameterKind::Either,
            hint: Hint::Text,
            hint_shown: "str".into(),
            has_default: false,
            validated: false,
            scope: declared.then(|| ScopeRule::Globs(vec![scope])),
        }],
        resources: Vec::new(),
        limit: None,
        authorize: declared.then_some(Authorize::Permission(permission)),
        credential: None,
        untrusted_output: false,
        reads_private: false,
        sends_out: false,
        disclosure: Disclosure::default(),
        outside: Outside::default(),
    })
}

const NOW: Monotonic = Monotonic(Duration::from_secs(1));
