"""The people and tables of the rights matrix, the arguments of routes, and the forms that are sent to them."""

from datetime import date
from typing import NamedTuple

from engine.view import view_for
from tests.support.acts import perform_act
from tests.support.cast import ALICE, BOB, CAROL, DAVE, MALLORY, MO, Character
from tests.support.clubs import (
    club_profile,
    found_club,
    join_club,
    locked_club_access,
    membership_of,
)
from tests.support.experience import finish_games
from tests.support.factories import (
    Guest,
    deal_game,
    deal_game_of_unseated_host,
    in_scene,
    open_table,
    seat_guest,
    sign_in_guest,
    stored_game,
    table_settings,
)
from tests.support.transactions import transaction
from tests.support.visitors import Site
from webapp.clubs import members
from webapp.clubs.queries.seasons import seasons_of
from webapp.clubs.seasons import add_season
from webapp.kernel.rights import GameRight
from webapp.moderation.moderators import add_moderator
from webapp.moderation.queries import games_under_moderation

EVE = Character("Eve", "eve@example.test")
NORA = Character("Nora", "nora@example.test")
OLGA = Character("Olga", "olga@example.test")
PETE = Character("Pete", "pete@example.test")
RUTH = Character("Ruth", "ruth@example.test")
PERSONAS = (
    "visitor",
    "stranger",
    "member",
    "player",
    "host",
    "seated-moderator",
    "club-moderator",
    "site-moderator",
    "former-player",
    "unseated-host",
)
"""In the order of the columns of the matrix."""
_CHARACTERS = {
    "stranger": MALLORY,
    "member": DAVE,
    "player": BOB,
    "host": ALICE,
    "seated-moderator": CAROL,
    "club-moderator": EVE,
    "site-moderator": MO,
    "former-player": PETE,
    "unseated-host": RUTH,
}
GAME_ARGUMENT = "slug"
"""The argument of a route that is a table; each kind of table is tried."""
_MISSING_VALUE = {"": "none-such"}
ARGUMENTS: dict[str, dict[str, str]] = {
    "vote_id": {"": "9"},
    "filename": {"": "icon.svg"},
    "club_members.verb": {
        verb: verb for verb in ("approve", "refuse", "remove", "promote", "demote", "hand-over")
    },
    "season": {"": "SEASON"},
    "member": {"": "MEMBER"},
    "key": {"": "en-2004"},
    "deadlines.seq": {"": "0"},
    "bulk_acts.act": {"": "pause"},
    "acts.act": {"extend": "extend", "pause": "pause", "offer-seat": "offer-seat"},
    "name": {"": "imprint"},
    "link": _MISSING_VALUE,
    "players.seat": {"": "1"},
    "ref": _MISSING_VALUE,
    "token": _MISSING_VALUE,
    "invitation": _MISSING_VALUE,
    "number": {"": "1"},
    "kind": {"": "warn"},
}
"""The values of other arguments, by their names or by blueprint and name, each with a label. An argument whose values
stand for different rights has a label for each; others have one value without a label."""


class Browser(NamedTuple):
    """The browser of a persona, ready to send forms."""

    cookie: str
    csrf_token: str
    network_address: str


_FINISHED_GAME_COUNT = 10
"""With so many everyone may be in more games than any test opens."""


class PopulatedSite(NamedTuple):
    """Everyone's browser, and a table of each kind."""

    browsers: dict[str, Browser]
    slugs: dict[str, str]
    """A game in progress at each kind of table, under "lobby" a private table before the deal, and under "unseated" a private game
    whose host has left their own seat before it: there the host of the others is only a player, the one on turn."""
    clubs: dict[str, str]
    """A private and a public club, which Nora has founded; Eve moderates them, and Dave and Olga are members."""
    club_arguments: dict[str, dict[str, str]]
    """By the slug of a club, the id of Olga as MEMBER, and of its season as SEASON."""
    positions: dict[str, dict[str, str]]
    """Where each game stands, as SEQ, with the newest act as ENTRY, a card of the host, who is to play, as CARD, and a plan of the player as PLAN."""

    def with_table_values(self, fields: dict[str, str], table: str) -> dict[str, str]:
        """Return a form with the values of this table in place of SEQ, ENTRY, CARD and PLAN."""
        values = self.positions.get(table, {})
        return {name: values.get(text, text) for name, text in fields.items()}


def populate_site(site: Site) -> PopulatedSite:
    """Make the tables, at which the host, the player and the seated moderator have seats."""
    return in_scene(site.database, "populated site", lambda: _populate_database_of(site))


def _populate_database_of(site: Site) -> PopulatedSite:
    database, now = site.database, site.clock.now
    guests = {
        persona: sign_in_guest(database, character, now=now)
        for persona, character in _CHARACTERS.items()
    }
    for guest in guests.values():
        finish_games(database, guest.person, count=_FINISHED_GAME_COUNT)
    with transaction(database, now) as tx:
        for character in (CAROL, MO, PETE):
            add_moderator(tx, character.address, reason="helps")
    seated_guests = [guests["host"], guests["player"], guests["seated-moderator"]]
    slugs = {
        kind: _game_with_open_seat(site, [*seated_guests, guests["former-player"]], kind)
        for kind in ("private", "public")
    }
    slugs["unseated"] = deal_game_of_unseated_host(
        database, guests["unseated-host"], seated_guests, now=now
    )
    positions = {
        kind: _position_values(site, slug, seated_guests[0]) for kind, slug in slugs.items()
    }
    slugs["lobby"] = open_table(database, seated_guests[0], table_settings(seats=4), now=now)
    for guest in seated_guests[1:]:
        seat_guest(database, slugs["lobby"], guest, now=now)
    clubs = {
        kind: _found_club(
            site, [guests["club-moderator"], guests["member"]], is_public=kind == "public"
        )
        for kind in ("private", "public")
    }
    browsers = {persona: _browser_of(site, persona, guests.get(persona)) for persona in PERSONAS}
    return PopulatedSite(browsers, slugs, clubs, _club_arguments(site, clubs), positions)


def _game_with_open_seat(site: Site, guests: list[Guest], kind: str) -> str:
    """Deal a game whose last player leaves; return its slug."""
    settings = table_settings(seats=len(guests), public=kind == "public")
    slug = deal_game(site.database, guests, settings, now=site.clock.now)
    last_seat = len(guests) - 1
    perform_act(site.database, slug, GameRight.OPEN_SEAT, seat=last_seat, now=site.clock.now)
    return slug


def _found_club(site: Site, guests: list[Guest], *, is_public: bool) -> str:
    """Found a club of Nora's with Eve, Dave and Olga; return its slug."""
    moderator, member = guests
    nora, olga = (sign_in_guest(site.database, character) for character in (NORA, OLGA))
    profile = club_profile(name="Open pit" if is_public else "Closed shaft", is_public=is_public)
    slug = found_club(site.database, nora, profile)
    join_club(site.database, slug, moderator, member, olga)
    eve = membership_of(site.database, slug, moderator)
    with transaction(site.database) as tx:
        access = locked_club_access(tx, slug, nora)
        members.set_moderator(tx, access, eve, as_moderator=True)
        add_season(tx, access, name="S", starts_on=date(2026, 1, 1), ends_on=date(2026, 2, 1))
    return slug


def _club_arguments(site: Site, clubs: dict[str, str]) -> dict[str, dict[str, str]]:
    olga, nora = (sign_in_guest(site.database, character) for character in (OLGA, NORA))
    arguments = {}
    for slug in clubs.values():
        with transaction(site.database) as tx:
            club_id = locked_club_access(tx, slug, nora).club.id
            [season_id] = [row.id for row in seasons_of(tx, club_id)]
        member_id = membership_of(site.database, slug, olga).id
        arguments[slug] = {"MEMBER": str(member_id), "SEASON": str(season_id)}
    return arguments


def _position_values(site: Site, slug: str, host: Guest) -> dict[str, str]:
    game = stored_game(site.database, slug, host, now=site.clock.now)
    with transaction(site.database) as tx:
        game_under_moderation = games_under_moderation.find(tx, slug)
    assert game_under_moderation is not None
    card = view_for(game.state, 0).hand[0]
    players_hand, others_hand = view_for(game.state, 1).hand, view_for(game.state, 2).hand
    planned_card = next(held_card for held_card in players_hand if held_card not in others_hand)
    return {
        "SEQ": str(game.seq),
        "ENTRY": str(game_under_moderation.last_entry),
        "CARD": card,
        "PLAN": f"discard {planned_card}",
    }


def _browser_of(site: Site, persona: str, guest: Guest | None) -> Browser:
    visitor = site.signed_out()
    if guest is not None:
        visitor.with_session(guest.cookie)
    token = visitor.token()
    cookie = visitor.client.get_cookie(site.app.config["SESSION_COOKIE_NAME"])
    assert cookie is not None
    return Browser(cookie.value, token, f"192.0.2.{PERSONAS.index(persona) + 1}")
