//! One request as it is: what a tool sends, for whoever reads it whole before it leaves.
//!
//! Separate from `client`, which adds headers, credentials and repetitions of its own: nothing is added here that
//! [`Plain`] does not show, but for the length of the body.
//! INVARIANT: what is shown is what is sent.

use bytes::Bytes;
use http::header::{CONNECTION, CONTENT_LENGTH, HOST, PROXY_AUTHORIZATION, TRANSFER_ENCODING};
use http::{HeaderMap, HeaderName, Method, Request, Response};

use crate::budget::Context;
use crate::error::{Error, Kind};
use crate::transport::{Outgoing, Transport};
use crate::url::Url;

/// A request that is ready to leave.
#[derive(Debug)]
pub struct Plain {
    out: Outgoing,
}

impl Plain {
    /// A request to a whole address.
    /// Errors: an address that is none, and a header that says how the request is framed.
    pub fn new(request: Request<Bytes>) -> Result<Plain, Error> {
        let (parts, body) = request.into_parts();
        let unfit = |text: String| Error::new(Kind::Request, text);
        let url = Url::parse(&parts.uri.to_string()).map_err(|why| unfit(why.to_string()))?;
        let framing = FRAMING
            .iter()
            .find(|name| parts.headers.contains_key(*name));
        if let Some(name) = framing {
            return Err(unfit(format!(
                "the header `{name}` is not the caller's to set"
            )));
        }
        Ok(Plain {
            out: Outgoing {
                method: parts.method,
                url,
                headers: parts.headers,
                body,
                learned: false,
                harmless: false,
            },
        })
    }

    /// The method.
    pub fn method(&self) -> &Method {
        &self.out.method
    }

    /// The address.
    pub fn url(&self) -> &Url {
        &self.out.url
    }

    /// The headers, without `Host` and `Content-Length`.
    pub fn headers(&self) -> &HeaderMap {
        &self.out.headers
    }

    /// The body.
    pub fn body(&self) -> &Bytes {
        &self.out.body
    }

    /// Send it. A redirect and an error status are answers; nothing is sent twice but what never arrived.
    /// Errors: what the exchange failed with.
    pub async fn send(
        &self,
        transport: &Transport,
        ctx: &Context,
    ) -> Result<Response<Bytes>, Error> {
        let received = transport.exchange(ctx, &self.out).await;
        let received =
            received.map_err(|error| error.of_request(&self.out.method, &self.out.url))?;
        let mut answer = Response::new(received.body);
        *answer.headers_mut() = received.headers;
        *answer.status_mut() = http::StatusCode::from_u16(received.status)
            .map_err(|_| Error::malformed("the answer has no status"))?;
        Ok(answer)
    }
}

/// What says how a request is framed and where it goes; that is the transport's.
const FRAMING: [HeaderName; 5] = [
    CONNECTION,
    CONTENT_LENGTH,
    HOST,
    PROXY_AUTHORIZATION,
    TRANSFER_ENCODING,
];

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(uri: &str, header: Option<(&str, &str)>) -> Result<Plain, Error> {
        let mut request = Request::get(uri);
        if let Some((name, value)) = header {
            request = request.header(name, value);
        }
        Plain::new(request.body(Bytes::new()).unwrap())
    }

    #[test]
    fn whoever_reads_it_sees_all_that_leaves() {
        let sent = plain("https://h.example/a?b=c", Some(("x-y", "z"))).unwrap();
        assert_eq!(sent.url().path(), "/a");
        assert_eq!(sent.url().query(), Some("b=c"));
        assert_eq!(sent.headers().get("x-y").unwrap(), "z");
    }

    #[test]
    fn nobody_frames_it_but_the_transport() {
        for name in FRAMING {
            let found = plain("https://h.example/", Some((name.as_str(), "1")));
            assert!(found.unwrap_err().to_string().contains(name.as_str()));
        }
        assert!(plain("/only/a/path", None).is_err());
    }
}
