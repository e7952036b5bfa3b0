//! Buffers that begin on a cache line: a vector that lies in two lines costs twice.

use std::ops::{Deref, DerefMut};

/// Bytes in a cache line, and in the widest vector.
pub(crate) const LINE: usize = 64;

/// A value that begins on a cache line.
#[repr(align(64))]
pub(crate) struct Aligned<T>(pub(crate) T);

impl<T> Deref for Aligned<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for Aligned<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

/// A buffer of bytes that begins on a cache line.
pub(crate) struct AlignedBytes {
    store: Vec<u8>,
    start: usize,
    len: usize,
}

impl AlignedBytes {
    /// So many zeros.
    pub(crate) fn new(len: usize) -> Self {
        if len == 0 {
            let store = Vec::new();
            return Self {
                store,
                start: 0,
                len,
            };
        }
        let store = vec![0; len + LINE - 1];
        // Where nothing can be known of the address, any start will do.
        let start = store.as_ptr().align_offset(LINE).min(LINE - 1);
        Self { store, start, len }
    }

    /// Adds zeros up to this length, if it is shorter.
    pub(crate) fn grow(&mut self, len: usize) {
        if len <= self.len {
            return;
        }
        let mut longer = Self::new(len);
        longer[..self.len].copy_from_slice(self);
        *self = longer;
    }

    /// Bytes that it takes.
    pub(crate) fn memory_usage(&self) -> usize {
        self.store.capacity()
    }
}

impl Deref for AlignedBytes {
    type Target = [u8];

    #[inline(always)]
    fn deref(&self) -> &[u8] {
        &self.store[self.start..self.start + self.len]
    }
}

impl DerefMut for AlignedBytes {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.store[self.start..self.start + self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_begin_on_a_line_and_stay_when_they_grow() {
        let mut bytes = AlignedBytes::new(0);
        for len in [1, 63, 64, 1_000, 100_000] {
            let before = bytes.to_vec();
            bytes.grow(len);
            bytes.grow(1);
            assert!(bytes.as_ptr().addr().is_multiple_of(LINE));
            assert_eq!(bytes[..before.len()], before);
            assert_eq!(bytes[before.len()..], vec![0; len - before.len()]);
            bytes.fill(len as u8);
        }
    }
}
