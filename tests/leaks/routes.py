"""The URLs and forms with which the crawl tries every route. A new route must be added here."""

from collections.abc import Callable, Iterable
from typing import TypeAlias

from engine.view import legal_actions, view_for
from tests.leaks.observed_site import ObservedSite
from tests.support.engine.conceivable_actions import as_listed, conceivable_actions
from tests.support.engine.seeded_random import SeededRng
from tests.support.factories import KEYS
from tests.support.visitors import table_link
from webapp import urls
from webapp.pages.play.turn_form import form_fields_for

PathsOf: TypeAlias = Callable[[ObservedSite], Iterable[str]]
FormsOf: TypeAlias = Callable[[ObservedSite], Iterable[dict[str, str]]]

_ILLEGAL_TURNS = 6
_MISSING = "zzzzzzzzzzzz"


def _slugs(observed: ObservedSite) -> tuple[str, ...]:
    seeded = observed.seed_data
    return (seeded.running, seeded.private, seeded.lobby, seeded.checking, _MISSING)


def _of_games(url_of: Callable[[str], str]) -> PathsOf:
    return lambda observed: map(url_of, _slugs(observed))


def _lobby_action(verb: str) -> PathsOf:
    return _of_games(lambda slug: urls.lobby_action(slug, verb))


def _except_last_confirmation(verb: str) -> PathsOf:
    """Return the action's paths without the table where it could deal the cards, which would end the secrecy of the salts."""
    return lambda observed: [
        urls.lobby_action(slug, verb)
        for slug in (
            observed.seed_data.running,
            observed.seed_data.private,
            observed.seed_data.lobby,
            _MISSING,
        )
    ]


def _cancellations(observed: ObservedSite) -> list[str]:
    """Return the paths without the reader's own tables: the secrets of a cancelled table are shown."""
    is_host = observed.reader == 1
    hosted = {observed.seed_data.lobby, observed.seed_data.checking} if is_host else set()
    return [urls.lobby_action(slug, "cancel") for slug in _slugs(observed) if slug not in hosted]


def _tables(observed: ObservedSite) -> list[str]:
    choice = urls.game(observed.seed_data.running, refresh="off", card="map", cell="I5")
    return [*map(urls.game, _slugs(observed)), choice]


def _histories(observed: ObservedSite) -> list[str]:
    slug, seq = observed.seed_data.running, observed.state.seq
    steps = sorted({0, 1, seq // 2, seq - 1, seq, seq + 1})
    return [
        *map(urls.history, _slugs(observed)),
        *(urls.history(slug, until=step) for step in steps),
        *(urls.history(slug, seat=seat) for seat in range(5)),
    ]


def _invitations(observed: ObservedSite) -> list[str]:
    """Return the table link, which the people at the table share, and an invented link."""
    return [urls.invitation(_table_link_token(observed)), urls.invitation("none-such")]


def _table_link_token(observed: ObservedSite) -> str:
    bob = ObservedSite.visitor(observed).with_session(observed.seed_data.seated[1].cookie)
    return table_link(bob, observed.seed_data.lobby)


def _unsubscribe_urls(observed: ObservedSite) -> list[str]:
    """Return the URL at the end of the reader's own emails, and an invented one."""
    guest = observed.guest()
    own = (
        []
        if guest is None
        else [KEYS.token("unsubscribe", guest.person.address, "reminders", None)]
    )
    return [urls.unsubscribe(token) for token in (*own, "none-such")]


def _fixed_paths(*paths: str) -> PathsOf:
    return lambda _: paths


PATHS: dict[str, PathsOf] = {
    "about.show_about": _fixed_paths(urls.about()),
    "fairness.download_record": _of_games(urls.export),
    "fairness.show_fairness": _of_games(urls.fairness),
    "health.show_health": _fixed_paths(urls.health()),
    "health.show_metrics": _fixed_paths(urls.metrics()),
    "health.show_readiness": _fixed_paths(urls.readiness_probe()),
    "history.show_history": _histories,
    "home.open_next_game": _fixed_paths(urls.next_game()),
    "home.show_home": _fixed_paths(urls.home()),
    "invitation.accept_invitation": _invitations,
    "invitation.show_invitation": _invitations,
    "lobby.cancel": _cancellations,
    "lobby.choose_starter": _lobby_action("starter"),
    "lobby.fill": _lobby_action("fill"),
    "lobby.invite": _lobby_action("invite"),
    "lobby.ready": _except_last_confirmation("ready"),
    "lobby.sit": _lobby_action("sit"),
    "lobby.leave": _lobby_action("leave"),
    "lobby.unready": _lobby_action("unready"),
    "new_table.open_table": _fixed_paths(urls.tables()),
    "new_table.open_bot_game": _fixed_paths(urls.bot_game()),
    "new_table.show_new_table": _fixed_paths(urls.new_game()),
    "profile.change_profile": _fixed_paths(urls.profile()),
    "profile.sign_out_other_browsers": _fixed_paths(urls.other_sessions()),
    "profile.sign_out_browser": _fixed_paths(urls.session("none-such")),
    "profile.resubscribe": _fixed_paths(urls.profile_emails()),
    "profile.show_profile": _fixed_paths(urls.profile()),
    "rules.show_comparison": _fixed_paths(urls.rules()),
    "rules.show_rulebook": _fixed_paths(urls.rulebook("uk-2017"), urls.rulebook("none-such")),
    "sign_in.request_sign_in": _fixed_paths(urls.sign_in()),
    "sign_in.show_sign_in": _fixed_paths(urls.sign_in(), urls.sign_in(return_path="/games/x")),
    "sign_in.show_code_form": _fixed_paths(urls.sign_in_code()),
    "sign_in.show_sign_in_link": _fixed_paths(urls.sign_in_link("none-such")),
    "sign_in.sign_out": _fixed_paths(urls.sign_out()),
    "sign_in.sign_in_with_code": _fixed_paths(urls.sign_in_code()),
    "sign_in.sign_in_with_link": _fixed_paths(urls.sign_in_link("none-such")),
    "static": _fixed_paths("/static/lodepost.css", "/static/icon.svg", "/static/none-such"),
    "table.show_game": _tables,
    "table.submit_turn": _of_games(urls.turns),
    "unsubscribe.resubscribe": lambda observed: (
        f"{path}/back" for path in _unsubscribe_urls(observed)
    ),
    "unsubscribe.unsubscribe": _unsubscribe_urls,
    "unsubscribe.show_unsubscribe": _unsubscribe_urls,
}
"""The paths at which every reader requests each endpoint."""


def _turns(observed: ObservedSite) -> list[dict[str, str]]:
    """Return turns that are unreadable, stale or illegal. A legal turn would be played and draw a card."""
    seq = str(observed.state.seq)
    late = {"do": "pass", "seq": str(observed.state.seq - 1)}
    return [
        {"seq": seq, "do": "dig"},
        late,
        *({**fields, "seq": seq} for fields in _illegal_turns(observed)),
    ]


def _illegal_turns(observed: ObservedSite) -> list[dict[str, str]]:
    view = view_for(observed.state, observed.observer)
    menu = legal_actions(view)
    tries = SeededRng(_ILLEGAL_TURNS).shuffled(conceivable_actions(view))
    return [form_fields_for(action) for action in tries if as_listed(action) not in menu][
        :_ILLEGAL_TURNS
    ]


def _forms(*forms: dict[str, str]) -> FormsOf:
    return lambda _: ({}, *forms)


FORMS: dict[str, FormsOf] = {
    "invitation.accept_invitation": _forms({"seat": "9"}),
    "lobby.cancel": _forms(),
    "lobby.choose_starter": _forms({"starter": "9"}, {"starter": "1"}),
    "lobby.fill": _forms(),
    "lobby.invite": _forms(
        {"address": "no"}, {"address": "new@example.test"}, {"address": "newer@example.test"}
    ),
    "lobby.ready": _forms({"salt": "x" * 65}),
    "lobby.sit": _forms({"seat": "3"}),
    "lobby.leave": _forms(),
    "lobby.unready": _forms(),
    "new_table.open_table": _forms({"rulebook": "none-such"}),
    "new_table.open_bot_game": _forms(),
    "profile.change_profile": _forms({"name": "\u202e", "language": "xx", "zone": "Mars"}),
    "profile.sign_out_other_browsers": _forms(),
    "profile.sign_out_browser": _forms(),
    "profile.resubscribe": _forms({"scope": "game", "table": _MISSING}),
    "sign_in.request_sign_in": _forms({"address": "no"}, {"address": "new@example.test"}),
    "sign_in.sign_out": _forms(),
    "sign_in.sign_in_with_code": _forms({"code": "000000"}),
    "sign_in.sign_in_with_link": _forms(),
    "table.submit_turn": _turns,
    "unsubscribe.resubscribe": _forms(),
    "unsubscribe.unsubscribe": _forms({"List-Unsubscribe": "One-Click"}),
}
"""The forms sent to each endpoint that takes one."""

LAST = ("profile.sign_out_browser", "profile.sign_out_other_browsers", "sign_in.sign_out")
"""These end the reader's session."""
