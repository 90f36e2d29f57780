//! Server-sent events, read from bytes as they come: only what this protocol uses of them.

use bytes::BytesMut;

/// Reads the data of events; comments, ids and names are passed over.
#[derive(Debug, Default)]
pub(super) struct Reader {
    buffer: BytesMut,
    data: Vec<u8>,
    has_data: bool,
}

/// An event is larger than the limit.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooLarge;

impl Reader {
    /// Takes in bytes.
    pub(super) fn feed(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// The data of the next event that is complete.
    pub(super) fn next(&mut self, most: usize) -> Result<Option<Vec<u8>>, TooLarge> {
        while let Some(end) = self.buffer.iter().position(|byte| *byte == b'\n') {
            let line = self.buffer.split_to(end + 1);
            let line = line.strip_suffix(b"\n").unwrap_or(&line);
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if line.is_empty() {
                if std::mem::take(&mut self.has_data) {
                    return Ok(Some(std::mem::take(&mut self.data)));
                }
            } else if let Some(value) = line.strip_prefix(b"data:") {
                let value = value.strip_prefix(b" ").unwrap_or(value);
                if self.has_data {
                    self.data.push(b'\n');
                }
                self.has_data = true;
                self.data.extend_from_slice(value);
            }
            if self.data.len() > most {
                return Err(TooLarge);
            }
        }
        if self.buffer.len() > most {
            return Err(TooLarge);
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(chunks: &[&str]) -> Vec<String> {
        let mut reader = Reader::default();
        let mut found = Vec::new();
        for chunk in chunks {
            reader.feed(chunk.as_bytes());
            while let Some(data) = reader.next(100).unwrap() {
                found.push(String::from_utf8(data).unwrap());
            }
        }
        found
    }

    #[test]
    fn events_are_read_however_they_are_cut() {
        let text = ": hello\r\nid: 1\r\ndata: {\"a\":1}\r\n\r\nevent: x\ndata:b\ndata: c\n\n: keep-alive\n\n";
        let whole = read(&[text]);
        assert_eq!(whole, ["{\"a\":1}", "b\nc"]);
        for cut in 1..text.len() {
            assert_eq!(read(&[&text[..cut], &text[cut..]]), whole, "cut at {cut}");
        }
    }

    #[test]
    fn an_event_without_end_is_refused() {
        let mut reader = Reader::default();
        reader.feed("x".repeat(101).as_bytes());
        assert_eq!(reader.next(100), Err(TooLarge));
        let mut reader = Reader::default();
        reader.feed("data: xxxxxxxxxx\n".repeat(20).as_bytes());
        assert_eq!(reader.next(100), Err(TooLarge));
    }
}
