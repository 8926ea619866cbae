//! Handles: their form, what they stand for, and what is dropped.

use super::*;

fn keep(handles: &mut Handles, bytes: usize) -> String {
    let (said, _) = handles
        .keep("read_email", Kind::Text(4), bytes, Arc::new(handles.given))
        .unwrap();
    said
}

fn finds(handles: &Handles, text: &str) -> Option<u64> {
    let (_, value) = handles.find(&Reference::parse(text)?)?;
    value.downcast_ref::<u64>().copied()
}

#[test]
fn a_value_is_found_by_what_was_said_of_it_and_nothing_else() {
    let mut handles = Handles::new(0, 482_913);
    let first = keep(&mut handles, 4);
    let second = keep(&mut handles, 4);
    assert_eq!(first, "$read_email.1482913 (text, 4 characters)");
    assert_eq!(finds(&handles, &first), Some(0));
    assert_eq!(finds(&handles, &second), Some(1));
    assert_eq!(finds(&handles, "$read_email.2482913"), Some(1));
    for forged in [
        "$read_email.3482913",
        "$read_email.1",
        "$read_email.01482913",
        "$read_mail.1482913",
        "$READ_EMAIL.1482913",
        "$read_email.1482913 (text, 5 characters)",
        "$read_email.1482913 ",
        " $read_email.1482913",
        "see $read_email.1482913",
        "$read_email.1482913 (text, 4 characters) and more",
        "read_email.1482913",
        "$read_email.99999999999999999999999",
        "$read_email.",
        "$.1482913",
        "$",
        "",
    ] {
        assert_eq!(finds(&handles, forged), None, "{forged}");
    }
}

#[test]
fn a_price_is_no_handle() {
    for text in [
        "$5.00",
        "$12.50",
        "$1,000.00",
        "$.50",
        "$HOME/x.1",
        "$a b.1",
    ] {
        assert_eq!(Reference::parse(text), None, "{text}");
    }
}

#[test]
fn no_two_sessions_give_out_the_same_handle() {
    let (mut one, mut other) = (Handles::new(0, 1), Handles::new(0, 2));
    let of_one = keep(&mut one, 4);
    keep(&mut other, 4);
    assert_eq!(finds(&other, &of_one), None);
}

#[test]
fn a_forked_process_gives_out_other_handles_and_knows_the_old_ones() {
    let (mut parent, mut child) = (Handles::new(0, 1), Handles::new(0, 1));
    let before = keep(&mut parent, 4);
    keep(&mut child, 4);
    child.continue_in(1, || 2);
    let of_child = keep(&mut child, 4);
    keep(&mut parent, 4);
    assert_eq!(finds(&parent, &of_child), None);
    assert_eq!(finds(&child, &before), Some(0));
}

#[test]
fn the_oldest_make_room() {
    let mut handles = Handles::new(0, 7);
    let first = keep(&mut handles, MAX_BYTES / 2);
    let second = keep(&mut handles, MAX_BYTES / 2);
    let third = keep(&mut handles, 1);
    assert_eq!(finds(&handles, &first), None);
    assert_eq!(finds(&handles, &second), Some(1));
    assert_eq!(finds(&handles, &third), Some(2));
    for _ in 0..MAX_KEPT {
        keep(&mut handles, 0);
    }
    assert_eq!(finds(&handles, &third), None);
    assert_eq!(handles.kept.len(), MAX_KEPT);
    assert_eq!(handles.bytes, 0);
}

#[test]
fn what_is_too_large_is_not_kept_and_costs_nobody_his_place() {
    let mut handles = Handles::new(0, 7);
    let first = keep(&mut handles, 4);
    let larger = handles.keep("t", Kind::Object, MAX_BYTES + 1, Arc::new(()));
    assert_eq!(larger.unwrap_err(), TooLarge);
    assert_eq!(finds(&handles, &first), Some(0));
}

#[test]
fn a_name_of_any_form_makes_a_handle_that_is_read_back() {
    let long = "x".repeat(300);
    for tool in [
        "mail.read",
        "5th",
        "",
        "lésen",
        "a (b) c",
        "$x.1",
        long.as_str(),
    ] {
        let mut handles = Handles::new(0, 7);
        let (said, _) = handles
            .keep(tool, Kind::Bytes(1), 1, Arc::new(9_u64))
            .unwrap();
        assert_eq!(finds(&handles, &said), Some(9), "{tool}");
    }
}

proptest::proptest! {
    /// Whatever a model writes is read without a panic, and what is read is written the same.
    #[test]
    fn what_is_read_is_written_the_same(text in "\\PC{0,40}|\\$[a-z_.]{1,9}\\.[0-9]{1,22}( \\([a-z0-9, ]*\\))?") {
        if let Some(reference) = Reference::parse(&text) {
            let said = reference.said.map_or(String::new(), |said| format!(" ({said})"));
            proptest::prop_assert_eq!(format!("{}{said}", reference.handle), text);
        }
    }
}
