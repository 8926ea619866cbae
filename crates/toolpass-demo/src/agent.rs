//! One person's agent: a toolkit, the tools, and a session; the scripted client's calls run through it.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Map, Value};
use toolpass::tool::Tool;
use toolpass::toolkit::{CallError, Options, Toolkit};
use toolpass::{AuditEvent, Session};

use crate::error::Error;
use crate::house::House;
use crate::script::{Ending, Step};
use crate::world::Person;

/// Somebody's agent.
pub(crate) struct Agent {
    toolkit: Toolkit,
    tools: Vec<Tool>,
    session: Session,
    events: Arc<Mutex<Vec<AuditEvent>>>,
}

/// A call that is over.
pub(crate) struct Row {
    /// What was called.
    pub(crate) step: Step,
    /// What the model gets, as text.
    pub(crate) said: String,
    /// What happened.
    pub(crate) event: AuditEvent,
}

impl Agent {
    /// An agent that works for a person with these tools.
    pub(crate) fn new(
        house: &House,
        person: Person,
        tools: Vec<Tool>,
        options: Options,
    ) -> Result<Agent, Error> {
        let events = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&events);
        let audit = move |event: &AuditEvent| {
            let mut events = heard.lock().unwrap_or_else(PoisonError::into_inner);
            events.push(event.clone());
        };
        Ok(Agent {
            toolkit: house.toolkit(options, Arc::new(audit))?,
            tools,
            session: toolpass::session(person.email).map_err(Error::broken)?,
            events,
        })
    }

    /// The session.
    pub(crate) fn session(&self) -> &Session {
        &self.session
    }

    /// Make the calls of a new session from here on.
    pub(crate) fn begin_anew(&mut self, person: Person) -> Result<(), Error> {
        self.session = toolpass::session(person.email).map_err(Error::broken)?;
        Ok(())
    }

    /// Make one call of the script.
    pub(crate) async fn call(&self, step: Step) -> Result<Row, Error> {
        let tool = self.tools.iter().find(|tool| tool.name() == step.tool);
        let tool =
            tool.ok_or_else(|| Error::Broken(format!("there is no tool `{}`", step.tool)))?;
        let arguments = step.arguments.iter();
        let arguments: Map<String, Value> = arguments
            .map(|(name, value)| ((*name).to_owned(), Value::from(*value)))
            .collect();
        let said = match self.toolkit.call(tool, &self.session, arguments).await {
            Ok(Value::String(text)) => text,
            Ok(value) => value.to_string(),
            Err(error @ (CallError::Raised { .. } | CallError::Refused(_))) => error.to_string(),
        };
        let mut events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        let event = events.pop();
        let event = event.ok_or_else(|| Error::Broken("a call left no event".to_owned()))?;
        Ok(Row { step, said, event })
    }

    /// Tell the server what it was not told yet.
    pub(crate) async fn finish(&self) {
        self.toolkit.finish().await;
    }
}

impl Row {
    /// How it ended.
    pub(crate) fn ended(&self) -> &'static str {
        match self.event.code {
            Some(_) => "refused",
            None if self.event.outcome.as_str() == "ran" => "ok",
            None => "failed",
        }
    }

    /// Whether it ended as it must.
    pub(crate) fn is_as_scripted(&self) -> bool {
        let code = self
            .event
            .code
            .map(toolpass_core::codes::RefusalCode::as_str);
        match self.step.ends {
            Ending::Ok => self.ended() == "ok",
            Ending::Refused(expected) => code == Some(expected),
        }
    }

    /// The requests of its body, one line each.
    pub(crate) fn requests(&self) -> Vec<String> {
        let actions = self.event.actions.iter();
        actions
            .map(|seen| {
                let unnamed = || seen.note.map_or("?", |note| note.as_str());
                let action = seen.action.as_deref().unwrap_or_else(unnamed);
                let resource = seen.resource.as_deref();
                let on = resource.map(|on| format!(" on {on}")).unwrap_or_default();
                let agent = if seen.as_agent { ", as the agent" } else { "" };
                let ended = if seen.allowed { "allowed" } else { "refused" };
                format!("{action}{on}{agent}: {ended}")
            })
            .collect()
    }
}
