"""Every turn is chained to those before it, and what players are shown of the chain is in the record of the finished game."""

import msgspec
from sqlalchemy import select

from engine.record import TurnChain
from engine.record_reading import read_record
from engine.verification import verify_record
from tests.support.acts import perform_act
from tests.support.factories import (
    Guest,
    deal_game,
    play_to_end,
    play_turn,
    stored_game,
    table_settings,
)
from tests.support.outbox_steps import mark_all_sent
from tests.support.statements import recorded_statements, without_begin_and_commit
from tests.support.transactions import read_only, transaction
from webapp.kernel.rights import GameRight
from webapp.kernel.tx import Database
from webapp.mail.outbox import delivery
from webapp.mail.preparation import prepare_emails
from webapp.play.emails.game_over import GameOverContext
from webapp.play.emails.turn_email import TurnContext
from webapp.play.queries import turn_log
from webapp.play.schema import Game
from webapp.play.turns.turns import recorded_turn
from webapp.play.views.fairness_page import FairnessPage, export, fairness_page


def shown_heads(database: Database) -> list[str]:
    """Return the heads in the emails that are due, and mark these as sent."""
    heads: list[str] = []
    with transaction(database) as tx:
        while claims := delivery.claim(tx):
            outgoing = prepare_emails(tx, claims)
            mark_all_sent(tx, claims)
            heads += [
                email.context.head.digest
                for email in outgoing
                if isinstance(email.context, TurnContext | GameOverContext)
            ]
    return heads


def page_of(database: Database, slug: str, guest: Guest) -> FairnessPage:
    with read_only(database) as tx:
        return fairness_page(tx, slug, guest.cookie)


def exported_text(database: Database, slug: str, guest: Guest) -> str:
    with read_only(database) as tx:
        return export(tx, slug, guest.cookie).text


def test_stored_heads_are_the_chain_of_the_log(
    database: Database, guests: list[Guest], slug: str
) -> None:
    play_turn(database, slug, guests[0])
    perform_act(database, slug, GameRight.PLAY_NEUTRAL)
    perform_act(database, slug, GameRight.REWIND, turn=1)
    play_turn(database, slug, guests[1])
    game = stored_game(database, slug, guests[0])
    with read_only(database) as tx:
        rows = turn_log.all_turns(tx, game.row.id)
        stored_head = tx.execute(select(Game.head)).scalar_one()
    assert game.row.secret is not None
    assert game.row.freeze_record is not None
    chain = TurnChain(game.row.secret.secrets(), game.row.freeze_record)
    assert [row.head for row in rows] == list(chain.heads(map(recorded_turn, rows)))
    assert stored_head == game.row.head == rows[-1].head
    assert [row.seq for row in rows] == [0, 1, 2, 3, 4]


def test_heads_in_emails_are_those_of_the_record(database: Database, guests: list[Guest]) -> None:
    slug = deal_game(database, guests, table_settings(seats=3))
    heads = shown_heads(database)
    for guest in guests:
        play_turn(database, slug, guest)
        heads += shown_heads(database)
    perform_act(database, slug, GameRight.REWIND, turn=2)
    heads += shown_heads(database)
    play_to_end(database, slug, guests)
    last_heads = shown_heads(database)
    record = read_record(exported_text(database, slug, guests[0]).encode())
    report = verify_record(record, shown_heads=[*heads, *last_heads])
    assert (report.flaws, report.is_finished) == ((), True)
    assert [report.turn_with_head(head) for head in heads] == [0, 1, 2, 3, 4]
    assert set(last_heads) == {record.head}
    assert len(last_heads) == 3


def test_fairness_page_lists_the_head_after_every_turn(
    database: Database, guests: list[Guest], slug: str
) -> None:
    [first_head] = shown_heads(database)
    play_turn(database, slug, guests[0])
    [second_head] = shown_heads(database)
    for guest in guests:
        page = page_of(database, slug, guest)
        assert [(head.seq, head.digest) for head in page.heads] == [
            (1, second_head),
            (0, first_head),
        ]


def test_export_of_a_running_game_has_its_head(
    database: Database, guests: list[Guest], slug: str
) -> None:
    play_turn(database, slug, guests[0])
    [head] = shown_heads(database)
    known_facts = [
        msgspec.json.decode(exported_text(database, slug, guest)) for guest in guests[:2]
    ]
    assert [(facts["turn"], facts["head"]) for facts in known_facts] == [(1, head)] * 2


def test_cancelled_game_has_a_record_with_its_head(
    database: Database, guests: list[Guest], slug: str
) -> None:
    play_turn(database, slug, guests[0])
    heads = shown_heads(database)
    perform_act(database, slug, GameRight.CANCEL_GAME)
    record = read_record(exported_text(database, slug, guests[0]).encode())
    report = verify_record(record, shown_heads=heads)
    assert (report.flaws, report.is_finished) == ((), False)
    assert record.head == heads[-1]


def test_head_is_written_in_the_statement_of_the_turn(
    database: Database, guests: list[Guest], slug: str
) -> None:
    with recorded_statements(database) as statements:
        play_turn(database, slug, guests[0])
    writing_statements = [
        statement for statement in without_begin_and_commit(statements) if "INSERT" in statement
    ]
    assert len(writing_statements) == 1
    assert "head" in writing_statements[0]
