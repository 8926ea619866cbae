//! GitHub: may this user do this to a repository, an organization or a team of one GitHub organization.
//!
//! | file | holds |
//! |---|---|
//! | `config` `resource` `actions` `facts` | keys, resource types, the action table, what an observed request says besides |
//! | `identity/` | e-mail → login |
//! | `upstream/` | what is read from GitHub: address and strict reading of each record, credential, failures |
//! | `rules/` | records → decision, pure |
//! | `connection` `probe` | one configured organization: reads what the rules ask for |
//! | `routes` `extract` `graphql` | requests → actions and resources |

pub mod actions;
pub mod config;
pub mod facts;
pub mod resource;
pub mod rules;
pub mod upstream;
