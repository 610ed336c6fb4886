"""The routes of the pages about accounts, and how paths and forms are listed for the crawl."""

from collections.abc import Callable, Iterable
from typing import TypeAlias

from tests.leaks.observed_site import ObservedSite
from webapp.kernel import urls

ListPaths: TypeAlias = Callable[[ObservedSite], Iterable[str]]
ListForms: TypeAlias = Callable[[ObservedSite], Iterable[dict[str, str]]]

_MISSING_SLUG = "zzzzzzzzzzzz"


def fixed_paths(*paths: str) -> ListPaths:
    return lambda _: paths


def same_forms(*same_forms: dict[str, str]) -> ListForms:
    return lambda _: ({}, *same_forms)


ACCOUNT_PATHS: dict[str, ListPaths] = {
    "profile.change_profile": fixed_paths(urls.profile()),
    "sessions.sign_out_other_browsers": fixed_paths(urls.other_sessions()),
    "sessions.sign_out_browser": fixed_paths(urls.session("none-such")),
    "sessions.show_security": fixed_paths(urls.account_security()),
    "address.show_address_form": fixed_paths(urls.account_address()),
    "address.request_change": fixed_paths(urls.account_address()),
    "address.withdraw_change": fixed_paths(urls.withdraw_address()),
    "address.resume_emails": fixed_paths(urls.resume_emails()),
    "address.show_address_link": fixed_paths(urls.address_link("none-such")),
    "address.confirm_change": fixed_paths(urls.address_link("none-such")),
    "passkeys.show_new_passkey": fixed_paths(urls.new_passkey()),
    "passkeys.begin_adding_passkey": fixed_paths(urls.new_passkey_options()),
    "passkeys.add_passkey": fixed_paths(urls.new_passkey()),
    "passkeys.show_passkey_to_remove": fixed_paths(urls.remove_passkey("none-such")),
    "passkeys.remove_passkey": fixed_paths(urls.remove_passkey("none-such")),
    "passkey_proofs.begin_sign_in": fixed_paths(urls.passkey_sign_in_options()),
    "passkey_proofs.sign_in": fixed_paths(urls.passkey_sign_in()),
    "passkey_proofs.begin_confirming_identity": fixed_paths(urls.identity_passkey_options()),
    "passkey_proofs.confirm_identity": fixed_paths(urls.identity_passkey()),
    "blocked.show_blocked": fixed_paths(urls.blocked_people()),
    "blocked.unblock": fixed_paths(urls.unblock("none-such")),
    "muted.show_muted": fixed_paths(urls.muted_people()),
    "muted.unmute": fixed_paths(urls.unmute("none-such")),
    "time_away.show_time_away": fixed_paths(urls.time_away()),
    "time_away.declare_future_absence": fixed_paths(urls.time_away()),
    "time_away.start_holiday": fixed_paths(urls.start_holiday()),
    "time_away.show_absence": fixed_paths(urls.absence(1)),
    "time_away.change_absence": fixed_paths(urls.absence(1)),
    "time_away.end_absence": fixed_paths(urls.end_absence(1)),
    "time_away.change_reminders": fixed_paths(urls.reminders()),
    "time_away.change_quiet_hours": fixed_paths(urls.quiet_hours()),
    "time_away.change_open_seat_emails": fixed_paths(urls.open_seat_emails()),
    "data.show_data": fixed_paths(urls.account_data()),
    "data.show_export": fixed_paths(urls.account_export()),
    "data.download": fixed_paths(urls.account_export()),
    "data.show_deletion": fixed_paths(urls.account_deletion()),
    "data.delete_account": fixed_paths(urls.account_deletion()),
    "privacy.show_privacy": fixed_paths(urls.privacy()),
    "identity.show_identity": fixed_paths(urls.identity()),
    "identity.request_identity_code": fixed_paths(urls.identity_code()),
    "identity.confirm_identity": fixed_paths(urls.identity()),
    "profile.dismiss_hints": fixed_paths(urls.dismiss_hints()),
    "profile.resubscribe": fixed_paths(urls.profile_emails()),
    "profile.show_profile": fixed_paths(urls.profile()),
    "sign_in.request_sign_in": fixed_paths(urls.sign_in()),
    "sign_in.show_sign_in": fixed_paths(urls.sign_in(), urls.sign_in(return_path="/games/x")),
    "sign_in.show_code_form": fixed_paths(urls.sign_in_code()),
    "sign_in.show_sign_in_link": fixed_paths(urls.sign_in_link("none-such")),
    "sign_in.sign_out": fixed_paths(urls.sign_out()),
    "sign_in.sign_in_with_code": fixed_paths(urls.sign_in_code()),
    "sign_in_pause.show_pause": fixed_paths(urls.sign_in_pause("none-such")),
    "sign_in_pause.pause": fixed_paths(urls.sign_in_pause("none-such")),
    "sign_in.sign_in_with_link": fixed_paths(urls.sign_in_link("none-such")),
}

ACCOUNT_FORMS: dict[str, ListForms] = {
    "profile.change_profile": same_forms({"name": "\u202e", "language": "xx", "zone": "Mars"}),
    "sessions.sign_out_other_browsers": same_forms(),
    "sessions.sign_out_browser": same_forms(),
    "address.request_change": same_forms({"address": "no"}, {"address": "moved@example.test"}),
    "address.withdraw_change": same_forms(),
    "address.resume_emails": same_forms(),
    "address.confirm_change": same_forms(),
    "blocked.unblock": same_forms(),
    "muted.unmute": same_forms(),
    "time_away.declare_future_absence": same_forms({"first_day": "9999-99-99", "last_day": "x"}),
    "time_away.start_holiday": same_forms({"now-last_day": "x", "now-last_time": "99:99"}),
    "time_away.change_absence": same_forms({"first_day": "x"}),
    "time_away.end_absence": same_forms(),
    "time_away.change_reminders": same_forms({"hours_1": "12"}, {"hours_3": "-1"}),
    "time_away.change_quiet_hours": same_forms({"from_1": "23:00", "weekdays_1": "9"}),
    "time_away.change_open_seat_emails": same_forms({"wants_open_seats": "y"}),
    "data.download": same_forms(),
    "data.delete_account": same_forms({"address": "someone@example.test"}),
    "passkeys.begin_adding_passkey": same_forms(),
    "passkeys.add_passkey": same_forms({"name": "phone", "credential": "{}"}),
    "passkeys.remove_passkey": same_forms(),
    "passkey_proofs.begin_sign_in": same_forms(),
    "passkey_proofs.sign_in": same_forms({"credential": "{}"}),
    "passkey_proofs.begin_confirming_identity": same_forms(),
    "passkey_proofs.confirm_identity": same_forms({"credential": "{}"}),
    "identity.request_identity_code": same_forms(),
    "identity.confirm_identity": same_forms({"code": "000000"}),
    "profile.dismiss_hints": same_forms(),
    "profile.resubscribe": same_forms({"scope": "game", "table": _MISSING_SLUG}),
    "sign_in.request_sign_in": same_forms({"address": "no"}, {"address": "new@example.test"}),
    "sign_in.sign_out": same_forms(),
    "sign_in.sign_in_with_code": same_forms({"code": "000000"}),
    "sign_in.sign_in_with_link": same_forms(),
    "sign_in_pause.pause": same_forms(),
}
