//! Outside text inside a value that is no text: each leaf between short tags, or the whole as JSON in one block.
//!
//! The walk decides, the host rebuilds ([`Rebuild`]). Numbers, truth values and operational texts (ids, addresses, names of
//! states) stay as they are, so that programs and models can go on using them. Keys are made harmless. All tags of one value
//! share one id; a preamble says what they mean, in the first member of a mapping or the first item of anything else.
//! INVARIANT: whatever cannot be looked at in full is an error, not an unfenced value.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::budget::{Budget, TooLarge};
use crate::value::{Value, View};

use super::imitations::Imitations;
use super::plain::is_plain;
use toolpass_core::text::is_control;

use super::{About, Fenced, MAX_LABEL, Mode, block, neutralize, preamble};

/// What the host does for the walk. `self` is only the way to the host, except where said.
pub trait Rebuild: Value {
    /// What goes wrong in the host.
    type Error;

    /// What an object (a value whose view is [`View::Other`]) is as data.
    fn data(&self) -> Result<Data<Self>, Self::Error>;
    /// A text.
    fn text(&self, text: String) -> Result<Self, Self::Error>;
    /// A list.
    fn list(&self, items: Vec<Self>) -> Result<Self, Self::Error>;
    /// Other items in a list, tuple or set of the kind of `self`.
    fn with_items(&self, items: Vec<Self>) -> Result<Self, Self::Error>;
    /// A mapping.
    fn mapping(&self, members: Vec<(Self, Self)>) -> Result<Self, Self::Error>;
}

/// An object as data.
pub enum Data<V> {
    /// The fields of a dataclass or model.
    Members(Vec<(V, V)>),
    /// What the host writes for it: a date, a path, anything without fields.
    Text(String),
}

/// Which parts of a structured value are fenced, and how.
#[derive(Clone, Copy, Debug)]
pub struct Parts<'a> {
    /// Leaves, or whole parts as JSON.
    pub style: Style,
    /// Only what stands under one of these keys; everything when empty.
    pub fields: &'a [String],
}

/// How a structured value is fenced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// As JSON in one block; with fields, each of them as JSON between short tags.
    Json,
    /// Every text that is not operational between short tags.
    Leaves,
}

/// A value with its outside text fenced.
#[derive(Debug)]
pub struct Structured<V> {
    /// The value; the very same when nothing had to be changed.
    pub value: V,
    /// How many parts stand between tags.
    pub blocks: u64,
    /// As in [`Fenced`].
    pub frames: usize,
    /// As in [`Fenced`].
    pub forged: usize,
}

/// A value that could not be fenced, and so is not handed out.
#[derive(Debug, thiserror::Error)]
pub enum Unfenced<E> {
    /// The host failed.
    #[error("the host could not rebuild the result")]
    Host(E),
    /// More levels than are followed.
    #[error("the result is nested more than {MAX_LEVELS} levels deep")]
    TooDeep,
    /// More than is looked at.
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
}

/// Fence a value that is no text. `about.mode` counts for nothing here.
/// Errors: [`Unfenced`].
pub fn fence_structured<V: Rebuild>(
    value: V,
    parts: &Parts<'_>,
    about: &About<'_>,
) -> Result<Structured<V>, Unfenced<V::Error>> {
    let mut walk = Walk {
        parts,
        about,
        budget: Budget::of_result(),
        blocks: 0,
        frames: 0,
        forged: 0,
    };
    if parts.style == Style::Json && parts.fields.is_empty() {
        let mut json = String::new();
        walk.write_json(&value, &mut json, 0)?;
        let about = About {
            mode: Mode::Plain,
            ..*about
        };
        let Fenced {
            block,
            frames,
            forged,
        } = block(&json, &about, walk.forged);
        let value = value.text(block).map_err(Unfenced::Host)?;
        return Ok(Structured {
            value,
            blocks: 1,
            frames: frames.max(walk.frames),
            forged,
        });
    }
    let value = walk
        .rebuilt(&value, parts.fields.is_empty(), 0)?
        .unwrap_or(value);
    let value = if walk.blocks > 0 {
        walk.introduced(value).map_err(Unfenced::Host)?
    } else {
        value
    };
    Ok(Structured {
        value,
        blocks: walk.blocks,
        frames: walk.frames,
        forged: walk.forged,
    })
}

/// One walk through one value.
struct Walk<'a> {
    parts: &'a Parts<'a>,
    about: &'a About<'a>,
    budget: Budget,
    blocks: u64,
    frames: usize,
    forged: usize,
}

/// What comes of a part; `None` when it stays as it is.
type Changed<V> = Result<Option<V>, Unfenced<<V as Rebuild>::Error>>;

impl Walk<'_> {
    /// A part with its outside text fenced. `chosen`: it is to be fenced, not only made harmless.
    fn rebuilt<V: Rebuild>(&mut self, value: &V, chosen: bool, level: usize) -> Changed<V> {
        if level > MAX_LEVELS {
            return Err(Unfenced::TooDeep);
        }
        self.budget.take(0)?;
        let new = match value.view() {
            View::Bool(_) | View::Float(_) | View::Int(_) | View::None => return Ok(None),
            View::Bytes(bytes) => {
                return self.leaf(value, &String::from_utf8_lossy(&bytes), chosen);
            }
            View::Text(text) => return self.leaf(value, &text, chosen),
            View::List(items) | View::Tuple(items) | View::Set(items) | View::FrozenSet(items) => {
                let (items, changed) = self.items(items, chosen, level)?;
                changed.then(|| value.with_items(items))
            }
            View::Mapping(members) => {
                let (members, changed) = self.members(value, members, chosen, level)?;
                changed.then(|| value.mapping(members))
            }
            View::Other => match value.data().map_err(Unfenced::Host)? {
                Data::Text(text) => return self.leaf(value, &text, chosen),
                Data::Members(members) => {
                    Some(value.mapping(self.members(value, members, chosen, level)?.0))
                }
            },
        };
        new.transpose().map_err(Unfenced::Host)
    }

    fn leaf<V: Rebuild>(&mut self, host: &V, text: &str, chosen: bool) -> Changed<V> {
        self.budget.take(text.len())?;
        if is_plain(text) {
            return Ok(None);
        }
        let new = match (chosen, self.harmless(text)) {
            (false, Cow::Borrowed(_)) => return Ok(None),
            (false, Cow::Owned(harmless)) => harmless,
            (true, harmless) => self.tagged(&harmless),
        };
        host.text(new).map(Some).map_err(Unfenced::Host)
    }

    fn items<V: Rebuild>(
        &mut self,
        items: Vec<V>,
        chosen: bool,
        level: usize,
    ) -> Result<(Vec<V>, bool), Unfenced<V::Error>> {
        let mut changed = false;
        let mut out = Vec::with_capacity(items.len());
        for item in items {
            let new = self.rebuilt(&item, chosen, level + 1)?;
            changed |= new.is_some();
            out.push(new.unwrap_or(item));
        }
        Ok((out, changed))
    }

    fn members<V: Rebuild>(
        &mut self,
        host: &V,
        members: Vec<(V, V)>,
        chosen: bool,
        level: usize,
    ) -> Result<(Members<V>, bool), Unfenced<V::Error>> {
        let mut changed = false;
        let mut out = Vec::with_capacity(members.len());
        let mut taken = HashSet::from([PREAMBLE_KEY.to_owned()]);
        for (key, value) in members {
            let name = self.name(&key)?.map(|name| unique(name, &mut taken));
            let is_field = name
                .as_ref()
                .is_some_and(|name| self.parts.fields.contains(name));
            let new = match self.parts.style {
                Style::Json if is_field => Some(self.field(&value, level + 1)?),
                Style::Json | Style::Leaves => {
                    self.rebuilt(&value, chosen || is_field, level + 1)?
                }
            };
            let new_key = match name {
                Some(name) if !is_text(&key, &name) => {
                    Some(host.text(name).map_err(Unfenced::Host)?)
                }
                _ => None,
            };
            changed |= new.is_some() || new_key.is_some();
            out.push((new_key.unwrap_or(key), new.unwrap_or(value)));
        }
        Ok((out, changed))
    }

    /// A chosen field as JSON between short tags.
    fn field<V: Rebuild>(&mut self, value: &V, level: usize) -> Result<V, Unfenced<V::Error>> {
        let mut json = String::new();
        self.write_json(value, &mut json, level)?;
        value.text(self.tagged(&json)).map_err(Unfenced::Host)
    }

    /// The name of a key, made harmless; `None` for a number, which stays what it is.
    fn name<V: Rebuild>(&mut self, key: &V) -> Result<Option<String>, TooLarge> {
        let text = match key.view() {
            View::Bool(_) | View::Float(_) | View::Int(_) | View::None => return Ok(None),
            View::Text(text) => text.into_owned(),
            View::Bytes(_)
            | View::FrozenSet(_)
            | View::List(_)
            | View::Mapping(_)
            | View::Other
            | View::Set(_)
            | View::Tuple(_) => key.shown(MAX_LABEL.get()),
        };
        self.budget.take(text.len())?;
        self.harmless(&text); // counted here, written by `neutralize`
        Ok(Some(neutralize(&text, MAX_LABEL)))
    }

    /// A text without tags; what was found is counted.
    fn harmless<'t>(&mut self, text: &'t str) -> Cow<'t, str> {
        let found = Imitations::of(text, self.about.nested);
        self.frames += found.frames();
        self.forged += found.forged();
        found.replaced(text)
    }

    fn tagged(&mut self, text: &str) -> String {
        self.blocks += 1;
        format!(
            "{}{text}{}",
            self.about.id.opening(),
            self.about.id.closing()
        )
    }

    /// The value with its preamble.
    fn introduced<V: Rebuild>(&self, value: V) -> Result<V, V::Error> {
        let how = " Such tags stand around every text from outside in this value.";
        let said = value.text(preamble(self.about, self.forged, how))?;
        let (members, items) = match value.view() {
            View::Mapping(members) => (Some(members), Vec::new()),
            View::FrozenSet(items) | View::List(items) | View::Set(items) | View::Tuple(items) => {
                (None, items)
            }
            View::Bool(_)
            | View::Bytes(_)
            | View::Float(_)
            | View::Int(_)
            | View::None
            | View::Other
            | View::Text(_) => {
                return value.text(String::new())?.list(vec![said, value]);
            }
        };
        if let Some(members) = members {
            let key = value.text(PREAMBLE_KEY.into())?;
            return value.mapping(std::iter::once((key, said)).chain(members).collect());
        }
        value.list(std::iter::once(said).chain(items).collect())
    }

    /// A part as JSON; what JSON has no word for as a text. Forged tags are replaced before anything is escaped.
    fn write_json<V: Rebuild>(
        &mut self,
        value: &V,
        out: &mut String,
        level: usize,
    ) -> Result<(), Unfenced<V::Error>> {
        if level > MAX_LEVELS {
            return Err(Unfenced::TooDeep);
        }
        self.budget.take(0)?;
        match value.view() {
            View::Bool(truth) => out.push_str(if truth { "true" } else { "false" }),
            View::Float(number) if number.is_finite() => out.push_str(&number.to_string()),
            View::Float(number) => quoted(&number.to_string(), out),
            View::Int(digits) => out.push_str(&digits),
            View::None => out.push_str("null"),
            View::Bytes(bytes) => self.write_text(&String::from_utf8_lossy(&bytes), out)?,
            View::Text(text) => self.write_text(&text, out)?,
            View::List(items) | View::Tuple(items) | View::Set(items) | View::FrozenSet(items) => {
                out.push('[');
                for (nth, item) in items.iter().enumerate() {
                    out.push_str(if nth == 0 { "" } else { ", " });
                    self.write_json(item, out, level + 1)?;
                }
                out.push(']');
            }
            View::Mapping(members) => self.write_members(&members, out, level)?,
            View::Other => match value.data().map_err(Unfenced::Host)? {
                Data::Members(members) => self.write_members(&members, out, level)?,
                Data::Text(text) => self.write_text(&text, out)?,
            },
        }
        Ok(())
    }

    fn write_members<V: Rebuild>(
        &mut self,
        members: &[(V, V)],
        out: &mut String,
        level: usize,
    ) -> Result<(), Unfenced<V::Error>> {
        out.push('{');
        for (nth, (key, value)) in members.iter().enumerate() {
            out.push_str(if nth == 0 { "" } else { ", " });
            let name = self
                .name(key)?
                .unwrap_or_else(|| key.shown(MAX_LABEL.get()));
            quoted(&name, out);
            out.push_str(": ");
            self.write_json(value, out, level + 1)?;
        }
        out.push('}');
        Ok(())
    }

    fn write_text(&mut self, text: &str, out: &mut String) -> Result<(), TooLarge> {
        self.budget.take(text.len())?;
        quoted(&self.harmless(text), out);
        Ok(())
    }
}

fn is_text<V: Value>(value: &V, text: &str) -> bool {
    matches!(value.view(), View::Text(own) if own == text)
}

/// A name that is not taken yet, and is now.
fn unique(name: String, taken: &mut HashSet<String>) -> String {
    let free = (2..)
        .map(|nth| format!("{name} ({nth})"))
        .find(|other| !taken.contains(other));
    let name = if taken.contains(&name) {
        free.unwrap_or_default()
    } else {
        name
    };
    taken.insert(name.clone());
    name
}

/// A JSON string for a model to read: nothing is escaped that need not be.
fn quoted(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            c if is_control(c) => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
}

/// Members of a mapping.
type Members<V> = Vec<(V, V)>;

/// The key of the preamble in a mapping.
pub const PREAMBLE_KEY: &str = "_untrusted";
/// How deep a value is followed.
const MAX_LEVELS: usize = 20;
