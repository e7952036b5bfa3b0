//! Keys → numbers, in the order in which the keys are first met.
//!
//! The keys lie in a list, by number. An open-addressed table with linear probing, at most half
//! full, holds the numbers: four bytes a slot, so that it stays in the caches. Its slot function is
//! multiply-shift with a random odd factor (Dietzfelbinger and others 1997), so that no document
//! can be made to collide; the numbers never show the factor.

use std::hash::{BuildHasher, RandomState};

/// Bytes that a key costs at most: itself, and its slots in a table that is a quarter full.
pub(super) const KEY_BYTES: usize = 8 + 4 * size_of::<u32>();

/// Some keys, numbered.
#[derive(Debug)]
pub(super) struct Numbering {
    keys: Vec<u64>,
    /// At least `1 << bits`; those beyond are left from earlier, and free. A number plus one, or 0.
    slots: Vec<u32>,
    bits: u32,
    factor: u64,
}

impl Default for Numbering {
    fn default() -> Self {
        Self {
            keys: Vec::new(),
            slots: vec![0; 2],
            bits: 1,
            factor: RandomState::new().hash_one(0_u64) | 1,
        }
    }
}

impl Numbering {
    /// Forgets all keys, keeps the memory, and makes room for about so many keys.
    pub(super) fn clear(&mut self, expected: usize) {
        self.keys.clear();
        self.slots[..1 << self.bits].fill(0);
        self.bits = (2 * expected).next_power_of_two().trailing_zeros().max(1);
        self.make_slots();
    }

    /// The keys by number, and 0 for each [`spare`](Self::spare) number.
    pub(super) fn keys(&self) -> &[u64] {
        &self.keys
    }

    /// The number of a key; the next free one if it is new.
    #[inline]
    pub(super) fn number(&mut self, key: u64) -> u32 {
        let mask = (1 << self.bits) - 1;
        let mut place = self.place(key);
        loop {
            let slot = &mut self.slots[place & mask];
            if *slot == 0 {
                let number = self.keys.len() as u32;
                *slot = number + 1;
                self.keys.push(key);
                if self.keys.len() * 2 > mask {
                    self.grow();
                }
                return number;
            }
            if self.keys[*slot as usize - 1] == key {
                return *slot - 1;
            }
            place += 1;
        }
    }

    /// The next free number, which no key has.
    pub(super) fn spare(&mut self) -> u32 {
        self.keys.push(0);
        self.keys.len() as u32 - 1
    }

    /// Where the search for a key begins.
    #[inline]
    fn place(&self, key: u64) -> usize {
        (key.wrapping_mul(self.factor) >> (64 - self.bits)) as usize
    }

    fn make_slots(&mut self) {
        let len = 1 << self.bits;
        if self.slots.len() < len {
            self.slots.resize(len, 0);
        }
    }

    /// Quadruples the table.
    #[cold]
    fn grow(&mut self) {
        let old = self.slots[..1 << self.bits].to_vec();
        self.slots[..1 << self.bits].fill(0);
        self.bits += 2;
        self.make_slots();
        let mask = (1 << self.bits) - 1;
        for slot in old.into_iter().filter(|&slot| slot != 0) {
            let mut place = self.place(self.keys[slot as usize - 1]);
            while self.slots[place & mask] != 0 {
                place += 1;
            }
            self.slots[place & mask] = slot;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_are_given_in_the_order_of_first_meetings(
            rounds in prop::collection::vec(prop::collection::vec(0..6_000_u64, 0..9_000), 1..4),
            expected in prop::sample::select(vec![0, 1, 100, 10_000]),
        ) {
            let mut numbering = Numbering::default();
            for keys in rounds {
                numbering.clear(expected);
                let mut plain = HashMap::new();
                let mut next = 0;
                for key in keys {
                    if key % 100 == 0 {
                        prop_assert_eq!(numbering.spare(), next);
                        next += 1;
                    }
                    let number = *plain.entry(key).or_insert(next);
                    next += u32::from(number == next);
                    prop_assert_eq!(numbering.number(key), number);
                    prop_assert_eq!(numbering.keys()[number as usize], key);
                }
            }
        }
    }
}
