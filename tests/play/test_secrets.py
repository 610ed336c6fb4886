"""Two games that a seat cannot tell apart give it the same pages, emails and exports, byte for byte."""

from typing import Any

import msgspec
import pytest
from sqlalchemy import update

from engine.commitments import SECRET_LABELS
from engine.events import Dealt
from engine.evolve import fold, initial_state
from engine.mine import Mine
from engine.wire import encode_events, encode_state
from tests.support.factories import Guest, deal_game, stored_game, table_settings
from tests.support.game_pages import game_page
from tests.support.transactions import KEYS, NOON, read_only, transaction
from webapp.kernel.tx import Database
from webapp.mail.outbox.delivery import claim
from webapp.mail.preparation import prepare_emails
from webapp.play.schema import Game, Turn
from webapp.play.views.fairness_page import export, fairness_page
from webapp.play.views.history_page import history_page
from webapp.site.home import home_page


def _json(page: object) -> bytes:
    return msgspec.json.encode(page, enc_hook=_json_value)


def _json_value(value: Any) -> object:
    return dict(value.laid) if isinstance(value, Mine) else repr(value)


def _store_counterfactual_game(database: Database, slug: str, guest: Guest, seat: int) -> None:
    """Change every secret that this seat does not know: other hands and roles, goals, deck, gold."""
    row = stored_game(database, slug, guest).row
    state = stored_game(database, slug, guest).state
    other_seats = [number for number in range(state.seats) if number != seat]
    dealt = Dealt(
        round=1,
        starter=state.first_starter,
        roles=_rotated(state.roles, other_seats),
        aside=state.aside,
        goals=(state.goals[1], state.goals[2], state.goals[0]),
        hands=_rotated(state.hands, other_seats),
        deck=state.deck[::-1],
        pile=state.pile[::-1],
    )
    changed_state = fold(initial_state(state.rulebook, state.house, state.seats), [(dealt,)])
    assert changed_state != state
    with transaction(database) as tx:
        tx.execute(update(Game).where(Game.id == row.id).values(state=encode_state(changed_state)))
        tx.execute(
            update(Turn).where(Turn.game_id == row.id).values(events=encode_events((dealt,)))
        )


def _rotated(values: tuple[Any, ...], seats: list[int]) -> tuple[Any, ...]:
    rotated_seats = dict(zip(seats, [*seats[1:], seats[0]], strict=True))
    return tuple(values[rotated_seats.get(seat, seat)] for seat in range(len(values)))


def _all_pages_for(database: Database, slug: str, cookie: str | None) -> bytes:
    with read_only(database) as tx:
        shown_pages = [
            game_page(tx, slug, cookie, keys=KEYS, now=NOON),
            history_page(tx, slug, cookie),
            history_page(tx, slug, cookie, until=0),
            fairness_page(tx, slug, cookie),
            export(tx, slug, cookie),
            home_page(tx, cookie),
        ]
    return b"\n".join(map(_json, shown_pages))


def _emails_to(database: Database, guest: Guest) -> bytes:
    with transaction(database) as tx:
        claims = claim(tx)
        emails = [
            outgoing.context
            for outgoing in prepare_emails(tx, claims)
            if outgoing.address == guest.person.address
        ]
        tx.connection.exec_driver_sql("UPDATE notification SET lease_until = NULL")
    return _json(emails)


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_pages_emails_and_exports_do_not_depend_on_hidden_secrets(
    database: Database, guests: list[Guest], seat: int
) -> None:
    slug = deal_game(database, guests, table_settings(public=True))
    me = guests[seat]
    output = _all_pages_for(database, slug, me.cookie), _emails_to(database, me)
    _store_counterfactual_game(database, slug, me, seat)
    counterfactual_output = _all_pages_for(database, slug, me.cookie), _emails_to(database, me)
    assert output == counterfactual_output
    assert len(output[0]) > 1000


def test_pages_of_an_onlooker_do_not_depend_on_hidden_secrets(
    database: Database, guests: list[Guest]
) -> None:
    slug = deal_game(database, guests, table_settings(public=True))
    output = _all_pages_for(database, slug, None)
    _store_counterfactual_game(database, slug, guests[0], 0)
    output_before_change = _all_pages_for(database, slug, None)
    _store_counterfactual_game(database, slug, guests[0], 2)
    assert output == output_before_change == _all_pages_for(database, slug, None)


def test_changed_secrets_show_to_the_seat_that_knows_them(
    database: Database, guests: list[Guest], slug: str
) -> None:
    """Prove that the tests above compare two different games."""
    earlier_pages = _all_pages_for(database, slug, guests[1].cookie)
    _store_counterfactual_game(database, slug, guests[0], 0)
    assert earlier_pages != _all_pages_for(database, slug, guests[1].cookie)


def test_pages_of_a_running_game_hold_none_of_the_four_secrets(
    database: Database, guests: list[Guest], slug: str
) -> None:
    secret = stored_game(database, slug, guests[0]).row.secret
    assert secret is not None
    shown_pages = _all_pages_for(database, slug, guests[0].cookie)
    for label in SECRET_LABELS:
        drawn_secret: bytes = getattr(secret, label.replace("-", "_"))
        assert drawn_secret.hex().encode() not in shown_pages


def test_pages_do_not_show_addresses_of_other_players(
    database: Database, guests: list[Guest], slug: str
) -> None:
    shown_pages = _all_pages_for(database, slug, guests[0].cookie)
    assert guests[0].person.address.encode() in shown_pages
    assert guests[1].person.address.encode() not in shown_pages
