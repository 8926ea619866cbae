//! The macros of route rows. The types behind them are `toolpass_wire::table`.

/// Declare a vendor's routes: `METHOD "template" Action "resource" columns…;`, one row a line.
///
/// `METHOD` is an HTTP method or `*`; `Action` a variant of the `Action` in scope, or `-` for none; the resource a
/// template in quotation marks, or `-`. Each column is a builder method of `Route`, with or without arguments: `sends_out`,
/// `sends_to(Public)`, `effect(Read)`, `trusted`, `untrusted`, `sensitive`, `agent_sight`, `agent_only("why")`, `reads(function)`,
/// `no_operation("why")`. Expands to a `Vec<Route>`.
#[macro_export]
macro_rules! routes {
    ($($method:tt $path:literal $action:tt $resource:tt $($column:ident $(($($argument:tt)*))?)*;)*) => {{
        #[allow(unused_imports, reason = "a table may use neither in its columns")]
        use $crate::{core::effect::Effect::*, wire::table::Audience::*};
        vec![$(
            $crate::wire::table::Route::new(
                stringify!($method), $path, $crate::routes!(@action $action), $crate::routes!(@resource $resource),
            )$(.$column($($($argument)*)?))*
        ),*]
    }};
    (@action -) => { None };
    (@action $action:ident) => { Some(Action::$action.name().into()) };
    (@resource -) => { None };
    (@resource $resource:literal) => { Some($resource.into()) };
}

/// Declare the request shapes a vendor's table leaves out: `METHOD "template" "reason";`. Expands to a `Vec<Unrouted>`.
#[macro_export]
macro_rules! unrouted {
    ($($method:tt $path:literal $reason:literal;)*) => {
        vec![$($crate::wire::table::Unrouted {
            method: stringify!($method).into(), path: $path.into(), reason: $reason.into(),
        }),*]
    };
}
