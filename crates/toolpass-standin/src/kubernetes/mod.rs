//! A cluster: reviews answered by the roles and bindings in it, and the objects that tools work on.
//!
//! | file | is |
//! |---|---|
//! | `world` | what exists, as data · `demo`: the default |
//! | `call` | one request as an API server reads it: namespace, kind, name, verb |
//! | `rbac` | what a user may, by the roles and bindings stored in the world |
//! | `reviews` `discovery` `objects` `streams` | endpoints |
//!
//! Every object is kept under its path, roles and bindings among them, so a test that patches a binding away changes what reviews answer.
//! The stand-in authorises each request by the token's own user, as an API server does: the agent's may do everything.
//!
//! Source: k8s.io/apiserver `endpoints/request/requestinfo.go`, `plugin/pkg/auth/authorizer/rbac`; kubernetes.io "Kubernetes API Concepts".

mod call;
pub mod demo;
mod discovery;
mod objects;
mod rbac;
mod reviews;
mod standin;
mod streams;
pub mod world;

pub use standin::KubernetesStandin;
