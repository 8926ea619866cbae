//! One HTTP/1.1 request, read from the bytes a client hands over for sending.
//!
//! Separate because the bytes are what leaves: whoever wrote them, with whatever calls, the request is this. Here is only found out
//! where the parts are and when the request is whole; what a part means is [`crate::request`]'s to say.
//! INVARIANT: however the bytes are cut, the same request is found; what has two ends, or none, is broken.
//! SOURCE: RFC 9112, sections 2 to 7.

use std::ops::Range;

/// A request on its way: [`Outgoing::feed`] it until it is whole.
#[derive(Default)]
pub struct Outgoing {
    /// The head as far as it is known, with the empty line that ends it.
    head: Vec<u8>,
    method: Range<usize>,
    target: Range<usize>,
    headers: Vec<(Range<usize>, Range<usize>)>,
    body: Vec<u8>,
    size: u64,
    /// A line between two chunks, as far as it is known.
    line: Vec<u8>,
    need: u64,
    expects: Expects,
    headed: bool,
    chunked: bool,
    whole: bool,
    broken: bool,
}

/// What the next line of a chunked body is.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Expects {
    DataEnd,
    #[default]
    Size,
    Trailer,
}

/// Where an absolute target leads, as a forwarding proxy is given it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Absolute {
    /// The scheme, in lower case.
    pub scheme: Vec<u8>,
    /// The host.
    pub host: Vec<u8>,
    /// The port, the scheme's own when none is named.
    pub port: u16,
    /// What is left: a path.
    pub target: Vec<u8>,
}

impl Outgoing {
    /// Take what belongs to this request from the front of `data`; answers how many bytes that was.
    pub fn feed(&mut self, data: &[u8]) -> usize {
        if self.broken {
            return data.len();
        }
        let mut taken = 0;
        if !self.headed {
            let known = self.head.len();
            self.head.extend_from_slice(data);
            let Some(end) = find(&self.head, known.saturating_sub(3), HEAD_END) else {
                self.broken = self.head.len() > MAX_HEAD;
                return data.len();
            };
            taken = end + HEAD_END.len() - known;
            self.head.truncate(end + HEAD_END.len());
            self.headed = true;
            self.read_head(end);
        }
        let rest = data.get(taken..).unwrap_or_default();
        if self.whole || self.broken || rest.is_empty() {
            return taken;
        }
        taken
            + if self.chunked {
                self.feed_chunked(rest)
            } else {
                self.feed_plain(rest)
            }
    }

    /// The method; empty until the head is known.
    pub fn method(&self) -> &[u8] {
        self.part(&self.method)
    }

    /// The target; empty until the head is known.
    pub fn target(&self) -> &[u8] {
        self.part(&self.target)
    }

    /// Names and values in order, without the spaces around a value. A folded line stays part of its value, line end and all.
    pub fn headers(&self) -> impl ExactSizeIterator<Item = (&[u8], &[u8])> {
        self.headers
            .iter()
            .map(|(name, value)| (self.part(name), self.part(value)))
    }

    /// What was read of the body, without its transfer coding; nothing once there is more than the limit.
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    /// How long the body is so far.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Whether all header lines are known.
    pub fn is_headed(&self) -> bool {
        self.headed
    }

    /// Whether its end was reached.
    pub fn is_whole(&self) -> bool {
        self.whole
    }

    /// Whether it cannot be read as one request.
    pub fn is_broken(&self) -> bool {
        self.broken
    }

    /// Whether there is more of the body than is kept.
    pub fn is_over_limit(&self) -> bool {
        usize::try_from(self.size).map_or(true, |size| size > LIMIT)
    }

    /// Whether there is a body that is not all in [`Outgoing::body`].
    pub fn is_unread(&self) -> bool {
        self.is_over_limit() || !self.whole
    }

    fn part(&self, range: &Range<usize>) -> &[u8] {
        self.head.get(range.clone()).unwrap_or_default()
    }

    fn read_head(&mut self, end: usize) {
        let head = self.head.get(..end).unwrap_or_default();
        let mut lines = Lines { head, at: Some(0) };
        let first = lines.next().unwrap_or(0..0);
        let Some((method, target)) = request_line(head, first) else {
            self.broken = true;
            return;
        };
        let headers: Vec<_> = lines.map(|line| header(head, line)).collect();
        (self.method, self.target, self.headers) = (method, target, headers);
        self.read_framing();
    }

    /// Find out how long the body is. Two answers, or one that is no number, are none.
    fn read_framing(&mut self) {
        let (mut chunked, mut broken, mut length) = (false, false, None);
        for (name, value) in self.headers() {
            if name.eq_ignore_ascii_case(b"transfer-encoding") {
                chunked = true;
            } else if name.eq_ignore_ascii_case(b"content-length") {
                broken |= length.is_some_and(|known| known != value);
                length = Some(value);
            }
        }
        let need = match length {
            Some(_) if chunked => None,
            Some(digits) => decimal(digits),
            None => Some(0),
        };
        self.broken = broken || need.is_none();
        self.chunked = chunked;
        self.need = need.unwrap_or(0);
        self.whole = !self.broken && !chunked && self.need == 0;
    }

    fn feed_plain(&mut self, data: &[u8]) -> usize {
        let taken = self.take(data);
        self.whole = self.need == 0;
        taken
    }

    fn feed_chunked(&mut self, data: &[u8]) -> usize {
        let mut at = 0;
        while !self.whole && !self.broken {
            let rest = data.get(at..).unwrap_or_default();
            if rest.is_empty() {
                break;
            }
            if self.need > 0 {
                at += self.take(rest);
                self.expects = Expects::DataEnd;
                continue;
            }
            let end = rest.iter().position(|byte| *byte == b'\n');
            let stop = end.map_or(rest.len(), |end| end + 1);
            self.line
                .extend_from_slice(rest.get(..stop).unwrap_or_default());
            at += stop;
            let is_too_long = self.line.len() > MAX_LINE;
            if end.is_some() {
                let line = std::mem::take(&mut self.line);
                self.read_line(&line);
            }
            self.broken |= is_too_long;
        }
        at
    }

    /// Take a line between the chunks: the end of one, the size of the next, or a trailer after the last.
    fn read_line(&mut self, line: &[u8]) {
        let Some(text) = line.strip_suffix(b"\r\n") else {
            self.broken = true;
            return;
        };
        match self.expects {
            Expects::DataEnd => {
                self.broken = !text.is_empty();
                self.expects = Expects::Size;
            }
            Expects::Trailer => self.whole = text.is_empty(),
            Expects::Size => {
                let size = text.split(|byte| *byte == b';').next().unwrap_or_default();
                let size = hexadecimal(trim(size));
                self.broken = size.is_none();
                self.need = size.unwrap_or(0);
                if self.need == 0 {
                    self.expects = Expects::Trailer;
                }
            }
        }
    }

    /// Take what is needed of the body, and keep it while it is within the limit.
    fn take(&mut self, data: &[u8]) -> usize {
        let need = usize::try_from(self.need).unwrap_or(usize::MAX);
        let taken = need.min(data.len());
        let counted = u64::try_from(taken).unwrap_or(u64::MAX);
        self.need -= counted;
        self.size = self.size.saturating_add(counted);
        if self.is_over_limit() {
            self.body = Vec::new();
        } else {
            self.body
                .extend_from_slice(data.get(..taken).unwrap_or_default());
        }
        taken
    }
}

/// Read an absolute target.
pub fn absolute(target: &[u8]) -> Absolute {
    let colon = find(target, 0, b"://").unwrap_or(target.len());
    let scheme = target.get(..colon).unwrap_or_default().to_ascii_lowercase();
    let rest = target.get(colon + 3..).unwrap_or_default();
    let end = rest
        .iter()
        .position(|byte| matches!(byte, b'/' | b'?' | b'#'));
    let (host, path) = rest.split_at(end.unwrap_or(rest.len()));
    let mut target = path.to_vec();
    if !target.starts_with(b"/") {
        target.insert(0, b'/');
    }
    let named = host.iter().rposition(|byte| *byte == b':').and_then(|at| {
        let (name, port) = (host.get(..at)?, host.get(at + 1..)?);
        let port = decimal(port).filter(|_| port.len() <= 5)?;
        Some((name, u16::try_from(port).ok()?))
    });
    let default = if scheme == b"https" { 443 } else { 80 };
    let (host, port) = named.unwrap_or((host, default));
    Absolute {
        scheme,
        host: host.to_vec(),
        port,
        target,
    }
}

/// The lines of a head, folded ones with the line they continue.
struct Lines<'h> {
    head: &'h [u8],
    at: Option<usize>,
}

impl Iterator for Lines<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let start = self.at?;
        let mut from = start;
        while let Some(end) = find(self.head, from, b"\r\n") {
            from = end + 2;
            if !matches!(self.head.get(from), Some(b' ' | b'\t')) {
                self.at = Some(from);
                return Some(start..end);
            }
        }
        self.at = None;
        Some(start..self.head.len())
    }
}

/// Method and target of `METHOD target HTTP/...`, parted by single spaces.
fn request_line(head: &[u8], line: Range<usize>) -> Option<(Range<usize>, Range<usize>)> {
    let space = |from: usize| {
        let rest = head.get(from..line.end)?;
        Some(from + rest.iter().position(|byte| *byte == b' ')?)
    };
    let first = space(line.start)?;
    let second = space(first + 1)?;
    let version = head.get(second + 1..line.end)?;
    let is_one = version.starts_with(b"HTTP/") && !version.contains(&b' ');
    is_one.then_some((line.start..first, first + 1..second))
}

fn header(head: &[u8], line: Range<usize>) -> (Range<usize>, Range<usize>) {
    let text = head.get(line.clone()).unwrap_or_default();
    let Some(colon) = text.iter().position(|byte| *byte == b':') else {
        return (line.clone(), line.end..line.end);
    };
    let value = text.get(colon + 1..).unwrap_or_default();
    let is_kept = |byte: &u8| !matches!(byte, b' ' | b'\t');
    let name = line.start..line.start + colon;
    let begin = name.end + 1;
    match (
        value.iter().position(is_kept),
        value.iter().rposition(is_kept),
    ) {
        (Some(first), Some(last)) => (name, begin + first..begin + last + 1),
        _ => (name, line.end..line.end),
    }
}

fn trim(text: &[u8]) -> &[u8] {
    let is_kept = |byte: &u8| !matches!(byte, b' ' | b'\t');
    match (
        text.iter().position(is_kept),
        text.iter().rposition(is_kept),
    ) {
        (Some(first), Some(last)) => text.get(first..=last).unwrap_or_default(),
        _ => &[],
    }
}

fn find(text: &[u8], from: usize, what: &[u8]) -> Option<usize> {
    let rest = text.get(from..)?;
    Some(from + rest.windows(what.len()).position(|window| window == what)?)
}

/// Digits; a number that is too large is larger than any body.
fn decimal(digits: &[u8]) -> Option<u64> {
    let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    is_number.then(|| {
        digits.iter().fold(0_u64, |number, digit| {
            number
                .saturating_mul(10)
                .saturating_add(u64::from(digit - b'0'))
        })
    })
}

fn hexadecimal(digits: &[u8]) -> Option<u64> {
    let fits = (1..=15).contains(&digits.len()) && digits.iter().all(u8::is_ascii_hexdigit);
    let text = std::str::from_utf8(digits).ok().filter(|_| fits)?;
    u64::from_str_radix(text, 16).ok()
}

/// As much of a body as is kept.
pub const LIMIT: usize = 8 << 20;

const HEAD_END: &[u8] = b"\r\n\r\n";
const MAX_HEAD: usize = 1 << 20;
const MAX_LINE: usize = 4096;

#[cfg(test)]
mod tests;
