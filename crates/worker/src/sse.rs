//! A parser of server-sent events, fed with bytes as they come. It holds one event at a time, bounded.

/// Bytes that one event may have before the stream is given up.
const EVENT_BYTES: usize = 8 * 1024 * 1024;

/// An event as it stands in the stream.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Message {
    /// Its id: the cursor after it. Empty if it has none of its own.
    pub(crate) id: String,
    /// Its name; `message` if it has none.
    pub(crate) event: String,
    /// Its data, lines joined by line feeds.
    pub(crate) data: String,
}

/// An event that is too large.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TooLarge;

/// The state between two chunks.
#[derive(Debug, Default)]
pub(crate) struct Parser {
    line: Vec<u8>,
    /// The last byte was a carriage return: a line feed that follows belongs to it.
    after_return: bool,
    begun: bool,
    message: Message,
    has_data: bool,
}

impl Parser {
    /// Takes a chunk and appends the events that it completes.
    pub(crate) fn feed(&mut self, chunk: &[u8], out: &mut Vec<Message>) -> Result<(), TooLarge> {
        for &byte in chunk {
            let completes = match byte {
                b'\n' if self.after_return => {
                    self.after_return = false;
                    continue;
                }
                b'\n' | b'\r' => true,
                _ => false,
            };
            self.after_return = byte == b'\r';
            if completes {
                self.end_line(out);
            } else {
                self.line.push(byte);
                if self.line.len() + self.message.data.len() > EVENT_BYTES {
                    return Err(TooLarge);
                }
            }
        }
        Ok(())
    }

    fn end_line(&mut self, out: &mut Vec<Message>) {
        let bytes = std::mem::take(&mut self.line);
        let text = String::from_utf8_lossy(&bytes);
        let mut line: &str = &text;
        if !self.begun {
            self.begun = true;
            line = line.strip_prefix('\u{feff}').unwrap_or(line);
        }
        if line.is_empty() {
            self.end_message(out);
            return;
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => {
                if self.has_data {
                    self.message.data.push('\n');
                }
                self.message.data.push_str(value);
                self.has_data = true;
            }
            "event" => value.clone_into(&mut self.message.event),
            "id" if !value.contains('\0') => value.clone_into(&mut self.message.id),
            // A comment, `retry`, or what nobody knows yet.
            _ => {}
        }
    }

    fn end_message(&mut self, out: &mut Vec<Message>) {
        let mut message = std::mem::take(&mut self.message);
        if std::mem::take(&mut self.has_data) {
            if message.event.is_empty() {
                "message".clone_into(&mut message.event);
            }
            out.push(message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(id: &str, event: &str, data: &str) -> Message {
        Message {
            id: id.to_owned(),
            event: event.to_owned(),
            data: data.to_owned(),
        }
    }

    fn parse(chunks: &[&[u8]]) -> Vec<Message> {
        let (mut parser, mut out) = (Parser::default(), Vec::new());
        for chunk in chunks {
            parser.feed(chunk, &mut out).unwrap();
        }
        out
    }

    #[test]
    fn an_event_has_id_name_and_data() {
        let stream = b": hello\nid: 7\nevent: task.state\ndata: {\"n\":7}\n\n";
        assert_eq!(parse(&[stream]), [message("7", "task.state", "{\"n\":7}")]);
    }

    #[test]
    fn it_does_not_matter_where_chunks_are_cut() {
        let stream = "id: 1\r\ndata: á\r\ndata:b\r\n\r\ndata: c\r\rdata: d\n\n".as_bytes();
        let whole = parse(&[stream]);
        let expected = [
            message("1", "message", "á\nb"),
            message("", "message", "c"),
            message("", "message", "d"),
        ];
        assert_eq!(whole, expected);
        for cut in 1..stream.len() {
            assert_eq!(parse(&[&stream[..cut], &stream[cut..]]), whole, "{cut}");
        }
    }

    #[test]
    fn what_has_no_data_is_no_event_and_what_is_cut_off_neither() {
        assert_eq!(parse(&[b"event: x\nid: 3\n\n: keep\n\ndata: late"]), []);
        assert_eq!(parse(&[b"data\n\n"]), [message("", "message", "")]);
    }

    #[test]
    fn a_byte_order_mark_is_skipped_once() {
        assert_eq!(
            parse(&[b"\xef\xbb\xbfdata: a\n\n"]),
            [message("", "message", "a")]
        );
    }

    #[test]
    fn an_event_without_end_is_given_up() {
        let (mut parser, mut out) = (Parser::default(), Vec::new());
        let chunk = vec![b'x'; EVENT_BYTES / 2 + 1];
        assert_eq!(parser.feed(&chunk, &mut out), Ok(()));
        assert_eq!(parser.feed(&chunk, &mut out), Err(TooLarge));
    }
}
