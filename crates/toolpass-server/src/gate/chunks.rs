//! A chunked body, followed byte by byte so that what is passed on has one reading.
//!
//! Sizes are hex digits and nothing else, extensions are skipped, each chunk is complete and followed by its line end,
//! trailers are skipped. Pure: bytes in, how many of them may pass.
//! SOURCE: RFC 9112 section 7.1.

/// Where in a body the next byte stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chunks {
    /// In a size: so many digits, so large.
    Size { digits: u8, size: u64 },
    /// In an extension, `;` and after it.
    Extension { size: u64 },
    /// Before the line feed that ends a size line.
    SizeEnd { size: u64 },
    /// In a chunk, so many bytes left.
    Data(u64),
    /// Before the carriage return after a chunk.
    DataReturn,
    /// Before the line feed after a chunk.
    DataFeed,
    /// At the beginning of a trailer line.
    TrailerStart,
    /// In a trailer line.
    Trailer,
    /// Before the line feed that ends a trailer line.
    TrailerFeed,
    /// Before the line feed that ends the body.
    LastFeed,
    /// After the body.
    Done,
}

/// Bytes that are no chunked body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Broken;

impl Chunks {
    /// Before the first byte.
    pub(crate) const START: Chunks = Chunks::Size { digits: 0, size: 0 };

    /// Follow these bytes; how many of them belong to the body.
    /// Limits: extensions and trailers are bounded by whoever bounds the time and the connection.
    /// Errors: [`Broken`].
    pub(crate) fn follow(&mut self, bytes: &[u8]) -> Result<usize, Broken> {
        let mut at = 0;
        while *self != Chunks::Done {
            if let Chunks::Data(left) = *self {
                let here = bytes.len().saturating_sub(at);
                let taken = usize::try_from(left).map_or(here, |left| left.min(here));
                at += taken;
                let left = left.saturating_sub(taken as u64);
                *self = if left == 0 {
                    Chunks::DataReturn
                } else {
                    Chunks::Data(left)
                };
                if left > 0 {
                    return Ok(at);
                }
            }
            let Some(byte) = bytes.get(at) else {
                return Ok(at);
            };
            *self = self.after(*byte)?;
            at += 1;
        }
        Ok(at)
    }

    fn after(self, byte: u8) -> Result<Chunks, Broken> {
        Ok(match (self, byte) {
            (Chunks::Size { digits, size }, _) if byte.is_ascii_hexdigit() => {
                if digits >= MAX_DIGITS {
                    return Err(Broken);
                }
                let digit = char::from(byte).to_digit(16).ok_or(Broken)?;
                let size = size.checked_mul(16).ok_or(Broken)? + u64::from(digit);
                Chunks::Size {
                    digits: digits + 1,
                    size,
                }
            }
            (Chunks::Size { digits: 0, .. }, _) => return Err(Broken),
            (Chunks::Size { size, .. }, b';') => Chunks::Extension { size },
            (Chunks::Size { size, .. } | Chunks::Extension { size }, b'\r') => {
                Chunks::SizeEnd { size }
            }
            (Chunks::Extension { size }, _) if byte != b'\n' => Chunks::Extension { size },
            (Chunks::SizeEnd { size: 0 }, b'\n') => Chunks::TrailerStart,
            (Chunks::SizeEnd { size }, b'\n') => Chunks::Data(size),
            (Chunks::DataReturn, b'\r') => Chunks::DataFeed,
            (Chunks::DataFeed, b'\n') => Chunks::Size { digits: 0, size: 0 },
            (Chunks::TrailerStart, b'\r') => Chunks::LastFeed,
            (Chunks::TrailerStart | Chunks::Trailer, _) if byte != b'\r' && byte != b'\n' => {
                Chunks::Trailer
            }
            (Chunks::Trailer, b'\r') => Chunks::TrailerFeed,
            (Chunks::TrailerFeed, b'\n') => Chunks::TrailerStart,
            (Chunks::LastFeed, b'\n') => Chunks::Done,
            (
                Chunks::Size { .. }
                | Chunks::Extension { .. }
                | Chunks::SizeEnd { .. }
                | Chunks::Data(_)
                | Chunks::DataReturn
                | Chunks::DataFeed
                | Chunks::TrailerStart
                | Chunks::Trailer
                | Chunks::TrailerFeed
                | Chunks::LastFeed
                | Chunks::Done,
                _,
            ) => return Err(Broken),
        })
    }
}

const MAX_DIGITS: u8 = 16;

#[cfg(test)]
mod tests {
    use super::*;

    fn followed(body: &[u8]) -> Result<(usize, bool), Broken> {
        let mut chunks = Chunks::START;
        let passed = chunks.follow(body)?;
        Ok((passed, chunks == Chunks::Done))
    }

    #[test]
    fn bodies() {
        for (body, rest) in [
            ("0\r\n\r\n", ""),
            ("5\r\nhello\r\n0\r\n\r\n", ""),
            ("A;x=\"y\"\r\n0123456789\r\n000\r\n\r\nGET", "GET"),
            ("1\r\n\n\r\n0\r\nTrailer: x\r\nOther: y\r\n\r\n", ""),
            ("0;last\r\n\r\n", ""),
        ] {
            assert_eq!(
                followed(body.as_bytes()),
                Ok((body.len() - rest.len(), true)),
                "{body:?}"
            );
        }
    }

    #[test]
    fn what_is_no_body() {
        for body in [
            "\r\n",
            ";x\r\n",
            "g\r\n",
            "+5\r\nhello\r\n",
            " 5\r\nhello\r\n",
            "5 \r\nhello\r\n",
            "0x5\r\nhello\r\n",
            "5_0\r\n",
            "-1\r\n",
            "5\nhello\r\n",
            "5\rhello",
            "5\r\nhelloX\r\n",
            "5\r\nhello\n0\r\n\r\n",
            "00000000000000005\r\nhello\r\n",
            "0\r\n\n",
            "0\r\n\rX",
            "0\r\nTrailer\n\r\n",
            "5;x\nhello",
            "٥\r\n",
        ] {
            assert_eq!(followed(body.as_bytes()), Err(Broken), "{body:?}");
        }
    }

    #[test]
    fn what_is_cut_off_is_not_done() {
        let whole = b"5;x\r\nhello\r\n0\r\nT: x\r\n\r\n";
        for cut in 0..whole.len() {
            assert_eq!(followed(&whole[..cut]), Ok((cut, false)));
        }
    }

    proptest::proptest! {
        #[test]
        fn pieces_read_as_the_whole(body in "([0-9a-f;\r\n x]|5\r\nhello\r\n|0\r\n\r\n){0,12}", cut in 0_usize..60) {
            let bytes = body.as_bytes();
            let cut = cut.min(bytes.len());
            let mut pieces = Chunks::START;
            let first = pieces.follow(&bytes[..cut]);
            let second = first.and_then(|first| Ok(first + pieces.follow(&bytes[first.min(cut)..])?));
            let mut whole = Chunks::START;
            proptest::prop_assert_eq!(second, whole.follow(bytes));
        }
    }
}
