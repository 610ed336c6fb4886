"""The URLs and forms with which the crawl tries every act of a moderator.

No act succeeds: the crawl compares two games, and an
act on one of them is another test.
"""

from collections.abc import Callable, Iterable
from typing import TypeAlias

from tests.leaks.observed_site import ObservedSite
from webapp.kernel import urls
from webapp.kernel.rights import GameRight

ListPaths: TypeAlias = Callable[[ObservedSite], Iterable[str]]
ListForms: TypeAlias = Callable[[ObservedSite], Iterable[dict[str, str]]]


def _act_urls(observed_site: ObservedSite) -> list[str]:
    """Return every act on the running game and on Alice's private one, and one act on the other games."""
    seed_data = observed_site.seed_data
    other_slugs = (seed_data.lobby_slug, seed_data.ready_check_slug, "zzzzzzzzzzzz")
    return [
        *(urls.moderated_act(seed_data.running_slug, act) for act in GameRight),
        *(urls.moderated_act(seed_data.private_slug, act) for act in GameRight),
        urls.moderated_act(seed_data.private_slug, GameRight.EXTEND, length="1", unit="days"),
        *(urls.moderated_act(slug, GameRight.PAUSE) for slug in other_slugs),
        urls.moderated_act(seed_data.running_slug, "none-such"),
    ]


def _refused_forms(_: ObservedSite) -> list[dict[str, str]]:
    return [
        {},
        {"reason": "\u202e"},
        {"reason": "late", "seq": "0", "entry": "0", "form_id": "crawl", "length": "0"},
        {"reason": "late", "seq": "9999", "entry": "0", "form_id": "crawl"},
    ]


def _bulk_act_urls(observed_site: ObservedSite) -> list[str]:
    games = (
        f"?game={observed_site.seed_data.running_slug}&game={observed_site.seed_data.private_slug}"
    )
    return [urls.bulk_act(GameRight.PAUSE) + games, urls.bulk_act(GameRight.EXTEND)]


PATHS_BY_ENDPOINT: dict[str, ListPaths] = {
    "acts.perform_act": _act_urls,
    "acts.show_act": _act_urls,
    "bulk_acts.perform_bulk_act": _bulk_act_urls,
    "bulk_acts.show_bulk_act": _bulk_act_urls,
}
FORMS_BY_ENDPOINT: dict[str, ListForms] = {
    "acts.perform_act": _refused_forms,
    "bulk_acts.perform_bulk_act": lambda observed_site: [
        *_refused_forms(observed_site),
        {
            "reason": "late",
            "game": f"{observed_site.seed_data.running_slug}:9999:0",
            "form_id": "crawl",
        },
    ],
}
