//! Takes the engine's markers, and what imitates them, out of foreign text.
//!
//! Two things are replaced by the name of their character in brackets, as in `[U+27E6]`, which a
//! reader sees and can undo:
//! - a reserved character, wherever it stands, also as a JSON escape. Markers begin and end with
//!   one, so none can be produced, whatever stands between them;
//! - an opening bracket of any kind before the words of a marker, in any disguise: other case,
//!   compatibility forms, accents, invisible characters between the letters, letters of other
//!   alphabets. It would be no marker, but a model might take it for one.

use std::{borrow::Cow, fmt::Write as _, iter, ops::RangeInclusive};

use unicode_normalization::{UnicodeNormalization as _, char::is_combining_mark};

use super::markers::{ABOUT, END, RESERVED, SPEAKS, TAG};

/// `text` without markers and imitations; borrowed where there are none. Idempotent, and linear in
/// the length of the text.
pub(super) fn neutralise(text: &str) -> Cow<'_, str> {
    let mut neutral = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let (found, length) = if RESERVED.contains(&c) {
            (Some(c), c.len_utf8())
        } else if c == '\\' {
            escaped(&text[at..])
        } else if is_opening(c) && imitates(&text[at + c.len_utf8()..]) {
            (Some(c), c.len_utf8())
        } else {
            (None, c.len_utf8())
        };
        if let Some(found) = found {
            neutral.push_str(&text[copied..at]);
            // Writing to a string cannot fail.
            let _ = write!(neutral, "[U+{:04X}]", u32::from(found));
            copied = at + length;
        }
        at += length;
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    neutral.push_str(&text[copied..]);
    Cow::Owned(neutral)
}

/// Reads a run of backslashes; if it begins the JSON escape of a reserved character, that one and
/// the length of all of it, else the length of the run. The whole run goes: text that holds JSON
/// that holds JSON has several, and what is left of them must not escape something else.
fn escaped(text: &str) -> (Option<char>, usize) {
    let run = text.len() - text.trim_start_matches('\\').len();
    let found = text[run..]
        .strip_prefix('u')
        .and_then(|rest| rest.get(..4))
        .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
        .and_then(|digits| u32::from_str_radix(digits, 16).ok())
        .and_then(char::from_u32)
        .filter(|c| RESERVED.contains(c));
    match found {
        Some(c) => (Some(c), run + 5),
        None => (None, run),
    }
}

/// Whether `c` can be taken for the bracket that opens a marker. Not a parenthesis: those stand
/// before words everywhere, and look like no marker.
fn is_opening(c: char) -> bool {
    if c.is_ascii() {
        matches!(c, '[' | '{' | '<')
    } else {
        OPENING.iter().any(|range| range.contains(&c))
    }
}

/// Opening brackets and quotation marks beyond ASCII, with some that stand between them.
const OPENING: [RangeInclusive<char>; 21] = [
    '«'..='«',
    '‹'..='‹',
    '⁅'..='⁅',
    '⌈'..='⌊',
    '\u{2329}'..='\u{2329}',
    '\u{23A1}'..='\u{23A3}',
    '\u{2768}'..='\u{2775}',
    '\u{27C5}'..='\u{27C5}',
    '\u{27E6}'..='\u{27EF}',
    '\u{2983}'..='\u{2998}',
    '\u{29D8}'..='\u{29DB}',
    '\u{29FC}'..='\u{29FC}',
    '\u{2E20}'..='\u{2E29}',
    '\u{2E55}'..='\u{2E5C}',
    '\u{3008}'..='\u{301B}',
    '\u{FD3E}'..='\u{FD3F}',
    '\u{FE17}'..='\u{FE18}',
    '\u{FE35}'..='\u{FE48}',
    '\u{FE59}'..='\u{FE65}',
    '\u{FF1C}'..='\u{FF1C}',
    '\u{FF3B}'..='\u{FF63}',
];

/// Whether `text` begins, after signs and spaces, with the two words of a marker.
fn imitates(text: &str) -> bool {
    // Nearly every bracket stands before something else, which is seen without normalising.
    let elsewhere = |c: char| c.is_ascii_graphic() && !is_filler(c) && !matches!(c, 't' | 'T');
    if text.chars().next().is_none_or(elsewhere) {
        return false;
    }
    let mut letters = text.chars().flat_map(plain).peekable();
    while letters.next_if(|c| is_filler(*c)).is_some() {}
    if !TAG
        .chars()
        .flat_map(plain)
        .all(|letter| letters.next() == Some(letter))
    {
        return false;
    }
    while letters.next_if(|c| is_filler(*c)).is_some() {}
    // Their first letters differ, so the first one decides.
    let first = letters.peek().copied();
    let Some(word) = [SPEAKS, ABOUT, END]
        .into_iter()
        .find(|word| word.chars().next() == first)
    else {
        return false;
    };
    word.chars()
        .flat_map(plain)
        .all(|letter| letters.next() == Some(letter))
        && letters.next().is_none_or(|c| !c.is_alphanumeric())
}

/// Signs and spaces that may stand around a word without changing it. No bracket and no quotation
/// mark: where one stands between, the bracket before it is another thing's.
fn is_filler(c: char) -> bool {
    c.is_whitespace()
        || matches!(
            c,
            '*' | '_' | '/' | '#' | '-' | '=' | ':' | '~' | '.' | '!' | '|'
        )
}

/// What a character looks like: its compatibility form without accents, in lower case, as a Latin
/// letter where it resembles one. Nothing for what is invisible.
fn plain(c: char) -> impl Iterator<Item = char> {
    iter::once(c)
        .nfkd()
        .flat_map(char::to_lowercase)
        .filter(|c| !is_combining_mark(*c) && !is_invisible(*c))
        .map(latin)
}

fn is_invisible(c: char) -> bool {
    (c.is_control() && !c.is_whitespace())
        || matches!(
            c,
            '\u{AD}'
                | '\u{34F}'
                | '\u{61C}'
                | '\u{115F}'
                | '\u{1160}'
                | '\u{17B4}'
                | '\u{17B5}'
                | '\u{180B}'..='\u{180F}'
                | '\u{200B}'..='\u{200F}'
                | '\u{202A}'..='\u{202E}'
                | '\u{2060}'..='\u{206F}'
                | '\u{2800}'
                | '\u{3164}'
                | '\u{FE00}'..='\u{FE0F}'
                | '\u{FEFF}'
                | '\u{FFA0}'
                | '\u{FFF0}'..='\u{FFFB}'
                | '\u{1BCA0}'..='\u{1BCA3}'
                | '\u{1D173}'..='\u{1D17A}'
                | '\u{E0000}'..='\u{E0FFF}'
        )
}

/// The Latin letter that `c`, in lower case, is easily taken for. `i` and `l` are one: they are in
/// many fonts.
const fn latin(c: char) -> char {
    match c {
        'а' | 'α' | 'ɑ' | 'ᴀ' => 'a',
        'Ь' | 'ь' | 'ʙ' | 'в' | 'β' => 'b',
        'ԁ' | 'ᴅ' | 'ɗ' => 'd',
        'е' | 'є' | 'ε' | 'ҽ' | 'ᴇ' | 'ɛ' => 'e',
        'l' | 'ı' | 'і' | 'ι' | 'ӏ' | 'ɩ' | 'ʟ' | 'ɪ' | 'ł' | 'ǀ' | '1' => 'i',
        'к' | 'κ' | 'ᴋ' => 'k',
        'п' | 'ո' | 'ɴ' | 'η' => 'n',
        'о' | 'ο' | 'σ' | 'ᴏ' | 'օ' | '0' => 'o',
        'р' | 'ρ' | 'ᴘ' => 'p',
        'г' | 'ʀ' | 'ᴦ' => 'r',
        'ѕ' | 'ꜱ' => 's',
        'т' | 'τ' | 'ᴛ' | 'ŧ' => 't',
        'υ' | 'ц' | 'ս' | 'ᴜ' | 'ʋ' => 'u',
        other => other,
    }
}
