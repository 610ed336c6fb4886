"""The number of statements of an act depends neither on the seats of a game, nor on its turns and emails."""

from collections.abc import Sequence

import pytest

from tests.support.acts import perform_act, site_moderator
from tests.support.cast import ALICE, BOB, CAROL, DAVE, Character
from tests.support.factories import (
    DAY,
    Guest,
    deal_game,
    play_turn,
    sign_in_guest,
    sign_in_guests,
    stored_game,
)
from tests.support.moderation import execute
from tests.support.seat_offers import new_link, offer_seat
from tests.support.statements import recorded_statements, without_begin_and_commit
from tests.support.transactions import NOON, transaction
from webapp.kernel.rights import GameRight
from webapp.kernel.tx import Database
from webapp.moderation.bulk_acts import BulkTarget, perform_act_on_games
from webapp.moderation.performing import ActRequest
from webapp.play.changes.acts import ActInput, acts_by_name

_MAX_STATEMENTS = 18
"""An emailed offer of a seat takes most: it is counted for its sender and its mailbox."""
_MAX_STATEMENTS_PER_GAME = 14
"""Of a bulk act, with the two of its savepoint."""
_SEAT_INPUT = {"seat": 1}
_INPUT_FIELDS: dict[GameRight, dict[str, object]] = {
    GameRight.NUDGE: {},
    GameRight.EXTEND: {"extra": DAY},
    GameRight.PAUSE: {},
    GameRight.PLAY_NEUTRAL: {},
    GameRight.OPEN_SEAT: _SEAT_INPUT,
    GameRight.OFFER_SEAT: _SEAT_INPUT,
    GameRight.WITHDRAW_OFFER: _SEAT_INPUT,
    GameRight.SEAT_PERSON: _SEAT_INPUT | {"name": DAVE.name, "address": DAVE.address},
    GameRight.SEAT_BOT: _SEAT_INPUT,
    GameRight.REWIND: {"turn": 0},
    GameRight.CANCEL_GAME: {},
    GameRight.RENAME_SEAT: _SEAT_INPUT | {"name": "Agate"},
    GameRight.HAND_OVER_TABLE: _SEAT_INPUT,
    GameRight.ANNOUNCE_TO_TABLE: {},
}


def _played_game(database: Database, guests: Sequence[Guest], *, turns: int) -> str:
    slug = deal_game(database, guests)
    for _ in range(turns):
        awaiting = stored_game(database, slug, guests[0]).row.awaiting
        assert awaiting is not None
        play_turn(database, slug, guests[awaiting])
    return slug


@pytest.fixture
def all_guests(database: Database) -> list[Guest]:
    other_characters = (
        Character(name, f"{name.lower()}@example.test") for name in ("Erin", "Finn", "Gwen")
    )
    return sign_in_guests(database, ALICE, BOB, CAROL, *other_characters)


@pytest.mark.parametrize("act", [*_INPUT_FIELDS, GameRight.RESUME, GameRight.RESEND_EMAIL])
def test_number_of_statements_is_that_of_the_smallest_game(
    database: Database, all_guests: list[Guest], act: GameRight
) -> None:
    mo = site_moderator(database)
    sign_in_guest(database, DAVE)
    statement_counts = []
    # In both, seat 1 is on turn.
    for guests, turns in ((all_guests[:3], 1), (all_guests, 19)):
        slug = _played_game(database, guests, turns=turns)
        input_fields = _INPUT_FIELDS.get(act, {})
        by = None if act == GameRight.SEAT_PERSON else mo
        if act in {GameRight.OFFER_SEAT, GameRight.WITHDRAW_OFFER}:
            perform_act(database, slug, GameRight.OPEN_SEAT, **_SEAT_INPUT)
            input_fields = input_fields | {"link": new_link()}
        if act == GameRight.OFFER_SEAT:
            # A second offer from the same moderator to the same mailbox is held back.
            input_fields = input_fields | {"address": f"dave{turns}@example.test"}
        if act == GameRight.WITHDRAW_OFFER:
            offer_seat(database, slug, by=mo)
        if act == GameRight.RESUME:
            perform_act(database, slug, GameRight.PAUSE, by=mo)
        if act == GameRight.RESEND_EMAIL:
            input_fields = {"email_id": _failed_email(database, slug)}
        with recorded_statements(database) as statements:
            perform_act(database, slug, act, by=by, **input_fields)
        statement_counts.append(len(without_begin_and_commit(statements)))
    assert statement_counts[0] == statement_counts[1] <= _MAX_STATEMENTS


def _failed_email(database: Database, slug: str) -> int:
    """Let the emails about turns fail; return the one about the current turn."""
    execute(
        database,
        "UPDATE notification SET status = 'failed', reason = '550', settled_at = :at",
        at=NOON,
    )
    with transaction(database) as tx:
        query = (
            "SELECT notification.id FROM notification JOIN game ON game.id = game_id"
            " WHERE slug = %s AND kind = 'your-turn' AND notification.seq = turn_seq"
        )
        return int(tx.connection.exec_driver_sql(query, (slug,)).scalar_one())


def test_bulk_act_takes_the_same_statements_for_each_game(
    database: Database, all_guests: list[Guest]
) -> None:
    mo, statement_counts = site_moderator(database), []
    for size in (1, 6):
        slugs = [_played_game(database, all_guests, turns=0) for _ in range(size)]
        request = ActRequest(
            actor=mo.person,
            slug="",
            act=acts_by_name()[GameRight.PAUSE],
            given=ActInput(),
            reason="the server was down",
            form_id=f"bulk {size}",
        )
        with recorded_statements(database) as statements, transaction(database) as tx:
            results = perform_act_on_games(
                tx,
                request,
                [BulkTarget(slug, 0, 0) for slug in slugs],
            )
        assert [result.refusal for result in results] == [None] * size
        statement_counts.append(len(without_begin_and_commit(statements)))
    assert (statement_counts[1] - statement_counts[0]) / 5 <= _MAX_STATEMENTS_PER_GAME
