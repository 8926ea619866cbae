//! What an address or host name is, whoever it belongs to: loopback, link-local, a cloud's metadata service.
//!
//! Separate because the answer depends on nothing but the address, and because it is asked twice: for the host of a request
//! and, by a hook, for the address a name led to.
//! INVARIANT: an IPv4 address is recognised inside every IPv6 form that carries it.
//! SOURCE: RFC 3927 and RFC 4291 section 2.5.6 (link-local), RFC 6890; docs.aws.amazon.com "Instance metadata" (`fd00:ec2::254`),
//! cloud.google.com "About VM metadata" (`metadata.google.internal`, `fd20:ce::254`); RFC 6052 and RFC 3056 (embedded IPv4).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The address itself: an IPv4 address where an IPv6 one only carries it.
pub fn unwrapped(address: IpAddr) -> IpAddr {
    let IpAddr::V6(v6) = address else {
        return address;
    };
    match embedded(v6) {
        Some(v4) => IpAddr::V4(v4),
        None => address,
    }
}

/// What kind of address no tool has business with, in words that complete "the host is".
pub fn forbidden_address(address: IpAddr) -> Option<&'static str> {
    match unwrapped(address) {
        IpAddr::V4(v4) if v4.is_link_local() => {
            Some("a link-local address, where clouds keep their metadata service")
        }
        IpAddr::V6(v6) if METADATA_V6.contains(&v6) => Some("a cloud's metadata service"),
        IpAddr::V6(v6) if v6.is_unicast_link_local() => Some("a link-local address"),
        IpAddr::V4(_) | IpAddr::V6(_) => None,
    }
}

/// The same for a canonical host: an address, or a name that clouds give their metadata service.
pub fn forbidden_host(host: &str) -> Option<&'static str> {
    match host.parse() {
        Ok(address) => forbidden_address(address),
        Err(_) if METADATA_NAMES.contains(&host) => Some("a cloud's metadata service"),
        Err(_) => None,
    }
}

/// Whether a canonical host is this machine by its very name, where a port is just a service.
pub fn is_loopback_host(host: &str) -> bool {
    match host.parse().map(unwrapped) {
        // The unspecified address connects to this machine too.
        Ok(address) => address.is_loopback() || address.is_unspecified(),
        Err(_) => host == "localhost" || host.ends_with(".localhost"),
    }
}

/// Whether an address leads to one machine of one network, so that two names of it are two names of one server.
pub fn is_private(address: IpAddr) -> bool {
    match unwrapped(address) {
        IpAddr::V4(v4) => v4.is_private() || v4.is_loopback() || v4.is_unspecified(),
        IpAddr::V6(v6) => v6.is_unique_local() || v6.is_loopback() || v6.is_unspecified(),
    }
}

fn embedded(v6: Ipv6Addr) -> Option<Ipv4Addr> {
    let [a, b, c, d, e, f, g, h] = v6.segments();
    let from = |high: u16, low: u16| Ipv4Addr::from(u32::from(high) << 16 | u32::from(low));
    match [a, b, c, d, e, f] {
        [0, 0, 0, 0, 0, 0xffff] | [0x64, 0xff9b, 0, 0, 0, 0] => Some(from(g, h)),
        // IPv4-compatible; `::` and `::1` are IPv6's own.
        [0, 0, 0, 0, 0, 0] if g != 0 => Some(from(g, h)),
        [0x2002, high, low, ..] => Some(from(high, low)),
        _ => None,
    }
}

const METADATA_V6: &[Ipv6Addr] = &[
    Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254),
    Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254),
];

const METADATA_NAMES: &[&str] = &["metadata", "metadata.goog", "metadata.google.internal"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_and_link_local_in_every_spelling() {
        for host in [
            "169.254.169.254",
            "169.254.0.1",
            "fe80::1",
            "febf::1",
            "fd00:ec2::254",
            "fd20:ce::254",
            "::ffff:169.254.169.254",
            "64:ff9b::a9fe:a9fe",
            "::a9fe:a9fe",
            "2002:a9fe:a9fe::1",
            "metadata.google.internal",
            "metadata.goog",
            "metadata",
        ] {
            assert!(forbidden_host(host).is_some(), "{host}");
        }
        for host in [
            "169.253.0.1",
            "10.0.0.1",
            "127.0.0.1",
            "::1",
            "::",
            "fec0::1",
            "fd00:ec2::253",
            "2002:808:808::1",
            "api.github.com",
        ] {
            assert!(forbidden_host(host).is_none(), "{host}");
        }
    }

    #[test]
    fn loopback() {
        for host in [
            "localhost",
            "a.localhost",
            "127.0.0.1",
            "127.9.9.9",
            "::1",
            "::ffff:127.0.0.1",
            "0.0.0.0",
            "::",
        ] {
            assert!(is_loopback_host(host), "{host}");
        }
        for host in [
            "localhost.example.com",
            "notlocalhost",
            "10.0.0.1",
            "128.0.0.1",
            "fe80::1",
        ] {
            assert!(!is_loopback_host(host), "{host}");
        }
    }
}
