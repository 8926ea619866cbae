//! From a resource that was touched to a pattern for the file: which of its parts come from the call's arguments.
//!
//! A resource's id is taken whole, or as the identifier before its first `@` and the branch after it. What an argument names as
//! a whole becomes a field at once. A single segment, a lone branch and a value of the query become one only when another run
//! with other values agrees ([`agree`]): one coincidence would let the model choose the resource ever after. Until then the
//! pattern is literal, and the fields are kept beside it as the candidate.
//! INVARIANT: a pattern made here covers the resource it was made of, in the call it was made from, and nothing that another
//! value of the arguments could widen.

use toolpass_core::email::StrictEmail;
use toolpass_core::resource::Resource;

use super::arguments::{Arguments, Given, text_of};
use super::model::Entitlement;
use super::pattern::{Openness, PatternError, ResourcePattern, push_literal};

/// What a resource becomes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Templated {
    pub(super) resource: ResourcePattern,
    pub(super) candidate: Option<ResourcePattern>,
}

/// A part of a resource that a field could stand for.
struct Part<'r> {
    /// What stands before it.
    lead: &'r str,
    text: &'r str,
    /// The field with its value, where an argument names the part.
    field: Option<String>,
    /// Whether the field stands at once.
    at_once: bool,
}

/// Find the arguments in a resource.
/// Errors: a text that is no resource, or that no pattern can say.
pub(super) fn templated(resource: &str, arguments: &Arguments) -> Result<Templated, PatternError> {
    let exact = ResourcePattern::exactly(resource)?;
    let parsed = Resource::parse(resource)?;
    let names = Names::of(arguments);
    let parts = parts(resource, &parsed, &names);
    let covering = |pick: fn(&Part<'_>) -> bool| {
        ResourcePattern::parse(&rendered(&parts, pick))
            .ok()
            .filter(|pattern| pattern.matches(resource, arguments))
    };
    let at_once = covering(|part| part.at_once).unwrap_or(exact);
    let candidate = covering(|_| true).filter(|candidate| *candidate != at_once);
    Ok(Templated {
        resource: at_once,
        candidate,
    })
}

/// The pattern on which a recorded entry and another run agree: where the values differ, both name the same argument.
pub(super) fn agree(entry: &Entitlement, other: &Templated) -> Option<Agreed> {
    let recorded = parts_of(&entry.resource)?;
    let before = parts_of(entry.candidate.as_ref()?)?;
    let touched = parts_of(&other.resource)?;
    let now = parts_of(other.candidate.as_ref().unwrap_or(&other.resource))?;
    let same_shape = |one: &[(&str, &str)]| {
        one.len() == recorded.len() && one.iter().zip(&recorded).all(|(one, own)| one.0 == own.0)
    };
    if ![&before, &touched, &now]
        .iter()
        .all(|parts| same_shape(parts))
    {
        return None;
    }
    let (mut resource, mut candidate) = (String::new(), String::new());
    let rows = recorded.iter().zip(&before).zip(touched.iter().zip(&now));
    for (((lead, recorded), (_, before)), ((_, touched), (_, now))) in rows {
        let both_name_it = before == now && is_field(before);
        let agreed = if recorded == touched {
            recorded
        } else if both_name_it {
            before
        } else {
            return None;
        };
        resource.extend([*lead, agreed]);
        candidate.extend([*lead, if both_name_it { before } else { agreed }]);
    }
    let resource = ResourcePattern::parse(&resource).ok()?;
    let candidate = ResourcePattern::parse(&candidate)
        .ok()
        .filter(|candidate| *candidate != resource);
    covers_recorded(&entry.resource, &resource).then_some(Agreed {
        resource,
        candidate,
    })
}

/// What two runs agree on.
pub(super) struct Agreed {
    pub(super) resource: ResourcePattern,
    pub(super) candidate: Option<ResourcePattern>,
}

/// Whether the new pattern covers what the old one said, for the arguments that name it.
fn covers_recorded(old: &ResourcePattern, new: &ResourcePattern) -> bool {
    let (Some(old), Some(parts)) = (parts_of(old), parts_of(new)) else {
        return false;
    };
    let mut resource = String::new();
    let mut arguments: Vec<(String, Given)> = Vec::new();
    for ((lead, old), (_, new)) in old.iter().zip(&parts) {
        let value = if is_field(old) { "x" } else { old };
        resource.extend([*lead, value]);
        if is_field(new)
            && let Some(name) = new.trim_matches(['{', '}']).split(':').next()
        {
            let given = Given::One(toolpass_core::template::Filled::Text(
                value.to_owned().into(),
            ));
            arguments.push((name.into(), given));
        }
    }
    new.matches(&resource, &arguments.into_iter().collect())
}

/// The parts of a pattern without wild parts, each with what stands before it.
fn parts_of(pattern: &ResourcePattern) -> Option<Vec<(&str, &str)>> {
    if pattern.openness() == Openness::Glob {
        return None;
    }
    Some(split(pattern.as_str()))
}

/// `type:`, then segments, the branch, and the values of the query, each with what stands before it.
fn split(text: &str) -> Vec<(&str, &str)> {
    let (head, query) = text.split_at(text.find('?').unwrap_or(text.len()));
    let id_at = head.find(':').map_or(head.len(), |colon| colon + 1);
    let branch_at = head
        .find('@')
        .filter(|at| *at >= id_at)
        .unwrap_or(head.len());
    let mut parts = Vec::new();
    let mut lead_at = 0;
    let mut push = |lead_at: usize, from: usize, to: usize| {
        let lead = text.get(lead_at..from).unwrap_or_default();
        parts.push((lead, text.get(from..to).unwrap_or_default()));
    };
    let ident = head.get(id_at..branch_at).unwrap_or_default();
    let mut from = id_at;
    for segment in ident.split('/') {
        push(lead_at, from, from + segment.len());
        lead_at = from + segment.len();
        from = lead_at + 1;
    }
    if branch_at < head.len() {
        push(lead_at, branch_at + 1, head.len());
    }
    let mut pair_at = head.len();
    for pair in query.split('&').filter(|_| !query.is_empty()) {
        let end = pair_at + pair.len();
        let value_at = pair.find('=').map_or(end, |equals| pair_at + equals + 1);
        // The `&` before a pair leads to it.
        push(pair_at - usize::from(pair_at > head.len()), value_at, end);
        pair_at = end + 1;
    }
    parts
}

fn parts<'r>(resource: &'r str, parsed: &Resource, names: &Names) -> Vec<Part<'r>> {
    let head_end = resource.find('?').unwrap_or(resource.len());
    let id_at = head_end - parsed.id().len();
    let split = split(resource);
    let plain = |(lead, text)| Part {
        lead,
        text,
        field: None,
        at_once: false,
    };
    let has_id = !parsed.id().is_empty();
    let ident_length = parsed.id().find('@').unwrap_or(parsed.id().len());
    let ident = parsed.id().get(..ident_length).unwrap_or_default();
    let whole = |length: usize, field| Part {
        lead: resource.get(..id_at).unwrap_or_default(),
        text: resource.get(id_at..id_at + length).unwrap_or_default(),
        field: Some(field),
        at_once: true,
    };
    let in_head = split
        .iter()
        .scan(0, |end, (lead, text)| {
            *end += lead.len() + text.len();
            Some(*end)
        })
        .take_while(|end| *end <= head_end)
        .count();
    let (head, query) = split.split_at(in_head.min(split.len()));
    let mut parts = Vec::new();
    if let Some(field) = names.whole(parsed.id()).filter(|_| has_id) {
        parts.push(whole(parsed.id().len(), field));
    } else if let Some(field) = names.whole(ident).filter(|_| has_id) {
        parts.push(whole(ident_length, field));
        if let [.., (_, branch)] = head
            && ident_length < parsed.id().len()
        {
            parts.push(Part {
                lead: "@",
                text: branch,
                field: names.whole(branch),
                at_once: true,
            });
        }
    } else {
        parts.extend(head.iter().copied().map(|(lead, text)| Part {
            field: if lead == "@" {
                names.whole(text)
            } else {
                names.segment(text)
            },
            ..plain((lead, text))
        }));
    }
    parts.extend(query.iter().copied().map(|(lead, text)| {
        let key = lead.trim_matches(['?', '&', '=']);
        Part {
            field: parsed.param(key).and_then(|value| names.value(value)),
            ..plain((lead, text))
        }
    }));
    parts
}

fn rendered(parts: &[Part<'_>], pick: fn(&Part<'_>) -> bool) -> String {
    let mut raw = String::new();
    let mut out = String::new();
    let mut has_query = false;
    // What lies between two fields is made literal in one go, so that a query's `?` is seen with its key.
    for part in parts {
        raw.push_str(part.lead);
        match part.field.as_ref().filter(|_| pick(part)) {
            Some(field) => {
                push_literal(&mut out, &raw, &mut has_query);
                raw.clear();
                out.push_str(field);
            }
            None => raw.push_str(part.text),
        }
    }
    push_literal(&mut out, &raw, &mut has_query);
    out
}

fn is_field(text: &str) -> bool {
    text.starts_with('{') && text.ends_with('}')
}

/// The texts of the arguments, longest first, then by name; single values before items of lists.
struct Names(Vec<(String, String)>);

impl Names {
    fn of(arguments: &Arguments) -> Names {
        let mut single = Vec::new();
        let mut items = Vec::new();
        for (name, given) in arguments.iter() {
            match given {
                Given::One(value) => single.push((text_of(value).into_owned(), name.to_owned())),
                Given::Many(values) => items.extend(
                    values
                        .iter()
                        .map(|value| (text_of(value).into_owned(), format!("{name}[]"))),
                ),
            }
        }
        single.sort_by(|one, other| (other.0.len(), &one.1).cmp(&(one.0.len(), &other.1)));
        single.extend(items);
        single.retain(|(text, _)| !text.is_empty());
        Names(single)
    }

    /// The field for a whole identifier or branch, with the kind its value needs.
    fn whole(&self, text: &str) -> Option<String> {
        let (_, name) = self.0.iter().find(|(value, _)| value == text)?;
        Some(if text.contains('@') && StrictEmail::parse(text).is_ok() {
            format!("{{{name}:email}}")
        } else if text.contains(' ') {
            format!("{{{name}:path}}")
        } else {
            format!("{{{name}}}")
        })
    }

    /// The field for one segment among others: an identifier of one piece, of an argument that is no list.
    fn segment(&self, text: &str) -> Option<String> {
        let is_piece = !text.contains(['/', ':']);
        self.value(text).filter(|_| is_piece)
    }

    /// The field for a value of the query.
    fn value(&self, text: &str) -> Option<String> {
        let single = |(value, name): &&(String, String)| value == text && !name.ends_with("[]");
        let (_, name) = self.0.iter().find(single)?;
        Some(format!("{{{name}}}"))
    }
}

#[cfg(test)]
mod tests;
