//! The trust gate: which effects are still open once outside text has reached the model.
//!
//! It does not look at words, so no paraphrase passes it. Separate from the comparison because it has its own code
//! (`untrusted_context`) and needs nothing but a flag and an effect.

use toolpass_core::effect::Effect;

/// What becomes of an effect after outside text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AfterUntrusted {
    /// It stays open; its arguments are compared.
    #[default]
    Check,
    /// It is closed.
    Refuse,
}

/// The toolkit's choice for every effect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gate {
    /// Of what changes nothing.
    pub read: AfterUntrusted,
    /// Of what changes something.
    pub write: AfterUntrusted,
    /// Of what cannot be undone.
    pub destructive: AfterUntrusted,
}

impl Gate {
    /// Whether something of `effect` may go on. The tool's own choice wins over the toolkit's. An effect nobody knows yet is
    /// left to the requests of the body, each of which has one; a tool's own `Refuse` closes it all the same.
    pub fn is_open(
        &self,
        saw_untrusted: bool,
        effect: Option<Effect>,
        of_tool: Option<AfterUntrusted>,
    ) -> bool {
        let of_effect = effect.map_or(AfterUntrusted::Check, |effect| match effect {
            Effect::Read => self.read,
            Effect::Write => self.write,
            Effect::Destructive => self.destructive,
        });
        !saw_untrusted || of_tool.unwrap_or(of_effect) == AfterUntrusted::Check
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gate_closes_what_was_chosen() {
        let gate = Gate {
            destructive: AfterUntrusted::Refuse,
            ..Gate::default()
        };
        let refuse = Some(AfterUntrusted::Refuse);
        let check = Some(AfterUntrusted::Check);
        for (saw, effect, of_tool, open) in [
            (true, Some(Effect::Destructive), None, false),
            (false, Some(Effect::Destructive), None, true),
            (true, Some(Effect::Write), None, true),
            (true, Some(Effect::Read), None, true),
            (true, None, None, true),
            (true, Some(Effect::Destructive), check, true),
            (true, Some(Effect::Read), refuse, false),
            (true, None, refuse, false),
            (false, None, refuse, true),
        ] {
            assert_eq!(
                gate.is_open(saw, effect, of_tool),
                open,
                "{saw} {effect:?} {of_tool:?}"
            );
        }
    }
}
