//! Whose word an argument rests on, in a session that was told what the person asked.
//!
//! Comparing words finds what outside text says again; it cannot see what was reworded, decoded or put together. Here the
//! question is asked the other way round: who named this value? The person did ([`Sources::say`]), or a tool of the
//! application's own, or a record of outside data that the person named. Nothing else says where something goes. Separate from
//! [`super::record`], which knows no arguments by their meaning; pure, like it.
//! INVARIANT: values are compared to the letter (case apart), so no disguise of a value that nobody named is a value somebody
//! named. More of the person's words never refuses more; more outside text never allows more, unless it is what the person's
//! own words looked up.
//! SOURCE: FIDES (arXiv 2505.23643) and CaMeL (arXiv 2503.18813), read 2026-11-30: consequential values come from trusted data.

mod chunks;
mod sources;

use toolpass_core::effect::Effect;

use crate::hint::Hint;
use crate::tool::{Inputs, Tool};

use super::GivenTexts;
pub(crate) use sources::Gave;
pub use sources::Sources;

/// Which of the rules hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Where something goes is named by somebody the person can trust.
    pub destinations: bool,
    /// So is where a read goes, or it stands in what the person looked up.
    pub fetches: bool,
    /// So are the links and addresses in what is sent.
    pub links: bool,
    /// What cannot be undone is not done to what outside text calls by its name. A tool that says where something goes is held
    /// by that instead.
    pub objects: bool,
}

/// What an argument does that nobody named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unnamed {
    /// It says where something goes.
    Destination,
    /// It says what a read fetches.
    Fetch,
    /// It carries a link or an address.
    Link,
    /// It says what is destroyed.
    Object,
}

/// An argument that rests on nobody's word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    /// Its place.
    pub(crate) parameter: usize,
    /// What it does.
    pub(crate) unnamed: Unnamed,
}

impl Rules {
    /// Whether any of them holds.
    pub fn some(self) -> bool {
        self != Rules::NONE
    }

    /// None of them.
    pub const NONE: Rules = Rules {
        destinations: false,
        fetches: false,
        links: false,
        objects: false,
    };
}

impl Default for Rules {
    fn default() -> Rules {
        Rules {
            destinations: true,
            fetches: true,
            links: true,
            objects: true,
        }
    }
}

/// The first argument of a call that rests on nobody's word.
pub(crate) fn of_call(
    sources: &Sources,
    rules: Rules,
    tool: &Tool,
    effect: Option<Effect>,
    given: &[GivenTexts],
) -> Option<Finding> {
    let reads = effect == Some(Effect::Read) && !tool.sends_out;
    let sends_somewhere = (0..tool.parameters.len()).any(|place| tool.is_destination(place));
    let one = |argument: &GivenTexts| {
        let place = argument.parameter;
        let unnamed = if tool.is_destination(place) && !reads {
            let is_held = rules.destinations && tool.inputs_of(place) == Inputs::Check;
            let is_fine = |part: &str| sources.is_endorsed(part);
            (is_held && !is_named(sources, tool, given, argument, is_fine))
                .then_some(Unnamed::Destination)
        } else if reads && tool.is_fetched(place) {
            let is_held = rules.fetches && !tool.waives(place);
            (is_held && !is_fetchable(sources, tool, argument)).then_some(Unnamed::Fetch)
        } else if tool.inputs_of(place) == Inputs::Ignore {
            None
        } else if rules.links && tool.sends_out && carries_links(sources, argument) {
            Some(Unnamed::Link)
        } else if rules.objects && effect == Some(Effect::Destructive) && !sends_somewhere {
            is_called_by_name(sources, tool, argument).then_some(Unnamed::Object)
        } else {
            None
        };
        unnamed.map(|unnamed| Finding {
            parameter: place,
            unnamed,
        })
    };
    given
        .iter()
        .filter(|argument| !argument.is_default && !argument.is_handle)
        .find_map(one)
}

/// Whether everybody a call reaches was named. One that a declared destination was left out of reaches whom its developer
/// chose; of a tool whose destinations were only guessed by their names, one must be given.
pub(crate) fn reaches_only_named(sources: &Sources, tool: &Tool, given: &[GivenTexts]) -> bool {
    let mut destinations = given
        .iter()
        .filter(|argument| !argument.is_default && tool.is_destination(argument.parameter))
        .peekable();
    let has_some = match &tool.outside.destinations {
        Some(declared) => !declared.is_empty(),
        None => destinations
            .peek()
            .is_some_and(|argument| !argument.texts.is_empty()),
    };
    // An endorsed value is fine to send to, and yet somebody outside may have chosen it.
    has_some && destinations.all(|argument| is_named(sources, tool, given, argument, |_| false))
}

/// Whether the person's words, and nothing else, are the arguments of a call: what it gives back was looked up by them.
pub(crate) fn is_looked_up(sources: &Sources, given: &[GivenTexts]) -> bool {
    let mut texts = texts_of(given).filter(|text| !chunks::is_figure(text));
    let mut some = false;
    let all = texts.all(|text| {
        some = true;
        sources.said(text)
    });
    some && all
}

/// Whether somebody whose word counts named every place in an argument that is not fine anyway.
fn is_named(
    sources: &Sources,
    tool: &Tool,
    given: &[GivenTexts],
    argument: &GivenTexts,
    is_fine: impl Fn(&str) -> bool,
) -> bool {
    let mut parts = argument.texts.iter().flat_map(|text| chunks::parts(text));
    parts.all(|part| {
        is_fine(part)
            || sources.names(part)
            || is_declared(tool, part)
            || (sources.stands_in_looked_up(part) && is_a_detail(sources, given, argument))
    })
}

/// Whether an argument is the one detail of a call that is otherwise in the person's words: "invite Dora, her address is on
/// her page". Such a call carries nothing but what they said and what stood there.
fn is_a_detail(sources: &Sources, given: &[GivenTexts], argument: &GivenTexts) -> bool {
    let others = given
        .iter()
        .filter(|other| other.parameter != argument.parameter);
    let mut some = false;
    let all = others.filter(|other| !other.is_default).all(|other| {
        other.texts.iter().all(|text| {
            some |= !chunks::is_figure(text);
            sources.said(text)
        })
    });
    some && all && argument.texts.len() == 1
}

/// Whether a read may go there: somebody named it, or it stands in what the person looked up with another tool. What a tool
/// fetched never says where it goes next.
fn is_fetchable(sources: &Sources, tool: &Tool, argument: &GivenTexts) -> bool {
    let mut parts = argument.texts.iter().flat_map(|text| chunks::parts(text));
    parts.all(|part| {
        sources.names(part)
            || sources.is_endorsed(part)
            || is_declared(tool, part)
            || sources.stands_in_looked_up_elsewhere(part, &tool.name)
    })
}

/// Whether an argument carries a link or an address that nobody named and that stands in nothing the person looked up.
fn carries_links(sources: &Sources, argument: &GivenTexts) -> bool {
    argument.texts.iter().any(|text| {
        let mut found = false;
        chunks::each_link(text, &mut |link| {
            found |= !sources.gave(link)
                && !sources.is_endorsed(link)
                && !sources.stands_in_looked_up(link);
        });
        found
    })
}

/// Whether outside text calls an argument by its name. What a developer listed says nothing of what is destroyed.
fn is_called_by_name(sources: &Sources, tool: &Tool, argument: &GivenTexts) -> bool {
    let parameter = tool.parameters.get(argument.parameter);
    if parameter.is_some_and(|parameter| matches!(parameter.hint, Hint::Literal(_))) {
        return false;
    }
    argument.texts.iter().any(|text| {
        !chunks::is_date(text)
            && sources.is_mentioned(text)
            && !sources.said(text)
            && !sources.is_endorsed(text)
            && !is_declared(tool, text)
    })
}

fn is_declared(tool: &Tool, text: &str) -> bool {
    let mut declared = tool.outside.declared.iter();
    declared.any(|declared| declared == text)
}

fn texts_of(given: &[GivenTexts]) -> impl Iterator<Item = &str> {
    given
        .iter()
        .filter(|argument| !argument.is_default)
        .flat_map(|argument| argument.texts.iter().map(String::as_str))
}

#[cfg(test)]
mod tests;
