//! A page of the manual, for a terminal: headings stand out, the rest stays as it is written.

use super::{STRONG, painted};

/// The page with its headings in bold, which disappears where no terminal reads.
pub(crate) fn rendered(markdown: &str) -> String {
    let mut text = String::with_capacity(markdown.len());
    for line in markdown.lines() {
        let heading = line.trim_start_matches('#');
        if heading.len() < line.len() && heading.starts_with(' ') {
            text.push_str(&painted(STRONG, heading.trim_start()));
        } else {
            text.push_str(line);
        }
        text.push('\n');
    }
    text
}
