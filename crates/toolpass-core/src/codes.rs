//! Every code there is: what a check may answer, and what a call may be refused with.
//!
//! Two closed sets, one row each. The strings are the wire form. An outcome is computed from its code and never stored
//! next to it, so the two cannot disagree.

/// What a decision means for the person asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The system positively said yes.
    Allow,
    /// The system positively said no.
    Deny,
    /// It could not be found out. Treated as no, and said to be something else than no.
    Unknown,
}

impl Outcome {
    /// The wire form: `allow`, `deny`, `unknown`.
    pub fn as_str(self) -> &'static str {
        match self {
            Outcome::Allow => "allow",
            Outcome::Deny => "deny",
            Outcome::Unknown => "unknown",
        }
    }
}

macro_rules! codes {
    ($(#[$doc:meta])* $name:ident { $($variant:ident $wire:literal $kind:ident $help:literal;)+ } kind: $kind_type:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $(#[doc = $help] $variant,)+ }

        impl $name {
            /// Every member, in the order of the table.
            pub const ALL: &'static [$name] = &[$($name::$variant),+];

            /// The wire form.
            pub fn as_str(self) -> &'static str {
                match self { $($name::$variant => $wire),+ }
            }

            /// The member whose wire form is `text`.
            pub fn parse(text: &str) -> Option<$name> {
                match text { $($wire => Some($name::$variant),)+ _ => None }
            }

            /// One line for the reference: when it is given.
            pub fn help(self) -> &'static str {
                match self { $($name::$variant => $help),+ }
            }

            /// The column of the table that says what kind of answer it is.
            pub fn kind(self) -> $kind_type {
                match self { $($name::$variant => $kind_type::$kind),+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

codes! {
    /// What a check answers.
    Code {
        Allowed             "allowed"               Allow   "the system positively says yes";
        Denied              "denied"                Deny    "the system positively says no";
        UserNotFound        "user_not_found"        Deny    "no account for the e-mail";
        ClientError         "client_error"          Unknown "made by a remote client or the command; never sent by a server";
        CredentialRejected  "credential_rejected"   Unknown "toolpass's own credential was refused or is unusable";
        InvalidRequest      "invalid_request"       Unknown "the question is malformed";
        NotConfigured       "not_configured"        Unknown "this deployment cannot ask the question as configured";
        Overloaded          "overloaded"            Unknown "the server is shedding load, draining, or limits this key";
        ResourceNotVisible  "resource_not_visible"  Unknown "toolpass's credential cannot see the resource, so absence proves nothing";
        Unauthorized        "unauthorized"          Unknown "the server refused the caller's API key";
        UnknownAction       "unknown_action"        Unknown "the integration has no such action";
        UnknownConnection   "unknown_connection"    Unknown "no connection has that id";
        Unsupported         "unsupported"           Unknown "a rule or policy that cannot be evaluated";
        UpstreamError       "upstream_error"        Unknown "any other failure of the system asked, or a malformed answer";
        UpstreamRateLimited "upstream_rate_limited" Unknown "the system asked is throttling toolpass";
        UpstreamTimeout     "upstream_timeout"      Unknown "the budget was spent, or the network timed out";
        UserAmbiguous       "user_ambiguous"        Unknown "several accounts match the e-mail";
    }
    kind: Outcome
}

impl Code {
    /// The outcome this code stands for.
    pub fn outcome(self) -> Outcome {
        self.kind()
    }
}

/// What sort of "no" a refusal is: the first thing its reader needs to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RefusalKind {
    /// It was decided, and the answer is no.
    MayNot,
    /// It could not be found out.
    NotKnown,
    /// An operator must act before it can be asked.
    NotSetUp,
}

codes! {
    /// What a call or a request is refused with.
    RefusalCode {
        AmbiguousConnection "ambiguous_connection" NotSetUp "several connections answer for this host and not exactly one owns the resource";
        AuthorityExceeded   "authority_exceeded"   MayNot   "the session's delegation does not include it";
        AuthorityExpired    "authority_expired"    MayNot   "the session's delegation is past its deadline";
        AuthorityInvalid    "authority_invalid"    MayNot   "the session's delegation is for another user or holder, or does not verify";
        AuthorityRevoked    "authority_revoked"    MayNot   "the handoff this session came from is over";
        AuthorizationError  "authorization_error"  NotKnown "whether the user may could not be decided";
        CheckError          "check_error"          NotKnown "a check failed unexpectedly";
        CredentialError     "credential_error"     NotKnown "the tool's credential is unavailable";
        EffectExceeded      "effect_exceeded"      MayNot   "a request is stronger than the effect the tool declares";
        EffectMismatch      "effect_mismatch"      NotSetUp "the declared effect is weaker than a recorded action's";
        ExfiltrationRisk    "exfiltration_risk"    MayNot   "private data was read, outside text was seen, and this would send data out";
        HostMismatch        "host_mismatch"        NotKnown "the request names another host than the one it connects to";
        InvalidArguments    "invalid_arguments"    MayNot   "the arguments do not fit the tool";
        LimitReached        "limit_reached"        MayNot   "the session has used up this limit";
        NoEntitlements      "no_entitlements"      NotSetUp "entitlements are given and this tool is not in them";
        NoSession           "no_session"           NotSetUp "no session says for whom the agent works";
        NotAuthorized       "not_authorized"       MayNot   "the system that owns it says the user may not";
        NotConfigured       "not_configured"       NotSetUp "nothing was checked; an operator must act";
        OutOfScope          "out_of_scope"         MayNot   "an argument or resource is outside the tool's scope";
        UnentitledAction    "unentitled_action"    MayNot   "the tool's entitlements do not list this action";
        UnknownHost         "unknown_host"         MayNot   "the host belongs to no connection";
        UnmappedAction      "unmapped_action"      NotKnown "no route says what this request does";
        UnresolvedResource  "unresolved_resource"  NotKnown "the request does not say unambiguously what it acts on";
        UntrustedContext    "untrusted_context"    MayNot   "outside text was read, and this effect is not open after that";
        UntrustedInput      "untrusted_input"      MayNot   "the call repeats outside text";
    }
    kind: RefusalKind
}

/// The refusal a decision leads to; `None` for allow. The one mapping, used before a body and at a request.
pub fn refusal_of(code: Code) -> Option<RefusalCode> {
    match code {
        Code::Allowed => None,
        Code::Denied | Code::UserNotFound => Some(RefusalCode::NotAuthorized),
        Code::NotConfigured
        | Code::Unauthorized
        | Code::UnknownAction
        | Code::UnknownConnection => Some(RefusalCode::NotConfigured),
        Code::ClientError
        | Code::CredentialRejected
        | Code::InvalidRequest
        | Code::Overloaded
        | Code::ResourceNotVisible
        | Code::Unsupported
        | Code::UpstreamError
        | Code::UpstreamRateLimited
        | Code::UpstreamTimeout
        | Code::UserAmbiguous => Some(RefusalCode::AuthorizationError),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_wire_form_reads_back() {
        for code in Code::ALL {
            assert_eq!(Code::parse(code.as_str()), Some(*code));
        }
        for code in RefusalCode::ALL {
            assert_eq!(RefusalCode::parse(code.as_str()), Some(*code));
        }
    }

    #[test]
    fn only_allowed_allows_and_only_two_deny() {
        for code in Code::ALL {
            let expected = match code.as_str() {
                "allowed" => Outcome::Allow,
                "denied" | "user_not_found" => Outcome::Deny,
                _ => Outcome::Unknown,
            };
            assert_eq!(code.outcome(), expected, "{code}");
            assert_eq!(
                refusal_of(*code).is_none(),
                *code == Code::Allowed,
                "{code}"
            );
        }
    }

    #[test]
    fn only_a_positive_no_claims_the_user_may_not() {
        for code in Code::ALL {
            let claims = refusal_of(*code) == Some(RefusalCode::NotAuthorized);
            assert_eq!(claims, code.outcome() == Outcome::Deny, "{code}");
        }
    }
}
