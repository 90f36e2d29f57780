//! A spinner while something lasts.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use super::line;

/// A spinner that goes away when it is dropped.
pub(crate) struct Spinner {
    bar: ProgressBar,
}

impl Spinner {
    pub(super) fn new(shown: bool, text: &str) -> Self {
        let bar = if shown {
            ProgressBar::new_spinner()
        } else {
            ProgressBar::hidden()
        };
        let plain =
            anstream::AutoStream::choice(&std::io::stderr()) == anstream::ColorChoice::Never;
        let template = if plain {
            "{spinner} {msg} ({elapsed})"
        } else {
            "{spinner:.cyan} {msg} ({elapsed})"
        };
        // The templates are fixed; the default shows the same.
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_message(text.to_owned());
        bar.enable_steady_tick(Duration::from_millis(120));
        Self { bar }
    }

    /// Tells how it stands.
    pub(crate) fn tell(&self, text: &str) {
        self.bar.set_message(line(text, 60));
    }

    /// Takes it away while a person is asked.
    pub(crate) fn suspend<T>(&self, ask: impl FnOnce() -> T) -> T {
        self.bar.suspend(ask)
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
