"""The harness can fail: a clean game is found clean, and every planted loss is told."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import NamedTuple

import pytest
from sqlalchemy import text

from engine.view import neutral_action, view_for
from tasks import delivery
from tasks.context import WorkerContext
from tests.chaos.evidence import Evidence, Expiry, stored_in
from tests.chaos.history import RULES, losses
from tests.chaos.inbox import message_ids
from tests.chaos.notes import Notes, Press
from tests.support.cast import ALICE, BOB, CAROL
from tests.support.factories import (
    DAY,
    KEYS,
    NOON,
    Guest,
    deal_game,
    pick_first,
    play_turn,
    sign_in_guests,
    stored_game,
)
from tests.support.postgres import Postgres
from tests.support.smtp_sink import Sink, running_sink
from webapp.mail.compose import Composer
from webapp.mail.relay import relay_at
from webapp.mail.smtp import SmtpTransport
from webapp.pages.play.turn_form import form_fields_for
from webapp.services.play.deadlines import sweep
from webapp.services.tx import Database, transaction


class Scene(NamedTuple):
    """A game of three under way: some turns were played and acknowledged, their letters sent."""

    url: str
    database: Database
    guests: list[Guest]
    slug: str
    notes: Notes
    relay: Sink

    def say(self, statement: str) -> None:
        with self.database.engine.begin() as connection:
            connection.execute(text(statement))

    def evidence(self) -> Evidence:
        return Evidence(
            stored=stored_in(self.url, now=NOON + DAY / 2),
            accepted=message_ids(self.relay.taken),
            expired=[],
            late=[],
            ended=[],
        )

    def broken(self, evidence: Evidence | None = None) -> set[str]:
        """The rules that were broken."""
        return {loss.rule for loss in losses(evidence or self.evidence(), self.notes)}

    def run_the_clock(self) -> None:
        with transaction(self.database) as tx:
            assert sweep(tx, now=NOON + 2 * DAY, pick=pick_first).expired == 1


@pytest.fixture(scope="module")
def played(postgres: Postgres) -> Iterator[Scene]:
    """Played once; every test plants a loss of its own."""
    with postgres.migrated_database() as url, running_sink() as relay:
        database = Database(url, pool_size=4)
        guests = sign_in_guests(database, ALICE, BOB, CAROL)
        scene = Scene(url, database, guests, deal_game(database, guests), Notes(), relay)
        for seat in (0, 1, 2, 0):
            take_turn(scene, seat)
            deliver(scene)
        for table in ("turn", "notification", "game"):
            scene.say(f"CREATE TABLE kept_{table} AS TABLE {table}")
        yield scene
        database.dispose()


@pytest.fixture
def scene(played: Scene) -> Iterator[Scene]:
    """The game as it was played; whatever a test does to it is undone."""
    kept, taken = played.notes, list(played.relay.taken)
    notes = Notes()
    notes.pressed.update(kept.pressed)
    notes.won.extend(kept.won)
    yield played._replace(notes=notes)
    played.relay.taken[:] = taken
    for table in ("turn", "notification"):
        played.say(f"DELETE FROM {table}; INSERT INTO {table} SELECT * FROM kept_{table}")
    played.say(_RESTORE_GAME)


_RESTORE_GAME = """
UPDATE game SET (seq, state, awaiting, turn_seq, turn_started_at, deadline_at, remind_at, wake_at) = (
    SELECT seq, state, awaiting, turn_seq, turn_started_at, deadline_at, remind_at, wake_at
    FROM kept_game WHERE kept_game.id = game.id)
"""


def take_turn(scene: Scene, seat: int) -> None:
    guest = scene.guests[seat]
    game = stored_game(scene.database, scene.slug, guest)
    action = neutral_action(view_for(game.state, seat), pick_first)
    fields = tuple({"seq": str(game.seq), **form_fields_for(action)}.items())
    press = Press(guest.person.address, scene.slug, game.seq + 1, fields)
    scene.notes.press(press)
    play_turn(scene.database, scene.slug, guest, action)
    scene.notes.win(press)


def deliver(scene: Scene) -> None:
    with closing(SmtpTransport(relay_at(f"smtp://127.0.0.1:{scene.relay.port}"))) as transport:
        delivery.deliver(
            WorkerContext(
                database=scene.database,
                keys=KEYS,
                composer=Composer(base_url="https://lodepost.test", mail_from="a@lodepost.test"),
                transport=transport,
                mail_from="a@lodepost.test",
                now=lambda: NOON,
                pick=pick_first,
                is_stopping=lambda: False,
                nudge=lambda _: None,
            )
        )


def test_a_run_in_which_nothing_was_lost_is_clean(scene: Scene) -> None:
    assert scene.broken() == set()


_PLANTED: dict[str, str] = {
    "DELETE FROM turn WHERE seq = 2": "acknowledged turns are in the log",
    "UPDATE turn SET action = (SELECT action FROM turn WHERE seq = 1) WHERE seq = 3": (
        "acknowledged turns are in the log"
    ),
    "UPDATE turn SET seat = 0 WHERE seq = 2": "no turn that nobody asked for",
    "UPDATE game SET awaiting = 2": "every log folds onto its snapshot",
    "UPDATE turn SET by = 'clock' WHERE seq = 3": "nobody in time was defaulted",
    "DELETE FROM notification WHERE kind = 'your-turn' AND seq = 1": "everybody on turn was called",
    "DELETE FROM notification WHERE kind = 'dealt'": "everybody heard of beginning and end",
    "UPDATE notification SET status = 'sent', message_id = 'never' WHERE kind = 'dealt'": (
        "what counts as sent reached the relay"
    ),
    "UPDATE notification SET status = 'dead' WHERE kind = 'dealt'": (
        "letters are sent, dropped with a reason, or not due"
    ),
    "UPDATE notification SET status = 'dropped', reason = NULL WHERE kind = 'dealt'": (
        "letters are sent, dropped with a reason, or not due"
    ),
    "UPDATE notification SET status = 'owed', lease_until = NULL WHERE kind = 'dealt'": (
        "letters are sent, dropped with a reason, or not due"
    ),
    "UPDATE notification SET message_id = 'another' WHERE kind = 'dealt'": (
        "doubles bear the same Message-ID"
    ),
    "UPDATE game SET wake_at = turn_started_at": "nothing waits",
}


@pytest.mark.parametrize("loss, rule", list(_PLANTED.items()), ids=range(len(_PLANTED)))
def test_a_planted_loss_is_told(scene: Scene, loss: str, rule: str) -> None:
    scene.say(loss)
    assert rule in scene.broken()


def won_twice(scene: Scene) -> Evidence:
    scene.notes.win(scene.notes.won[0])
    return scene.evidence()


def never_pressed(scene: Scene) -> Evidence:
    scene.notes.won.clear()
    scene.notes.pressed.clear()
    return scene.evidence()


def fault_seen(scene: Scene) -> Evidence:
    scene.notes.fault("500 at /games")
    return scene.evidence()


def letters_late(scene: Scene) -> Evidence:
    return scene.evidence()._replace(late=["3 letters did not follow"])


def worker_ended(scene: Scene) -> Evidence:
    return scene.evidence()._replace(ended=["worker 1 ended by itself"])


def sent_under_another_name(scene: Scene) -> Evidence:
    evidence = scene.evidence()
    return evidence._replace(accepted=evidence.accepted + Counter(["<another@lodepost.test>"]))


_NOTED = [
    (won_twice, "one turn, one winner"),
    (never_pressed, "people could play"),
    (never_pressed, "no turn that nobody asked for"),
    (fault_seen, "pages are clear"),
    (letters_late, "nothing waits"),
    (worker_ended, "processes live until they are killed"),
    (sent_under_another_name, "doubles bear the same Message-ID"),
]


@pytest.mark.parametrize("plant, rule", _NOTED)
def test_what_was_noted_wrongly_is_told(
    scene: Scene, plant: Callable[[Scene], Evidence], rule: str
) -> None:
    assert rule in scene.broken(plant(scene))


def test_every_rule_has_a_planted_loss() -> None:
    assert {*_PLANTED.values(), *(rule for _, rule in _NOTED)} == set(RULES)


def test_whose_time_had_run_out_may_be_played_for(scene: Scene) -> None:
    scene.run_the_clock()
    deliver(scene)
    evidence = scene.evidence()
    assert scene.broken(evidence) == {"nobody in time was defaulted"}
    assert scene.broken(evidence._replace(expired=[Expiry(scene.slug, 4)])) == set()


def test_a_letter_that_was_taken_twice_is_a_double_and_no_loss(scene: Scene) -> None:
    scene.relay.taken.append(scene.relay.taken[-1])
    evidence = scene.evidence()
    assert scene.broken(evidence) == set()
    assert evidence.accepted.total() == len(evidence.accepted) + 1
