//! What one hop says, read strictly and written plainly.
//!
//! Every claim of this form is required but `groups` and, at the root, `prv`; a claim that is not of this form is an error, so
//! nothing that a newer writer meant as a restriction is passed over by an older reader.

use serde_json::{Map, Value, json};

use crate::key::Thumbprint;
use crate::members::{Members, Odd};

/// One hop.
#[derive(Clone, Debug, PartialEq)]
pub struct Claims {
    /// Who signed: the root's issuer, or the thumbprint of the key the parent was bound to.
    pub issuer: String,
    /// The person it is all for.
    pub subject: String,
    /// Their conversation.
    pub session: String,
    /// Who may accept it.
    pub audience: Vec<String>,
    /// From when, in seconds since 1970.
    pub issued: u64,
    /// Until when, in seconds since 1970.
    pub expires: u64,
    /// What this hop is called, to revoke it.
    pub id: String,
    /// The key whose owner may use it.
    pub holder: Thumbprint,
    /// The digest of the parent; nothing at the root.
    pub parent: Option<String>,
    /// Counted from the root, which is 0.
    pub hop: u64,
    /// How many hops may follow.
    pub depth_left: u64,
    /// The agent it is given to.
    pub agent: Agent,
    /// The person's groups, as the root's issuer verified them.
    pub groups: Option<Vec<String>>,
    /// What the conversation had seen.
    pub taint: Taint,
    /// What this hop adds. Each is an object of `authorization_details` without its `type`.
    pub caveats: Vec<Map<String, Value>>,
}

/// An agent on the chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agent {
    /// Its identity.
    pub id: String,
    /// What it is called. Anybody can write it.
    pub name: String,
}

/// What a conversation has seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Taint {
    /// Text from outside.
    pub untrusted: bool,
    /// Private data.
    pub private: bool,
}

impl Taint {
    /// Whether it remembers all that `other` does.
    pub fn covers(self, other: Taint) -> bool {
        self.untrusted >= other.untrusted && self.private >= other.private
    }

    /// Both.
    pub fn and(self, other: Taint) -> Taint {
        Taint {
            untrusted: self.untrusted || other.untrusted,
            private: self.private || other.private,
        }
    }
}

impl Claims {
    pub(crate) fn read(claims: Map<String, Value>) -> Result<Claims, Odd> {
        let mut members = Members::of(claims);
        let mut confirmation = members.object("cnf")?;
        let mut agent = members.object("agent")?;
        let mut taint = members.object("taint")?;
        let claims = Claims {
            issuer: members.text("iss")?,
            subject: members.text("sub")?,
            session: members.text("sid")?,
            audience: members.texts("aud")?,
            issued: members.number("iat")?,
            expires: members.number("exp")?,
            id: members.text("jti")?,
            holder: Thumbprint::parse(&confirmation.text("jkt")?).map_err(|_| Odd)?,
            parent: optional(&mut members, "prv", Members::text)?,
            hop: members.number("hop")?,
            depth_left: members.number("depth_left")?,
            agent: Agent {
                id: agent.text("id")?,
                name: agent.text("name")?,
            },
            groups: optional(&mut members, "groups", Members::texts)?,
            taint: Taint {
                untrusted: taint.flag("untrusted")?,
                private: taint.flag("private")?,
            },
            caveats: caveats(members.objects("authorization_details")?)?,
        };
        for rest in [confirmation, agent, taint, members] {
            rest.end()?;
        }
        Ok(claims)
    }

    pub(crate) fn write(&self) -> Value {
        let details: Vec<Value> = self
            .caveats
            .iter()
            .map(|caveat| {
                let mut detail = caveat.clone();
                detail.insert("type".into(), DETAIL.into());
                Value::Object(detail)
            })
            .collect();
        let mut claims = json!({
            "iss": self.issuer,
            "sub": self.subject,
            "sid": self.session,
            "aud": self.audience,
            "iat": self.issued,
            "exp": self.expires,
            "jti": self.id,
            "cnf": {"jkt": self.holder.as_str()},
            "hop": self.hop,
            "depth_left": self.depth_left,
            "agent": {"id": self.agent.id, "name": self.agent.name},
            "taint": {"untrusted": self.taint.untrusted, "private": self.taint.private},
            "authorization_details": details,
        });
        if let Some(members) = claims.as_object_mut() {
            if let Some(parent) = &self.parent {
                members.insert("prv".into(), parent.as_str().into());
            }
            if let Some(groups) = &self.groups {
                members.insert("groups".into(), groups.clone().into());
            }
        }
        claims
    }
}

fn optional<T>(
    members: &mut Members,
    name: &str,
    take: impl FnOnce(&mut Members, &str) -> Result<T, Odd>,
) -> Result<Option<T>, Odd> {
    members.has(name).then(|| take(members, name)).transpose()
}

fn caveats(details: Vec<Map<String, Value>>) -> Result<Vec<Map<String, Value>>, Odd> {
    details
        .into_iter()
        .map(|mut detail| match detail.remove("type") {
            Some(Value::String(kind)) if kind == DETAIL => Ok(detail),
            _ => Err(Odd),
        })
        .collect()
}

/// The type of our objects in `authorization_details` (RFC 9396).
const DETAIL: &str = "toolpass_authority";
