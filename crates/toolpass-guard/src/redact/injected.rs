//! Every secret that bodies were given so far, for as long as the process can remember.
//!
//! A tool may echo what an earlier tool was given; so results, errors, reasons and events are redacted for all of them. Secrets
//! come one by one (a token for each user, one more each hour), so they are kept in sets that are joined as they grow: a new
//! secret makes one small automaton, not all of them anew, and a text is put to a number of automatons that grows slowly.
//! What is older than `MAX_SECRETS` secrets is forgotten.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, PoisonError};

use toolpass_core::secret::Secret;

use super::{MIN_BYTES, Secrets, Set};

/// The secrets so far.
#[derive(Default)]
pub struct Injected {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Keyed hashes of what is known, with the secrets that have one.
    known: HashMap<u64, Vec<Secret>>,
    hasher: RandomState,
    all: Secrets,
}

impl Injected {
    /// Add secrets that a body is about to be given. Answers all so far, these included.
    pub fn add<'s>(&self, secrets: impl IntoIterator<Item = &'s Secret>) -> Secrets {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let new: Vec<Secret> = secrets
            .into_iter()
            .filter(|secret| state.is_new(secret))
            .cloned()
            .collect();
        if !new.is_empty() {
            state.join(new);
        }
        state.all.clone()
    }

    /// All so far.
    pub fn all(&self) -> Secrets {
        self.state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .all
            .clone()
    }
}

impl State {
    /// Whether a secret is to be looked for and was not known. It is now.
    fn is_new(&mut self, secret: &Secret) -> bool {
        if secret.expose().len() < MIN_BYTES {
            return false;
        }
        let alike = self
            .known
            .entry(self.hasher.hash_one(secret.expose()))
            .or_default();
        let new = !alike.iter().any(|known| known.matches(secret.expose()));
        if new {
            alike.push(secret.clone());
        }
        new
    }

    /// Add a set; join it with the last ones while they are no larger, as long as together they are small.
    fn join(&mut self, mut secrets: Vec<Secret>) {
        let mut sets = self.all.sets.to_vec();
        while let Some(last) = sets.pop_if(|last| {
            last.secrets.len() <= secrets.len() && are_small(&last.secrets, &secrets)
        }) {
            secrets.splice(0..0, last.secrets.iter().cloned());
        }
        sets.push(Arc::new(Set::new(secrets)));
        let count = |sets: &[Arc<Set>]| sets.iter().map(|set| set.secrets.len()).sum::<usize>();
        while sets.len() > 1 && count(&sets) > MAX_SECRETS {
            for forgotten in &sets.remove(0).secrets {
                self.known.remove(&self.hasher.hash_one(forgotten.expose()));
            }
        }
        self.all = Secrets { sets: sets.into() };
    }
}

fn are_small(one: &[Secret], other: &[Secret]) -> bool {
    let bytes: usize = one
        .iter()
        .chain(other)
        .map(|secret| secret.expose().len())
        .sum();
    one.len() + other.len() <= MAX_JOINED && bytes <= MAX_JOINED_BYTES
}

/// How many secrets are remembered.
const MAX_SECRETS: usize = 1024;
/// How many secrets are looked for by one automaton, and how long they are together.
const MAX_JOINED: usize = 64;
const MAX_JOINED_BYTES: usize = 8 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    fn secret(nth: usize) -> Secret {
        Secret::new(format!("secret-number-{nth:06}-xyz"))
    }

    #[test]
    fn an_earlier_secret_is_redacted_later() {
        let injected = Injected::default();
        assert!(injected.all().is_empty());
        injected.add(&[secret(1)]);
        let all = injected.add(&[secret(2), Secret::new("short")]);
        let text = "a secret-number-000001-xyz b secret-number-000002-xyz short";
        assert_eq!(all.redact(text), "a [REDACTED] b [REDACTED] short");
        assert!(Arc::ptr_eq(&injected.add(&[secret(1)]).sets, &all.sets));
    }

    #[test]
    fn what_was_forgotten_meanwhile_is_kept_by_whoever_still_has_it() {
        let injected = Injected::default();
        let before = injected.add(&[secret(1)]);
        let both = before.and(&injected.add(&[secret(2)]));
        assert_eq!(
            both.redact("secret-number-000001-xyz secret-number-000002-xyz"),
            "[REDACTED] [REDACTED]"
        );
        assert!(Arc::ptr_eq(&both.and(&before).sets, &both.sets));
        assert!(Arc::ptr_eq(&Secrets::default().and(&both).sets, &both.sets));
    }

    #[test]
    fn sets_are_few_and_the_oldest_is_forgotten() {
        let injected = Injected::default();
        for nth in 0..3000 {
            injected.add(&[secret(nth)]);
        }
        let all = injected.all();
        let count: usize = all.sets.iter().map(|set| set.secrets.len()).sum();
        assert!(count <= MAX_SECRETS && count > MAX_SECRETS / 2, "{count}");
        assert!(
            all.sets.len() <= MAX_SECRETS / MAX_JOINED + 7,
            "{}",
            all.sets.len()
        );
        let holds = |nth| {
            all_of(&injected)
                .iter()
                .any(|known| known.matches(secret(nth).expose()))
        };
        assert!(holds(2999) && !holds(0));
        injected.add(&[secret(0)]);
        assert!(holds(0));
    }

    fn all_of(injected: &Injected) -> Vec<Secret> {
        injected
            .all()
            .sets
            .iter()
            .flat_map(|set| set.secrets.clone())
            .collect()
    }
}
