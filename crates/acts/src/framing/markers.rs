//! What only the engine can write into a prompt.

/// Opens each marker. No character has it as its normal form, in any form of normalisation.
pub(super) const OPEN: char = '\u{27E6}';
/// Closes each marker.
pub(super) const CLOSE: char = '\u{27E7}';
/// Stands before the name of who speaks.
pub(super) const SPEAKER: char = '\u{27D0}';

/// The characters that no body keeps.
pub(super) const RESERVED: [char; 3] = [OPEN, CLOSE, SPEAKER];

/// The first word of each marker.
pub(super) const TAG: &str = "tertulia";
/// Second word: opens the block and tells who speaks.
pub(super) const SPEAKS: &str = "speaker";
/// Second word: what the author of a part says about it.
pub(super) const ABOUT: &str = "about";
/// Second word: closes the block.
pub(super) const END: &str = "end";
