//! Finds near-duplicate files.
//!
//! ```text
//! paths ─walk→ entries ─load→ text ─feature→ hashes ─simhash→ fingerprint ─index→ pairs ─verify→ scored pairs ─group→ groups ─report→ bytes
//! ```
//!
//! Data flows one way, left to right; no stage knows a later one. [`scan`] alone knows them all.
//!
//! # Terms
//!
//! A **feature** is a hashed token or **shingle** (a run of adjacent tokens or characters) with a
//! **weight**. Every feature casts **votes**, one per bit; their signs are the document's 64-bit
//! **fingerprint** (`SimHash`; Charikar 2002, Manku, Jain and Das Sarma 2007). The **Hamming
//! distance** of two fingerprints is the number of bits in which they differ. The index cuts
//! fingerprints into **blocks** to find **candidates**; **verification** gives each its
//! **similarity** (weighted Jaccard) and **containment**. Two documents that are near enough are a
//! **pair**; a connected component of pairs is a **group**.

#![deny(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::exit,
    clippy::iter_over_hash_type
)]
#![cfg_attr(not(test), deny(clippy::unwrap_used))]

mod aligned;
pub mod anchor;
pub mod compare;
pub mod config;
pub mod cpu;
pub mod error;
pub mod feature;
pub mod fingerprints;
pub mod gate;
pub mod group;
pub mod index;
pub mod load;
pub mod names;
pub mod observe;
pub mod options;
pub mod record;
pub mod report;
pub mod scan;
pub mod simhash;
pub mod verify;
pub mod walk;
