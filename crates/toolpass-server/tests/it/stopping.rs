//! How a server ends.

use toolpass_server::server::Signal;

use crate::client::Wire;
use crate::running::{FAKE, start};

const HEALTH: &str = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n";

#[test]
fn an_interrupt_ends_idle_connections_and_the_server() {
    let mut server = start(FAKE);
    let mut idle = Wire::open(server.address);
    idle.send(HEALTH);
    assert_eq!(idle.answer().status, 200);
    server.signal(Signal::Interrupt);
    assert!(idle.is_closed());
    server.ended();
    assert!(std::net::TcpStream::connect(server.address).is_err());
}

#[test]
fn a_termination_serves_on_until_it_is_drained() {
    let mut server = start(&format!("server: {{drain: 10m}}\n{FAKE}"));
    let mut kept = Wire::open(server.address);
    kept.send(HEALTH);
    assert_eq!(kept.answer().status, 200);
    server.signal(Signal::Terminate);
    kept.send(HEALTH);
    assert_eq!(kept.answer().status, 200);
    let mut new = Wire::open(server.address);
    new.send(HEALTH);
    assert_eq!(new.answer().status, 200);
    server.signal(Signal::Terminate);
    server.ended();
    assert!(kept.is_closed() && new.is_closed());
}
