"""The URLs and forms of what players write to and about each other: talk, notes, marks and blocks."""

from tests.leaks.account_routes import ListForms, ListPaths, same_forms
from tests.leaks.observed_site import ObservedSite
from webapp.kernel import urls

_SEEDED_MESSAGES = (1, 2, 3)
_NO_SUCH_MESSAGE = 999


def _slugs(observed_site: ObservedSite) -> tuple[str, ...]:
    seed = observed_site.seed_data
    return (seed.running_slug, seed.private_slug, seed.lobby_slug, "zzzzzzzzzzzz")


def _message_urls(observed_site: ObservedSite) -> list[str]:
    """Return the messages of the running game, and messages that do not exist."""
    return [
        *(
            urls.message(observed_site.seed_data.running_slug, number)
            for number in _SEEDED_MESSAGES
        ),
        *(urls.message(slug, _NO_SUCH_MESSAGE) for slug in _slugs(observed_site)),
    ]


TALK_PATHS: dict[str, ListPaths] = {
    "players.show_players": lambda observed_site: map(urls.players, _slugs(observed_site)),
    "players.block": lambda observed_site: [urls.block(slug, 9) for slug in _slugs(observed_site)],
    "private_notes.save": lambda observed_site: map(urls.notes, _slugs(observed_site)),
    "talk.send": lambda observed_site: map(urls.messages, _slugs(observed_site)),
    "talk.show_message": _message_urls,
    "talk.edit": _message_urls,
    "talk.delete": lambda observed_site: [
        urls.delete_message(slug, _NO_SUCH_MESSAGE) for slug in _slugs(observed_site)
    ],
    "talk.mute": lambda observed_site: [
        urls.mute_author(slug, _NO_SUCH_MESSAGE) for slug in _slugs(observed_site)
    ],
}
TALK_FORMS: dict[str, ListForms] = {
    "players.block": same_forms(),
    # Not possible, so that the pages stay as they are: the form is out of date, and no message is empty.
    "private_notes.save": same_forms({"note": "x", "replaces": "none", "mark": "1 suspect"}),
    "talk.send": same_forms({"message": " ", "form_id": "x"}),
    "talk.edit": same_forms({"message": " "}),
    "talk.delete": same_forms(),
    "talk.mute": same_forms(),
}
