//! A bounded set of fingerprints.
//!
//! Open addressing with linear probing over plain numbers: a fingerprint is already a keyed hash, so its low bits choose the
//! place. A million of them fit 16 MiB. INVARIANT: at most half of the slots are taken, so every search ends.

/// A set of fingerprints that never holds more than it may.
#[derive(Clone, Default)]
pub struct PrintSet {
    slots: Vec<u64>,
    len: usize,
}

/// A set had no room for a fingerprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full;

impl PrintSet {
    /// How many it holds.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The fingerprints, in no order.
    pub fn iter(&self) -> impl Iterator<Item = u64> {
        self.slots.iter().copied().filter(|slot| *slot != EMPTY)
    }

    /// Whether it holds `print`.
    #[inline]
    pub fn contains(&self, print: u64) -> bool {
        let print = taken(print);
        let mut at = print;
        loop {
            match self
                .slots
                .get(at as usize & self.slots.len().wrapping_sub(1))
            {
                Some(slot) if *slot == print => return true,
                Some(slot) if *slot != EMPTY => at = at.wrapping_add(1),
                _ => return false,
            }
        }
    }

    /// Add all of `prints`, up to `capacity` in total.
    /// Errors: [`Full`] when one more would not fit; those before it are in.
    pub fn extend(&mut self, prints: &[u64], capacity: usize) -> Result<(), Full> {
        let wanted = self.len.saturating_add(prints.len()).min(capacity);
        self.make_room(wanted);
        for print in prints {
            self.insert(taken(*print), capacity)?;
        }
        Ok(())
    }

    fn insert(&mut self, print: u64, capacity: usize) -> Result<(), Full> {
        let mask = self.slots.len().wrapping_sub(1);
        let mut at = print;
        loop {
            match self.slots.get_mut(at as usize & mask) {
                Some(slot) if *slot == print => return Ok(()),
                Some(slot) if *slot == EMPTY => {
                    if self.len >= capacity {
                        return Err(Full);
                    }
                    *slot = print;
                    self.len += 1;
                    return Ok(());
                }
                Some(_) => at = at.wrapping_add(1),
                None => return Err(Full),
            }
        }
    }

    /// Grow so that `wanted` take at most half of the slots.
    fn make_room(&mut self, wanted: usize) {
        let slots = (wanted * 2).next_power_of_two().max(SMALLEST);
        if wanted == 0 || slots <= self.slots.len() {
            return;
        }
        let before = std::mem::replace(&mut self.slots, vec![EMPTY; slots]);
        let mask = slots - 1;
        for print in before.into_iter().filter(|slot| *slot != EMPTY) {
            let mut at = print;
            while let Some(slot) = self.slots.get_mut(at as usize & mask) {
                if *slot == EMPTY {
                    *slot = print;
                    break;
                }
                at = at.wrapping_add(1);
            }
        }
    }
}

/// A fingerprint as it is kept: zero marks a free slot.
fn taken(print: u64) -> u64 {
    print.max(1)
}

const EMPTY: u64 = 0;
const SMALLEST: usize = 64;

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_million_fit_sixteen_mebibytes() {
        let mut set = PrintSet::default();
        let prints: Vec<u64> = (1..=1_000_000u64)
            .map(|n| n.wrapping_mul(0x9E37_79B9_7F4A_7C15))
            .collect();
        set.extend(&prints, 1_000_000).unwrap();
        assert_eq!(set.slots.len() * 8, 16 << 20);
        assert!(prints.iter().all(|print| set.contains(*print)));
        assert_eq!(set.extend(&[42], 1_000_000), Err(Full));
        assert_eq!(set.extend(&prints, 1_000_000), Ok(()));
        assert_eq!(set.len(), 1_000_000);
    }

    #[test]
    fn an_empty_set_holds_nothing() {
        let mut set = PrintSet::default();
        assert!(!set.contains(0) && set.is_empty());
        assert_eq!(set.extend(&[], 0), Ok(()));
        assert_eq!(set.extend(&[1], 0), Err(Full));
        assert!(!set.contains(1));
    }

    proptest! {
        #[test]
        fn it_is_a_set(parts in prop::collection::vec(prop::collection::vec(0u64..200, 0..40), 0..8), capacity in 1usize..200) {
            let (mut set, mut plain) = (PrintSet::default(), HashSet::new());
            for part in parts {
                if set.extend(&part, capacity).is_err() {
                    prop_assert_eq!(set.len(), capacity);
                    return Ok(());
                }
                plain.extend(part.into_iter().map(taken));
                prop_assert_eq!(set.len(), plain.len());
                prop_assert_eq!(set.iter().collect::<HashSet<_>>(), plain.clone());
                for print in 0..200 {
                    prop_assert_eq!(set.contains(print), plain.contains(&taken(print)));
                }
            }
        }
    }
}
