"""The URLs and forms with which the crawl tries the routes of clubs."""

from tests.leaks.account_routes import ListForms, ListPaths, fixed_paths, same_forms
from tests.leaks.observed_site import ObservedSite
from webapp.kernel import urls

_MISSING_SLUG = "zzzzzzzzzzzz"


def _club_slugs(observed_site: ObservedSite) -> tuple[str, ...]:
    return (
        observed_site.seed_data.club_slug,
        observed_site.seed_data.private_club_slug,
        _MISSING_SLUG,
    )


def _club_action_paths(verb: str) -> ListPaths:
    return lambda observed_site: [
        urls.club_action(slug, verb) for slug in _club_slugs(observed_site)
    ]


def _club_decision_urls(observed_site: ObservedSite) -> list[str]:
    """Return decisions about members that the readers may not make, about ids that exist and ids that do not."""
    return [
        urls.club_member_action(slug, member_id, verb)
        for slug in _club_slugs(observed_site)
        for member_id in (1, 99)
        for verb in ("approve", "promote")
    ]


def _club_invitation_urls(observed_site: ObservedSite) -> list[str]:
    """Return the link of the private club, which its members share, and an invented link."""
    return [
        urls.club_invitation(token)
        for token in (observed_site.seed_data.club_link_token, "none-such")
    ]


CLUB_PATHS: dict[str, ListPaths] = {
    "club_members.accept_club_invitation": _club_invitation_urls,
    "club_members.show_club_invitation": _club_invitation_urls,
    "club_members.decide": _club_decision_urls,
    "club_members.invite": _club_action_paths("invite"),
    "club_members.renew_link": _club_action_paths("link"),
    "club_members.show_members": _club_action_paths("members"),
    "club_settings.add_season": _club_action_paths("seasons"),
    "club_settings.change_club": _club_action_paths("settings"),
    "club_settings.close_club": _club_action_paths("close"),
    "club_settings.delete_season": lambda observed_site: [
        urls.club_season(slug, 1) for slug in _club_slugs(observed_site)
    ],
    "club_settings.show_settings": _club_action_paths("settings"),
    "clubs.announce": _club_action_paths("announce"),
    "clubs.ask_to_join": _club_action_paths("ask"),
    "clubs.choose_emails": _club_action_paths("emails"),
    "clubs.found_club": fixed_paths(urls.clubs()),
    "clubs.leave": _club_action_paths("leave"),
    "clubs.show_club": lambda observed_site: map(urls.club, _club_slugs(observed_site)),
    "clubs.show_clubs": fixed_paths(urls.clubs()),
    "clubs.show_new_club": fixed_paths(urls.new_club()),
}
"""The paths at which every reader requests each endpoint."""

CLUB_FORMS: dict[str, ListForms] = {
    "club_members.accept_club_invitation": same_forms(),
    "club_members.decide": same_forms(),
    "club_members.invite": same_forms(
        {"address": "no"},
        {"address": "new@example.test"},
    ),
    "club_members.renew_link": same_forms(),
    "club_settings.add_season": same_forms({"season_name": "S", "starts_on": "x", "ends_on": "y"}),
    "club_settings.change_club": same_forms({"name": "\u202e"}),
    "club_settings.close_club": same_forms(),
    "club_settings.delete_season": same_forms(),
    "clubs.announce": same_forms({"announcement": "Hello"}),
    "clubs.ask_to_join": same_forms(),
    "clubs.choose_emails": same_forms({"announcements": "y"}),
    "clubs.found_club": same_forms({"name": "\u202e"}),
    "clubs.leave": same_forms({"proof": "x"}),
}
"""The forms sent to each endpoint that takes one."""
