//! Content whose author is not to be believed.

use std::fmt;

/// Something that came from outside the engine. It has no `Display`, no `Deref` and no
/// serialisation, so it reaches a prompt through [`super::render`] or not at all.
#[derive(Clone, PartialEq, Eq)]
pub struct Untrusted<T>(T);

impl<T> Untrusted<T> {
    /// Marks `content` as untrusted.
    pub const fn new(content: T) -> Self {
        Self(content)
    }

    /// The content, to be stored, hashed, validated or handed to a program: never to be put into
    /// a prompt.
    pub const fn as_data(&self) -> &T {
        &self.0
    }

    /// The content itself; the same holds for it.
    pub fn into_data(self) -> T {
        self.0
    }
}

impl<T> fmt::Debug for Untrusted<T> {
    /// Does not show the content: a debug string ends in a prompt as easily as any other.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Untrusted(..)")
    }
}
