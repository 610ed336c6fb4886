"""The rules of a chaos run pass after a clean game, and find every planted loss."""

from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import datetime
from typing import NamedTuple

import pytest
from sqlalchemy import text

from engine.view import neutral_action, view_for
from tasks import delivery
from tasks.context import WorkerContext
from tests.chaos.evidence import Evidence, ExpiredTurn, FaultSpan, read_stored_data
from tests.chaos.history import RULES, find_rule_violations
from tests.chaos.inbox import acceptances_of
from tests.chaos.player_log import PlayerLog, SubmittedTurn
from tests.support.calls import sweep_with_calls_sent
from tests.support.cast import ALICE, BOB, CAROL
from tests.support.factories import DAY, Guest, deal_game, play_turn, sign_in_guests, stored_game
from tests.support.postgres import Postgres
from tests.support.smtp_sink import Sink, running_sink
from tests.support.transactions import KEYS, NOON, pick_first, transaction
from webapp.kernel.tx import Database
from webapp.mail.compose import Composer
from webapp.mail.relay import relay_at
from webapp.mail.smtp import SmtpTransport
from webapp.play.pages.table import form_fields_for


class RecordedRun(NamedTuple):
    """A game of three in progress: some turns were played and acknowledged, their emails sent."""

    url: str
    database: Database
    guests: list[Guest]
    slug: str
    log: PlayerLog
    relay: Sink

    def execute(self, statement: str) -> None:
        with self.database.engine.begin() as connection:
            connection.execute(text(statement))

    def evidence(self) -> Evidence:
        return Evidence(
            stored_data=read_stored_data(self.url, now=NOON + DAY / 2),
            acceptances=acceptances_of(self.relay.accepted_messages),
            fault_spans=[],
            idle_faults=[],
            lost_times=[],
            wrong_health_checks=[],
            expired_turns=[],
            delay_descriptions=[],
            unexpected_exits=[],
        )

    def violated_rules(self, evidence: Evidence | None = None) -> set[str]:
        """Return the names of the violated rules."""
        return {
            violation.rule
            for violation in find_rule_violations(evidence or self.evidence(), self.log)
        }

    def play_expired_turn(self) -> None:
        with transaction(self.database) as tx:
            assert (
                sweep_with_calls_sent(tx, now=NOON + 2 * DAY, random_below=pick_first).expired_count
                == 1
            )


@pytest.fixture(scope="module")
def recorded_run(postgres: Postgres) -> Iterator[RecordedRun]:
    """Return a game played once for all tests."""
    with postgres.migrated_database() as url, running_sink() as relay:
        database = Database(url, pool_size=4)
        guests = sign_in_guests(database, ALICE, BOB, CAROL)
        game = RecordedRun(url, database, guests, deal_game(database, guests), PlayerLog(), relay)
        for seat in (0, 1, 2, 0):
            take_turn(game, seat)
            deliver(game)
        # The email about the deal waits for the one about the first turn.
        deliver(game, now=NOON + DAY / 24)
        for table in ("turn", "notification", "game"):
            game.execute(f"CREATE TABLE kept_{table} AS TABLE {table}")
        yield game
        database.dispose()


@pytest.fixture
def game(recorded_run: RecordedRun) -> Iterator[RecordedRun]:
    """Return the played game; changes by a test are undone."""
    messages = list(recorded_run.relay.accepted_messages)
    log = PlayerLog()
    log.submitted_turns.update(recorded_run.log.submitted_turns)
    log.acknowledged_turns.extend(recorded_run.log.acknowledged_turns)
    yield recorded_run._replace(log=log)
    recorded_run.relay.accepted_messages[:] = messages
    for table in ("turn", "notification"):
        recorded_run.execute(f"DELETE FROM {table}; INSERT INTO {table} SELECT * FROM kept_{table}")
    recorded_run.execute(_RESTORE_GAME)


_RESTORE_GAME = """
UPDATE game SET (seq, state, head, awaiting, turn_seq, turn_started_at, deadline_at, remind_at, wake_at) = (
    SELECT seq, state, head, awaiting, turn_seq, turn_started_at, deadline_at, remind_at, wake_at
    FROM kept_game WHERE kept_game.id = game.id)
"""


def take_turn(game: RecordedRun, seat: int) -> None:
    guest = game.guests[seat]
    loaded_game = stored_game(game.database, game.slug, guest)
    action = neutral_action(view_for(loaded_game.state, seat), pick_first)
    fields = tuple({"seq": str(loaded_game.seq), **form_fields_for(action)}.items())
    turn = SubmittedTurn(guest.person.address, game.slug, loaded_game.seq + 1, fields)
    game.log.submit(turn)
    play_turn(game.database, game.slug, guest, action)
    game.log.acknowledge(turn)


def deliver(game: RecordedRun, *, now: datetime = NOON) -> None:
    with closing(SmtpTransport(relay_at(f"smtp://127.0.0.1:{game.relay.port}"))) as transport:
        delivery.deliver(
            WorkerContext(
                database=game.database,
                keys=KEYS,
                composer=Composer(base_url="https://lodepost.test", mail_from="a@lodepost.test"),
                transport=transport,
                mail_from="a@lodepost.test",
                now=lambda: now,
                database_time=lambda _: now,
                random_below=pick_first,
                is_stopping=lambda: False,
                nudge=lambda _: None,
            )
        )


_DAMAGING_STATEMENTS: dict[str, str] = {
    "acknowledged turns are in the log": "DELETE FROM turn WHERE seq = 2",
    "player turns were submitted": "UPDATE turn SET seat = 0 WHERE seq = 2",
    "logs match snapshots": "UPDATE game SET awaiting = 2",
    "the clock plays only expired turns": "UPDATE turn SET by = 'clock' WHERE seq = 3",
    "every turn was announced": "DELETE FROM notification WHERE kind = 'your-turn' AND seq = 1",
    "start and end were announced": "DELETE FROM notification WHERE kind = 'dealt'",
    "sent emails reached the relay": (
        "UPDATE notification SET status = 'sent', message_id = 'never' WHERE kind = 'dealt'"
    ),
    "emails are sent, dropped with a reason, or not due": (
        "UPDATE notification SET status = 'pending', lease_until = NULL WHERE kind = 'dealt'"
    ),
    "Message-IDs are unique": (
        "UPDATE notification SET message_id = 'another' WHERE kind = 'dealt'"
    ),
    "nothing is overdue": "UPDATE game SET wake_at = turn_started_at",
}
_VIOLATED_BY_EVIDENCE: dict[str, str] = {
    "lost time is given back": "lost_times",
    "health checks see when nothing can be changed": "wrong_health_checks",
    "faults took effect": "idle_faults",
    "processes end only when killed": "unexpected_exits",
}
_VIOLATED_BY_LOG: dict[str, Callable[[PlayerLog], object]] = {
    "players could play": lambda log: log.acknowledged_turns.clear(),
    "turns are acknowledged once": lambda log: log.acknowledge(log.acknowledged_turns[0]),
    "answers by email are settled once": lambda log: log.accept_email(b"never stored"),
    "pages show no faults": lambda log: log.add_fault("500 at /games"),
}


@pytest.mark.parametrize("rule", sorted({*RULES} - {"emails are sent once"}))
def test_planted_loss_violates_its_rule(game: RecordedRun, rule: str) -> None:
    if rule in _DAMAGING_STATEMENTS:
        game.execute(_DAMAGING_STATEMENTS[rule])
    evidence = game.evidence()
    if rule in _VIOLATED_BY_EVIDENCE:
        evidence = evidence._replace(**{_VIOLATED_BY_EVIDENCE[rule]: ["planted"]})
    if rule in _VIOLATED_BY_LOG:
        _VIOLATED_BY_LOG[rule](game.log)
    assert rule in game.violated_rules(evidence)


def test_clock_may_play_an_expired_turn_only(game: RecordedRun) -> None:
    assert game.violated_rules() == set()
    game.play_expired_turn()
    deliver(game)
    evidence = game.evidence()
    assert game.violated_rules(evidence) == {"the clock plays only expired turns"}
    assert (
        game.violated_rules(evidence._replace(expired_turns=[ExpiredTurn(game.slug, 4)])) == set()
    )


@pytest.mark.parametrize(
    "name, violated_rules",
    [("worker killed", set()), ("web killed", {"emails are sent once"})],
)
def test_email_may_be_accepted_twice_only_if_an_answer_was_lost(
    game: RecordedRun, name: str, violated_rules: set[str]
) -> None:
    evidence = game.evidence()
    first = evidence.acceptances[0]
    twice_accepted = evidence._replace(
        acceptances=[*evidence.acceptances, first._replace(at=first.at + 60)],
        fault_spans=[FaultSpan(name, first.at - 10, first.at + 20)],
    )
    assert game.violated_rules(twice_accepted) == violated_rules
