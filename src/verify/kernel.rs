//! Two sparse bit sets → how many bits they share.

/// The number of bits that `flat` shares with the set whose words `bits` lie at `indices`.
pub(super) fn shared(flat: &[u64], indices: &[u32], bits: &[u64]) -> u64 {
    (indices.iter().zip(bits))
        .map(|(&index, &bits)| u64::from((flat[index as usize] & bits).count_ones()))
        .sum()
}
