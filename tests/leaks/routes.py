"""Every route of the site with the addresses and forms at which it is tried. A new route must be given its line here."""

from collections.abc import Callable, Iterable
from typing import TypeAlias

from engine.view import legal_actions, view_for
from tests.leaks.ground import Ground
from tests.support.engine.conceivable_actions import as_listed, conceivable_actions
from tests.support.engine.seeded_random import SeededRng
from tests.support.factories import KEYS
from tests.support.visitors import table_link
from webapp import urls
from webapp.pages.play.turn_form import form_fields_for

Paths: TypeAlias = Callable[[Ground], Iterable[str]]
Forms: TypeAlias = Callable[[Ground], Iterable[dict[str, str]]]

_TRIES = 6
_MISSING = "zzzzzzzzzzzz"


def _slugs(one: Ground) -> tuple[str, ...]:
    stock = one.stock
    return (stock.running, stock.private, stock.lobby, stock.checking, _MISSING)


def _of_games(address: Callable[[str], str]) -> Paths:
    return lambda one: map(address, _slugs(one))


def _verb(verb: str) -> Paths:
    return _of_games(lambda slug: urls.lobby_action(slug, verb))


def _before_the_deal(verb: str) -> Paths:
    """Without the table at which this would end the secrecy: whoever is the last to be ready is dealt a hand."""
    return lambda one: [
        urls.lobby_action(slug, verb)
        for slug in (one.stock.running, one.stock.private, one.stock.lobby, _MISSING)
    ]


def _cancelling(one: Ground) -> list[str]:
    """Without the reader's own lobby: what was cancelled is opened."""
    own = one.reader == 1
    hidden = {one.stock.lobby, one.stock.checking} if own else set()
    return [urls.lobby_action(slug, "cancel") for slug in _slugs(one) if slug not in hidden]


def _tables(one: Ground) -> list[str]:
    choice = urls.game(one.stock.running, still=1, card="map", cell="I5")
    return [*map(urls.game, _slugs(one)), choice]


def _histories(one: Ground) -> list[str]:
    slug, seq = one.stock.running, one.state.seq
    steps = sorted({0, 1, seq // 2, seq - 1, seq, seq + 1})
    return [
        *map(urls.history, _slugs(one)),
        *(urls.history(slug, until=step) for step in steps),
        *(urls.history(slug, seat=seat) for seat in range(5)),
    ]


def _invitations(one: Ground) -> list[str]:
    """The table's own link, which whoever sits there hands on; and one that is none."""
    return [urls.invitation(_link_of_the_lobby(one)), urls.invitation("none-such")]


def _link_of_the_lobby(one: Ground) -> str:
    bob = Ground.visitor(one).with_session(one.stock.seated[1].cookie)
    return table_link(bob, one.stock.lobby)


def _ends(one: Ground) -> list[str]:
    """The address at the end of the reader's own letters; and one that is none."""
    guest = one.guest()
    own = (
        []
        if guest is None
        else [KEYS.token("unsubscribe", guest.person.address, "reminders", None)]
    )
    return [urls.unsubscribe(token) for token in (*own, "none-such")]


def _at(*paths: str) -> Paths:
    return lambda _: paths


PATHS: dict[str, Paths] = {
    "about.show_about": _at(urls.about()),
    "fairness.download_record": _of_games(urls.export),
    "fairness.show_fairness": _of_games(urls.fairness),
    "health.show_health": _at(urls.health()),
    "health.show_metrics": _at(urls.metrics()),
    "health.show_readiness": _at(urls.readiness()),
    "history.show_history": _histories,
    "home.open_next_game": _at(urls.next_game()),
    "home.show_home": _at(urls.home()),
    "invitation.accept_invitation": _invitations,
    "invitation.show_invitation": _invitations,
    "lobby.cancel": _cancelling,
    "lobby.choose_starter": _verb("starter"),
    "lobby.fill": _verb("fill"),
    "lobby.invite": _verb("invite"),
    "lobby.ready": _before_the_deal("ready"),
    "lobby.sit": _verb("sit"),
    "lobby.stand": _verb("stand"),
    "lobby.unready": _verb("unready"),
    "new_table.open_table": _at(urls.tables()),
    "new_table.open_bot_game": _at(urls.bot_game()),
    "new_table.show_new_table": _at(urls.new_game()),
    "profile.change_profile": _at(urls.profile()),
    "profile.sign_out_other_browsers": _at(urls.other_sessions()),
    "profile.sign_out_browser": _at(urls.session("none-such")),
    "profile.resubscribe": _at(urls.profile_emails()),
    "profile.show_profile": _at(urls.profile()),
    "rules.show_comparison": _at(urls.rules()),
    "rules.show_rulebook": _at(urls.rulebook("uk-2017"), urls.rulebook("none-such")),
    "sign_in.request_sign_in": _at(urls.sign_in()),
    "sign_in.show_sign_in": _at(urls.sign_in(), urls.sign_in(then="/games/x")),
    "sign_in.show_code_form": _at(urls.sign_in_code()),
    "sign_in.show_sign_in_link": _at(urls.sign_in_link("none-such")),
    "sign_in.sign_out": _at(urls.sign_out()),
    "sign_in.sign_in_with_code": _at(urls.sign_in_code()),
    "sign_in.sign_in_with_link": _at(urls.sign_in_link("none-such")),
    "static": _at("/static/lodepost.css", "/static/icon.svg", "/static/none-such"),
    "table.show_game": _tables,
    "table.submit_turn": _of_games(urls.turns),
    "unsubscribe.resubscribe": lambda one: (f"{path}/back" for path in _ends(one)),
    "unsubscribe.unsubscribe": _ends,
    "unsubscribe.show_unsubscribe": _ends,
}
"""Where each endpoint is asked for, by every reader."""


def _turns(one: Ground) -> list[dict[str, str]]:
    """Turns that cannot be read, that come too late, and that the rules refuse. None is taken: a card would be drawn."""
    seq = str(one.state.seq)
    late = {"do": "pass", "seq": str(one.state.seq - 1)}
    return [{"seq": seq, "do": "dig"}, late, *({**fields, "seq": seq} for fields in _absurd(one))]


def _absurd(one: Ground) -> list[dict[str, str]]:
    view = view_for(one.state, one.observer)
    menu = legal_actions(view)
    tries = SeededRng(_TRIES).shuffled(conceivable_actions(view))
    return [form_fields_for(action) for action in tries if as_listed(action) not in menu][:_TRIES]


def _sending(*forms: dict[str, str]) -> Forms:
    return lambda _: ({}, *forms)


FORMS: dict[str, Forms] = {
    "invitation.accept_invitation": _sending({"seat": "9"}),
    "lobby.cancel": _sending(),
    "lobby.choose_starter": _sending({"starter": "9"}, {"starter": "1"}),
    "lobby.fill": _sending(),
    "lobby.invite": _sending(
        {"address": "no"}, {"address": "new@example.test"}, {"address": "newer@example.test"}
    ),
    "lobby.ready": _sending({"salt": "x" * 65}),
    "lobby.sit": _sending({"seat": "3"}),
    "lobby.stand": _sending(),
    "lobby.unready": _sending(),
    "new_table.open_table": _sending({"rulebook": "none-such"}),
    "new_table.open_bot_game": _sending(),
    "profile.change_profile": _sending({"name": "\u202e", "language": "xx", "zone": "Mars"}),
    "profile.sign_out_other_browsers": _sending(),
    "profile.sign_out_browser": _sending(),
    "profile.resubscribe": _sending({"scope": "game", "table": _MISSING}),
    "sign_in.request_sign_in": _sending({"address": "no"}, {"address": "new@example.test"}),
    "sign_in.sign_out": _sending(),
    "sign_in.sign_in_with_code": _sending({"code": "000000"}),
    "sign_in.sign_in_with_link": _sending(),
    "table.submit_turn": _turns,
    "unsubscribe.resubscribe": _sending(),
    "unsubscribe.unsubscribe": _sending({"List-Unsubscribe": "One-Click"}),
}
"""What each endpoint that takes a form is sent."""

LAST = ("profile.sign_out_browser", "profile.sign_out_other_browsers", "sign_in.sign_out")
"""These end the reader's visit."""
