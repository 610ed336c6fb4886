"""The URLs and forms with which the crawl tries reports, sanctions and the pages of people.

No sanction succeeds: each is only previewed.
"""

from tests.leaks.account_routes import ListForms, ListPaths, fixed_paths, same_forms
from tests.leaks.observed_site import ObservedSite
from tests.leaks.seed_data import MESSAGE_REPORT_ID, WAITING_REPORT_ID
from webapp.kernel import urls


def _person_urls(observed_site: ObservedSite) -> list[str]:
    """Return the pages of a player and of someone who does not exist."""
    return [urls.moderated_person(ref) for ref in (observed_site.ref_of_player(), "none-such")]


def _sanction_urls(observed_site: ObservedSite) -> list[str]:
    return [
        urls.sanction(observed_site.ref_of_player(), kind) for kind in ("warn", "ban", "rename")
    ]


def _dashboard_urls(observed_site: ObservedSite) -> list[str]:
    """Return the lists of games: the whole site's and a club's, searched and filtered.

    A club's moderator, who may see no address, searches for what is part of other people's addresses in one game only.
    """
    seed = observed_site.seed_data
    game_states = ("stuck", "waiting", "lobby", "over")
    queries: list[dict[str, str]] = [
        {},
        *({"search": text} for text in ("bob", "another", seed.running_slug)),
        *({"state": state} for state in game_states),
    ]
    club_pages = [urls.moderation(club=seed.club_slug, **query) for query in queries]
    return [
        *(urls.moderation(**query) for query in queries),
        *club_pages,
        *_other_club_urls(observed_site),
    ]


def _other_club_urls(observed_site: ObservedSite) -> list[str]:
    clubs = (observed_site.seed_data.private_club_slug, "none-such")
    return [urls.moderation(club=slug) for slug in clubs]


def _reported_table_urls(observed_site: ObservedSite) -> list[str]:
    seed = observed_site.seed_data
    slugs = (seed.running_slug, seed.private_slug, seed.lobby_slug, "zzz")
    return [
        *map(urls.new_report, slugs),
        *(urls.new_report(slug, message=number) for slug in slugs for number in (1, 3)),
    ]


_REPORT_IDS = (1, WAITING_REPORT_ID, MESSAGE_REPORT_ID, MESSAGE_REPORT_ID + 1)
_LIST_REPORT_PATHS = fixed_paths(*map(urls.report, _REPORT_IDS))

MODERATION_PATHS: dict[str, ListPaths] = {
    "complaints.acknowledge_warning": fixed_paths(urls.acknowledge_warning()),
    "complaints.send_appeal": fixed_paths(urls.appeal("none-such")),
    "complaints.send_report": _reported_table_urls,
    "complaints.show_appeal": fixed_paths(urls.appeal("none-such")),
    "complaints.show_report_form": _reported_table_urls,
    "announcement.dismiss": fixed_paths(urls.dismiss_announcement(1)),
    "ledger.show_ledger": fixed_paths(urls.ledger(), urls.ledger(act="peek")),
    "moderation.show_dashboard": _dashboard_urls,
    "person.show_person": _person_urls,
    "reports.decide_report": _LIST_REPORT_PATHS,
    "reports.remove_message": fixed_paths(*map(urls.remove_message, _REPORT_IDS)),
    "reports.show_report": _LIST_REPORT_PATHS,
    "reports.show_reports": fixed_paths(urls.reports(), urls.reports(state="decided")),
    "sanctions.apply_sanction": _sanction_urls,
    "sanctions.show_sanction": _sanction_urls,
    "site_announcement.announce_to_site": fixed_paths(urls.site_announcement()),
    "site_announcement.show_announcement_form": fixed_paths(urls.site_announcement()),
    "site_announcement.withdraw": fixed_paths(urls.withdraw_announcement()),
}
MODERATION_FORMS: dict[str, ListForms] = {
    "complaints.acknowledge_warning": same_forms(),
    "complaints.send_appeal": same_forms({"complaint": "Not so"}),
    "complaints.send_report": same_forms({"seat": "0", "kind": "name", "complaint": "A bad name"}),
    "reports.decide_report": same_forms({"decision": "dismiss", "answer": ""}),
    # Not possible, so that the talk stays as it is: a removal needs a reason.
    "reports.remove_message": same_forms({"removal-reason": " "}),
    "sanctions.apply_sanction": same_forms({"reason": "insults", "days": "7", "name": "Agate"}),
    "announcement.dismiss": same_forms({"return_path": "//evil.test"}),
    "site_announcement.announce_to_site": same_forms(
        {"announcement": "New pumps", "hours": "24", "reason": "to warn"}
    ),
    "site_announcement.withdraw": same_forms({"announcement_id": "1", "reason": "over"}),
}
