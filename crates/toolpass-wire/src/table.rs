//! A route table: the vendor's requests, one row each, and what each of them does.
//!
//! Rows are data. A vendor writes them with `toolpass_integration::routes!`; a user's own system can build the same rows at
//! run time, which is why texts are [`Cow`]. The compiled matcher is `matcher`.

use std::borrow::Cow;

use toolpass_core::effect::Effect;

use crate::extract::Extractor;

/// Text of a row: static in a vendor's table, owned in a user's.
pub type Text = Cow<'static, str>;

/// One row.
#[derive(Clone, Debug)]
pub struct Route {
    /// The HTTP method, upper case, or `*` for any.
    pub method: Text,
    /// The template: `/`-separated; `{name}` one segment, `{name+}` one or more to the end, `**` the same uncaptured.
    pub path: Text,
    /// The action; `None` needs no permission check (own identity, rate limit).
    pub action: Option<Text>,
    /// The resource as a template over path variables and extractor fields; `None` when the extractor gives it all.
    pub resource: Option<Text>,
    /// A written effect; `None` is the method's own.
    pub effect: Option<Effect>,
    /// Who reads what this request sends; `None` when it sends nothing out.
    pub sends_out: Option<Audience>,
    /// A written choice whether the response is untrusted; `None`: untrusted iff the effect is read.
    pub untrusted_output: Option<bool>,
    /// The answer hands out a credential or a secret.
    pub sensitive: bool,
    /// The listing follows what the agent's credential sees: only on the agent's own authority where reads are strict.
    pub agent_sight: bool,
    /// Only ever on the agent's own authority: as the user it is unresolved, for this reason.
    pub agent_only: Option<Text>,
    /// What reads fields, pairs or pointers out of the request.
    pub reads: Option<Extractor>,
    /// Why no single operation of the vendor's inventory stands behind this row; `None` when one does.
    pub no_operation: Option<Text>,
}

/// Who gets to read what a request sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// Anyone.
    Public,
    /// The members of the organization.
    Org,
    /// A closed circle.
    Internal,
    /// Whoever may read the resource it is sent to.
    Resource,
}

impl Audience {
    /// Every audience.
    pub const ALL: [Audience; 4] = [
        Audience::Public,
        Audience::Org,
        Audience::Internal,
        Audience::Resource,
    ];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Audience::Internal => "internal",
            Audience::Org => "org",
            Audience::Public => "public",
            Audience::Resource => "resource",
        }
    }
}

/// A request shape left out of the table on purpose.
#[derive(Clone, Debug)]
pub struct Unrouted {
    /// The HTTP method, or `*`.
    pub method: Text,
    /// The template.
    pub path: Text,
    /// Why, in words a stranger can judge.
    pub reason: Text,
}

/// The rows of one system, before they are compiled.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// The routes.
    pub routes: Vec<Route>,
    /// The shapes left out on purpose.
    pub unrouted: Vec<Unrouted>,
    /// Path prefixes of which every write operation must be routed or left out with a reason.
    pub claims: Vec<Text>,
    /// Prefixes of the table's own, cut off after a connection's (`/2.0`).
    pub prefixes: Vec<Text>,
    /// What this vendor's servers do with a path.
    pub quirks: Quirks,
}

/// Where a vendor's servers read a path or a body in their own way.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quirks {
    /// Literal segments compare without regard to case.
    pub literals_fold_case: bool,
    /// A `;` in a segment is an ordinary character for this vendor.
    pub allows_semicolon: bool,
    /// An operation runs whatever the HTTP method: what no row knows is a write, and so is a row without a written effect; a body that
    /// only its reader reads overrides nothing.
    pub ignores_method: bool,
    /// A body without a content type is read as JSON.
    pub untyped_body_is_json: bool,
}

impl Route {
    /// A row with the defaults that a table leaves unwritten.
    pub fn new(
        method: impl Into<Text>,
        path: impl Into<Text>,
        action: Option<Text>,
        resource: Option<Text>,
    ) -> Route {
        Route {
            method: method.into(),
            path: path.into(),
            action,
            resource,
            effect: None,
            sends_out: None,
            untrusted_output: None,
            sensitive: false,
            agent_sight: false,
            agent_only: None,
            reads: None,
            no_operation: None,
        }
    }

    /// Column `sends_out`: puts text where whoever may read the resource reads it.
    pub fn sends_out(self) -> Route {
        self.sends_to(Audience::Resource)
    }

    /// Column `sends_to(AUDIENCE)`: puts text where that audience reads it.
    pub fn sends_to(mut self, audience: Audience) -> Route {
        self.sends_out = Some(audience);
        self
    }

    /// Column `effect(EFFECT)`: another effect than the method's.
    pub fn effect(mut self, effect: Effect) -> Route {
        self.effect = Some(effect);
        self
    }

    /// Column `trusted`: a read whose answer is the vendor's own words.
    pub fn trusted(mut self) -> Route {
        self.untrusted_output = Some(false);
        self
    }

    /// Column `untrusted`: a write whose answer carries other people's text.
    pub fn untrusted(mut self) -> Route {
        self.untrusted_output = Some(true);
        self
    }

    /// Column `sensitive`: the answer hands out a credential or a secret.
    pub fn sensitive(mut self) -> Route {
        self.sensitive = true;
        self
    }

    /// Column `agent_sight`: a listing or search filtered by what the agent's credential sees.
    pub fn agent_sight(mut self) -> Route {
        self.agent_sight = true;
        self
    }

    /// Column `agent_only("why")`: acts on the agent's own account, so never on the user's authority.
    pub fn agent_only(mut self, why: &'static str) -> Route {
        self.agent_only = Some(why.into());
        self
    }

    /// Column `reads(READER)`: what is read out of the request.
    pub fn reads(mut self, reader: Extractor) -> Route {
        self.reads = Some(reader);
        self
    }

    /// Column `no_operation("why")`: stands for no single operation of the vendor's inventory.
    pub fn no_operation(mut self, why: &'static str) -> Route {
        self.no_operation = Some(why.into());
        self
    }

    /// The effect of a request with `method` on this row.
    pub fn effect_of(&self, method: &str) -> Effect {
        self.effect.unwrap_or_else(|| Effect::of_method(method))
    }
}
