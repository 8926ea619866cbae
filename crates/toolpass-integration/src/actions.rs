//! The action table of a vendor: a closed set, one row each.

use toolpass_core::effect::Effect;

/// One row of an action table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActionSpec {
    /// The name on the wire; for a pattern its documentation form (`raw:<verb>:<resource>`).
    pub name: &'static str,
    /// The resource types it may be asked on.
    pub on: &'static [&'static str],
    /// How much it can do.
    pub effect: Effect,
    /// A phrase completed by the resource: "open a pull request on".
    pub phrase: &'static str,
}

/// Declare a vendor's actions: an enum matched in full by the rules, and the table that documents it.
///
/// A row is `Variant "wire.name" type[|type] effect "phrase, completed by the resource";`. It expands to
/// `pub enum Action { Variant, … }` with `ALL`, `name()`, `parse(&str)`, `spec()`, and `pub const TABLE: &[ActionSpec]`.
#[macro_export]
macro_rules! actions {
    ($($variant:ident $name:literal $($on:ident)|+ $effect:ident $phrase:literal;)+) => {
        /// What may be done in this system.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Action { $(#[doc = $phrase] $variant,)+ }

        /// The action table, in the order of its rows.
        pub const TABLE: &[$crate::actions::ActionSpec] = &[$(Action::$variant.spec()),+];

        impl Action {
            /// Every action, in the order of the table.
            pub const ALL: &'static [Action] = &[$(Action::$variant),+];

            /// The name on the wire.
            pub const fn name(self) -> &'static str {
                match self { $(Action::$variant => $name),+ }
            }

            /// The action of that name.
            pub fn parse(name: &str) -> Option<Action> {
                match name { $($name => Some(Action::$variant),)+ _ => None }
            }

            /// The row.
            pub const fn spec(self) -> $crate::actions::ActionSpec {
                match self {
                    $(Action::$variant => $crate::actions::ActionSpec {
                        name: $name,
                        on: &[$(stringify!($on)),+],
                        effect: $crate::actions!(@effect $effect),
                        phrase: $phrase,
                    }),+
                }
            }
        }
    };
    (@effect read) => { $crate::core::effect::Effect::Read };
    (@effect write) => { $crate::core::effect::Effect::Write };
    (@effect destructive) => { $crate::core::effect::Effect::Destructive };
}
