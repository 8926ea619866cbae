//! Content codings undone within bounds: gzip, deflate, br, zstd, at most two of them.
//!
//! Separate because a body that stays compressed must never read as one without fields, and a small one must not fill memory.
//! Every coding must use up its input: what stands behind the end is read by some servers and dropped by others.
//! SOURCE: RFC 9110 section 8.4; RFC 1950, 1952, 7932, 8878; RFC 9659 (window of zstd).

use std::borrow::Cow;
use std::io::Read;

use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};

use crate::field::Unresolved;

use super::limits::Limits;

/// Undo `codings`, the values of `Content-Encoding` in order.
/// Errors: [`Unresolved`]: the body is unread, because a coding is unknown, does not decode, or exceeds the limits.
pub fn decode<'b, 'c>(
    codings: impl Iterator<Item = &'c str>,
    body: &'b [u8],
    limits: &Limits,
) -> Result<Cow<'b, [u8]>, Unresolved> {
    let named = codings
        .flat_map(|value| value.split(','))
        .map(str::trim)
        .filter(|name| !name.is_empty());
    let codings: Vec<Coding> = named.filter_map(Coding::parse).collect::<Result<_, _>>()?;
    if codings.len() > MAX_CODINGS {
        return Err(Unresolved::new(format!(
            "the body is compressed more than {MAX_CODINGS} times"
        )));
    }
    let mut decoded = Cow::Borrowed(body);
    for coding in codings.iter().rev() {
        decoded = Cow::Owned(coding.undo(&decoded, limits)?);
    }
    Ok(decoded)
}

#[derive(Clone, Copy)]
enum Coding {
    Brotli,
    Deflate,
    Gzip,
    Zstd,
}

impl Coding {
    /// Nothing for `identity`.
    fn parse(name: &str) -> Option<Result<Coding, Unresolved>> {
        Some(match name.to_ascii_lowercase().as_str() {
            "br" => Ok(Coding::Brotli),
            "deflate" => Ok(Coding::Deflate),
            "gzip" | "x-gzip" => Ok(Coding::Gzip),
            "identity" => return None,
            "zstd" => Ok(Coding::Zstd),
            _ => Err(Unresolved::new(
                "the body has a content coding other than gzip, deflate, br and zstd",
            )),
        })
    }

    fn undo(self, body: &[u8], limits: &Limits) -> Result<Vec<u8>, Unresolved> {
        let most = limits
            .decoded_bytes
            .min(body.len().saturating_mul(limits.decoded_ratio));
        let mut rest = body;
        let decoded = match self {
            Coding::Brotli => return brotli(body, most),
            Coding::Deflate => read_at_most(flate2::bufread::ZlibDecoder::new(&mut rest), most),
            Coding::Gzip => read_at_most(flate2::bufread::GzDecoder::new(&mut rest), most),
            Coding::Zstd => {
                let decoder = ruzstd::decoding::StreamingDecoder::new_with_max_window_size(
                    &mut rest,
                    ZSTD_WINDOW,
                );
                read_at_most(decoder.map_err(|_| corrupt())?, most)
            }
        }?;
        if rest.is_empty() {
            Ok(decoded)
        } else {
            Err(corrupt())
        }
    }
}

fn read_at_most(reader: impl Read, most: usize) -> Result<Vec<u8>, Unresolved> {
    let mut decoded = Vec::new();
    let limit = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1);
    reader
        .take(limit)
        .read_to_end(&mut decoded)
        .map_err(|_| corrupt())?;
    if decoded.len() > most {
        return Err(too_large());
    }
    Ok(decoded)
}

/// Below the crate's `Read` face, because that drops what stands behind the end, and takes windows of a gigabyte.
fn brotli(body: &[u8], most: usize) -> Result<Vec<u8>, Unresolved> {
    let alloc = StandardAlloc::default;
    let mut state = BrotliState::new_strict(alloc(), alloc(), alloc());
    let (mut left, mut at, mut total) = (body.len(), 0, 0);
    let mut decoded = Vec::new();
    let mut buffer = vec![0; BUFFER];
    loop {
        let (mut room, mut written) = (buffer.len(), 0);
        let result = BrotliDecompressStream(
            &mut left,
            &mut at,
            body,
            &mut room,
            &mut written,
            &mut buffer,
            &mut total,
            &mut state,
        );
        decoded.extend_from_slice(buffer.get(..written).unwrap_or_default());
        if decoded.len() > most {
            return Err(too_large());
        }
        match result {
            BrotliResult::NeedsMoreOutput => {}
            BrotliResult::ResultSuccess if left == 0 => return Ok(decoded),
            BrotliResult::NeedsMoreInput
            | BrotliResult::ResultFailure
            | BrotliResult::ResultSuccess => return Err(corrupt()),
        }
    }
}

fn too_large() -> Unresolved {
    Unresolved::new("the body is larger than the limit once decompressed")
}

fn corrupt() -> Unresolved {
    Unresolved::new("the body does not decompress")
}

const MAX_CODINGS: usize = 2;
const BUFFER: usize = 64 << 10;
const ZSTD_WINDOW: u64 = 8 << 20;

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use proptest::prelude::*;

    use super::*;

    fn gzip(body: &[u8]) -> Vec<u8> {
        let mut writer = flate2::write::GzEncoder::new(Vec::new(), Compression::best());
        writer.write_all(body).unwrap();
        writer.finish().unwrap()
    }

    fn zlib(body: &[u8]) -> Vec<u8> {
        let mut writer = flate2::write::ZlibEncoder::new(Vec::new(), Compression::fast());
        writer.write_all(body).unwrap();
        writer.finish().unwrap()
    }

    fn zstd(body: &[u8]) -> Vec<u8> {
        ruzstd::encoding::compress_to_vec(body, ruzstd::encoding::CompressionLevel::Fastest)
    }

    /// A brotli stream of one uncompressed meta-block (RFC 7932 section 9.2) and an empty last one.
    fn brotli(body: &[u8]) -> Vec<u8> {
        let length = u32::try_from(body.len() - 1).unwrap();
        assert!(length < 1 << 16);
        // WBITS=16 is one bit 0; ISLAST=0; MNIBBLES=4 is 00; MLEN-1 in 16 bits; ISUNCOMPRESSED=1.
        let header = length << 4 | 1 << 20;
        let mut stream = header.to_le_bytes()[..3].to_vec();
        stream.extend(body);
        stream.push(3);
        stream
    }

    fn check(codings: &[&str], body: &[u8]) -> Result<Vec<u8>, String> {
        decode(codings.iter().copied(), body, &Limits::default())
            .map(Cow::into_owned)
            .map_err(|problem| problem.to_string())
    }

    #[test]
    fn each_coding_is_undone() {
        let body = b"{\"branch\":\"main\"}";
        for (codings, encoded) in [
            (&[][..], body.to_vec()),
            (&["identity"], body.to_vec()),
            (&["gzip"], gzip(body)),
            (&["X-GZIP"], gzip(body)),
            (&["deflate"], zlib(body)),
            (&["zstd"], zstd(body)),
            (&["br"], brotli(body)),
            (&["gzip, br"], brotli(&gzip(body))),
            (&["zstd", "gzip"], gzip(&zstd(body))),
        ] {
            assert_eq!(
                check(codings, &encoded).as_deref(),
                Ok(&body[..]),
                "{codings:?}"
            );
        }
    }

    #[test]
    fn what_does_not_decode_is_an_error() {
        let body = b"hello";
        for (codings, encoded) in [
            ("gzip", body.to_vec()),
            ("br", vec![0xff; 9]),
            ("zstd", body.to_vec()),
            ("deflate", body.to_vec()),
            ("compress", body.to_vec()),
            ("*", body.to_vec()),
            ("gzip, gzip, gzip", gzip(&gzip(&gzip(body)))),
            ("gzip", [gzip(body), gzip(b"more")].concat()),
            ("gzip", [gzip(body), b"x".to_vec()].concat()),
            ("deflate", [zlib(body), b"x".to_vec()].concat()),
            ("zstd", [zstd(body), zstd(b"more")].concat()),
            ("br", [brotli(body), b"x".to_vec()].concat()),
            ("gzip", gzip(body)[..12].to_vec()),
            ("zstd", zstd(body)[..8].to_vec()),
            ("br", brotli(body)[..5].to_vec()),
            ("deflate", zlib(body)[..5].to_vec()),
        ] {
            assert!(
                check(&[codings], &encoded).is_err(),
                "{codings} {encoded:?}"
            );
        }
    }

    #[test]
    fn a_bomb_stays_small() {
        let bomb = gzip(&vec![b'a'; 1 << 20]);
        assert!(check(&["gzip"], &bomb).unwrap_err().contains("larger"));
        let limits = Limits {
            decoded_bytes: 1000,
            ..Limits::default()
        };
        assert!(decode(["zstd"].into_iter(), &zstd(&vec![7; 1001]), &limits).is_err());
    }

    proptest! {
        #[test]
        fn no_bytes_panic(body in proptest::collection::vec(any::<u8>(), 0..64), magic in 0..4usize) {
            let magic: &[u8] = [&[][..], &[0x1f, 0x8b, 8, 0], &[0x28, 0xb5, 0x2f, 0xfd], &[0x78, 0x9c]][magic];
            let body = [magic, &body].concat();
            for coding in ["gzip", "deflate", "br", "zstd"] {
                let _ = check(&[coding], &body);
            }
        }
    }
}
