import logging
import subprocess
import sys
import threading
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import Engine, create_engine

from engine.view import legal_actions
from tasks import delivery
from tasks.context import WorkerContext
from tests.support.cast import ALICE, BOB, CAROL, DAVE
from tests.support.factories import (
    DAY,
    NOON,
    Guest,
    deal_game,
    open_table,
    play_turn,
    request_sign_in_email,
    table_settings,
)
from tests.support.fakes import Outbox, Passing, Recording, kind_of, read, text_of
from tests.support.postgres import Postgres
from webapp.mail.errors import AmbiguousFailure, PermanentFailure, TransientFailure, Unreachable
from webapp.mail.parcel import RenderedEmail
from webapp.mail.relay import TIMEOUT
from webapp.mail.smtp import HANDING_OVER
from webapp.services.errors import Unavailable
from webapp.services.notifications.delivery import LEASE
from webapp.services.notifications.email_context import EmailContext
from webapp.services.tx import Database, transaction

ROOT = Path(__file__).parents[2]
DEALT = [("dealt", guest.address) for guest in (ALICE, BOB, CAROL)]
ALL_FOUR = [*DEALT, ("your-turn", ALICE.address)]


def refuse(refusal: Exception, *, kind: str) -> "object":
    def look(parcel: RenderedEmail) -> None:
        if kind_of(parcel.message) == kind:
            raise refusal

    return look


def test_every_letter_of_a_deal_goes_out_once(
    context: WorkerContext, slug: str, recording: Recording, outbox: Outbox
) -> None:
    delivery.deliver(context)
    delivery.deliver(context)
    assert recording.sent() == ALL_FOUR
    assert outbox.statuses() == {"sent"}


def test_accepted_bytes_are_erased(context: WorkerContext, slug: str, outbox: Outbox) -> None:
    delivery.deliver(context)
    assert {row.message for row in outbox.rows()} == {None}


def test_bytes_are_stored_before_anybody_else_sees_them(
    context: WorkerContext, slug: str, recording: Recording, outbox: Outbox
) -> None:
    stored: list[bool] = []
    recording.before = lambda parcel: stored.append(
        parcel.message in {row.message for row in outbox.rows()}
    )
    delivery.deliver(context)
    assert stored == [True] * 4


def test_no_row_is_locked_while_the_relay_thinks(
    context: WorkerContext, slug: str, recording: Recording, outbox: Outbox
) -> None:
    recording.before = lambda _: outbox.say(
        "SELECT notification.id FROM notification, game FOR UPDATE NOWAIT"
    )
    delivery.deliver(context)
    assert outbox.statuses() == {"sent"}


def test_a_letter_put_off_comes_later_with_the_same_bytes(
    context: WorkerContext, slug: str, recording: Recording, outbox: Outbox, clock: Passing
) -> None:
    first_try: list[bytes] = []

    def refuse_once(parcel: RenderedEmail) -> None:
        if kind_of(parcel.message) == "your-turn" and not first_try:
            first_try.append(parcel.message)
            raise TransientFailure("450 4.2.1 greylisted")

    recording.before = refuse_once
    delivery.deliver(context)
    postponed = outbox.only("your-turn")
    assert recording.sent() == DEALT
    assert (postponed.status, postponed.attempts, postponed.reason) == (
        "owed",
        1,
        "450 4.2.1 greylisted",
    )
    assert postponed.due_at == NOON + timedelta(seconds=30)

    clock.now += timedelta(seconds=29)
    delivery.deliver(context)
    assert len(recording.parcels) == 3
    clock.now += timedelta(seconds=1)
    delivery.deliver(context)
    assert recording.parcels[-1].message == first_try[0]
    assert outbox.statuses() == {"sent"}


def test_a_letter_refused_for_good_is_dead_and_holds_up_nobody(
    context: WorkerContext, slug: str, recording: Recording, outbox: Outbox, clock: Passing
) -> None:
    recording.before = refuse(PermanentFailure("550 5.1.1 nobody here"), kind="your-turn")  # type: ignore[assignment]
    delivery.deliver(context)
    dead = outbox.only("your-turn")
    assert (dead.status, dead.reason, dead.message) == ("dead", "550 5.1.1 nobody here", None)
    assert recording.sent() == DEALT
    clock.now += DAY
    delivery.deliver(context)
    assert len(recording.parcels) == 3


def test_a_letter_that_is_refused_for_five_days_is_dead(
    context: WorkerContext, slug: str, recording: Recording, outbox: Outbox, clock: Passing
) -> None:
    recording.before = refuse(TransientFailure("452 4.2.2 full"), kind="dealt")  # type: ignore[assignment]
    tries = 0
    while "owed" in outbox.statuses():
        delivery.deliver(context)
        clock.now += timedelta(hours=1)
        tries += 1
    assert {row.status for row in outbox.rows("dealt")} == {"dead"}
    assert 120 <= tries <= 130


def test_a_letter_that_may_have_arrived_each_time_is_not_sent_for_ever(
    context: WorkerContext, slug: str, recording: Recording, outbox: Outbox, clock: Passing
) -> None:
    recording.before = refuse(AmbiguousFailure("timed out"), kind="dealt")  # type: ignore[assignment]
    last = clock.now + timedelta(days=7)
    while clock.now < last:
        delivery.deliver(context)
        clock.now += timedelta(minutes=10)
    assert {row.status for row in outbox.rows("dealt")} == {"dead"}


def test_a_letter_older_than_all_patience_survives_a_relay_that_is_away_and_then_busy(
    context: WorkerContext, slug: str, recording: Recording, outbox: Outbox, clock: Passing
) -> None:
    outbox.say("UPDATE notification SET owed_at = owed_at - interval '9 days'")
    for trouble in (
        Unreachable("ConnectionRefusedError: refused"),
        TransientFailure("450 greylisted"),
    ):
        recording.before = refuse(trouble, kind="dealt")  # type: ignore[assignment]
        delivery.deliver(context)
        clock.now += timedelta(minutes=2)
    recording.before = lambda _: None
    delivery.deliver(context)
    assert recording.sent() == ALL_FOUR


def test_while_nothing_gets_through_no_letter_is_worn_out(
    context: WorkerContext, slug: str, recording: Recording, outbox: Outbox, clock: Passing
) -> None:
    seen: list[RenderedEmail] = []

    def nobody_there(parcel: RenderedEmail) -> None:
        seen.append(parcel)
        raise Unreachable("ConnectionRefusedError: refused")

    recording.before = nobody_there
    delivery.deliver(context)
    assert len(seen) == 1
    assert sorted(row.attempts for row in outbox.rows()) == [0, 0, 0, 1]
    assert {row.lease_until for row in outbox.rows()} == {None}

    recording.before = lambda _: None
    clock.now += timedelta(seconds=30)
    delivery.deliver(context)
    assert recording.sent() == ALL_FOUR


def test_a_letter_untrue_meanwhile_is_dropped_with_its_reason(
    context: WorkerContext,
    database: Database,
    slug: str,
    guests: list[Guest],
    recording: Recording,
    outbox: Outbox,
) -> None:
    play_turn(database, slug, guests[0])
    delivery.deliver(context)
    assert recording.sent() == [*DEALT, ("your-turn", BOB.address)]
    alices = next(row for row in outbox.rows("your-turn") if row.status == "dropped")
    assert alices.reason == "moved-on"


def test_a_letter_put_off_and_untrue_meanwhile_is_not_sent_from_its_stored_bytes(
    context: WorkerContext,
    database: Database,
    slug: str,
    guests: list[Guest],
    recording: Recording,
    outbox: Outbox,
    clock: Passing,
) -> None:
    recording.before = refuse(TransientFailure("450 later"), kind="your-turn")  # type: ignore[assignment]
    delivery.deliver(context)
    play_turn(database, slug, guests[0], now=clock())
    recording.before = lambda _: None
    clock.now += timedelta(minutes=1)
    delivery.deliver(context)
    assert recording.sent() == [*DEALT, ("your-turn", BOB.address)]
    assert {row.message for row in outbox.rows()} == {None}


class Failing:
    """A composer that fails for one kind of letter."""

    def __init__(self, context: WorkerContext, kind: str) -> None:
        self._composer = context.composer
        self._kind = kind

    def compose(self, digest: EmailContext, **given: object) -> bytes:
        if digest.envelope.kind == self._kind:
            raise ZeroDivisionError("a mistake of ours")
        return self._composer.compose(digest, **given)  # type: ignore[arg-type]


def test_a_letter_that_cannot_be_composed_holds_up_nobody(
    context: WorkerContext, slug: str, recording: Recording, outbox: Outbox
) -> None:
    delivery.deliver(replace(context, composer=Failing(context, "your-turn")))  # type: ignore[arg-type]
    assert recording.sent() == DEALT
    failed = outbox.only("your-turn")
    assert (failed.status, failed.reason, failed.message) == ("owed", "composing failed", None)
    assert failed.due_at > NOON


def test_a_game_that_cannot_be_read_holds_up_no_other(
    context: WorkerContext,
    database: Database,
    slug: str,
    guests: list[Guest],
    recording: Recording,
    outbox: Outbox,
    caplog: pytest.LogCaptureFixture,
) -> None:
    broken = deal_game(database, guests)
    outbox.say("UPDATE game SET state = 'rubble' WHERE slug = :slug", slug=broken)
    with caplog.at_level(logging.ERROR):
        delivery.deliver(context)
    assert "cannot be written" in caplog.text
    assert ("your-turn", ALICE.address) in recording.sent()
    assert {row.status for row in outbox.rows("your-turn")} == {"sent", "owed"}
    assert {read(parcel.message)["List-Id"] for parcel in recording.parcels} >= {
        f"<{slug}.lodepost.test>"
    }


def test_no_log_names_an_address(
    context: WorkerContext, slug: str, recording: Recording, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        recording.before = refuse(PermanentFailure(f"550 no {ALICE.address}"), kind="dealt")  # type: ignore[assignment]
        delivery.deliver(replace(context, composer=Failing(context, "your-turn")))  # type: ignore[arg-type]
    assert "example.test" not in caplog.text


def test_who_is_told_to_stop_gives_back_what_was_not_begun(
    context: WorkerContext, slug: str, recording: Recording, outbox: Outbox
) -> None:
    stopping = replace(context, is_stopping=lambda: len(recording.parcels) == 2)
    delivery.deliver(stopping)
    assert len(recording.parcels) == 2
    left = [row for row in outbox.rows() if row.status == "owed"]
    assert [(row.attempts, row.lease_until) for row in left] == [(0, None)] * 2
    delivery.deliver(context)
    assert recording.sent() == ALL_FOUR


def test_no_message_is_handed_over_that_could_outlast_its_lease(
    context: WorkerContext, slug: str, recording: Recording, clock: Passing
) -> None:
    told: dict[timedelta, bool] = {}

    def look(parcel: RenderedEmail) -> None:
        for waited in (timedelta(), LEASE - delivery.HANDING_OVER, timedelta(seconds=1)):
            clock.now += waited
            told[clock.now - NOON] = parcel.is_in_time()
        raise Unreachable("only looked")

    recording.before = look
    delivery.deliver(context)
    assert timedelta(seconds=TIMEOUT * HANDING_OVER) <= delivery.HANDING_OVER
    assert list(told.values()) == [True, True, False]


class Slow:
    """A composer that takes a minute for each letter."""

    def __init__(self, context: WorkerContext, clock: Passing) -> None:
        self._composer = context.composer
        self._clock = clock

    def compose(self, digest: EmailContext, **given: object) -> bytes:
        self._clock.now += timedelta(minutes=1)
        return self._composer.compose(digest, **given)  # type: ignore[arg-type]


def test_no_letter_is_begun_that_could_outlast_its_lease(
    context: WorkerContext, slug: str, recording: Recording, outbox: Outbox, clock: Passing
) -> None:
    left: list[timedelta] = []

    def look(_: RenderedEmail) -> None:
        left.extend(row.lease_until - clock.now for row in outbox.rows() if row.lease_until)

    recording.before = look
    delivery.deliver(replace(context, composer=Slow(context, clock)))  # type: ignore[arg-type]
    assert recording.sent() == ALL_FOUR
    assert min(left) >= delivery.ENOUGH
    assert outbox.statuses() == {"sent"}


def test_what_waited_behind_a_slow_letter_is_looked_at_again(
    context: WorkerContext,
    database: Database,
    slug: str,
    guests: list[Guest],
    recording: Recording,
    outbox: Outbox,
    clock: Passing,
) -> None:
    def slowly(_: RenderedEmail) -> None:
        clock.now += timedelta(seconds=6)
        if len(recording.parcels) == 1:
            play_turn(database, slug, guests[0], now=clock.now)

    recording.after = slowly
    delivery.deliver(context)
    assert recording.sent() == [*DEALT, ("your-turn", BOB.address)]
    assert outbox.statuses() == {"sent", "dropped"}


def test_what_a_quick_relay_takes_is_looked_at_once(
    context: WorkerContext, slug: str, recording: Recording, outbox: Outbox, clock: Passing
) -> None:
    def quickly(_: RenderedEmail) -> None:
        clock.now += timedelta(seconds=1)

    leases: set[datetime | None] = set()
    recording.before = lambda _: leases.update(row.lease_until for row in outbox.rows())
    recording.after = quickly
    delivery.deliver(context)
    assert recording.sent() == ALL_FOUR
    assert leases == {NOON + LEASE}


def test_a_database_that_goes_for_a_moment_makes_no_letter_go_twice(
    context: WorkerContext,
    slug: str,
    recording: Recording,
    outbox: Outbox,
    clock: Passing,
    postgres: Postgres,
    database_url: str,
) -> None:
    admin = create_engine(postgres.url_of("postgres"), isolation_level="AUTOCOMMIT")
    name = database_url.rpartition("/")[2]

    def be_there(*, there: bool) -> None:
        with admin.connect() as connection:
            connection.exec_driver_sql(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS {there}')
            connection.exec_driver_sql(
                f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"
            )

    def go_away(_: RenderedEmail) -> None:
        if len(recording.parcels) == 4:
            be_there(there=False)

    def come_back(seconds: float) -> None:
        clock.pause(seconds)
        be_there(there=len(clock.waited) > 1)

    recording.after = go_away
    delivery.deliver(replace(context, pause=come_back))
    assert clock.waited == [0.2, 1.0]
    assert outbox.statuses() == {"sent"}
    admin.dispose()


class Leaving:
    """A database that can be gone."""

    def __init__(self, there: Database) -> None:
        self._there = there
        self._away = Database("postgresql://nobody@127.0.0.1:9/none")
        self.is_gone = False

    @property
    def engine(self) -> Engine:
        return self._away.engine if self.is_gone else self._there.engine


def test_a_database_that_goes_for_good_is_told_and_the_lease_brings_the_letters_back(
    context: WorkerContext, slug: str, recording: Recording, clock: Passing, outbox: Outbox
) -> None:
    leaving = Leaving(context.database)
    left = replace(context, database=leaving)  # type: ignore[arg-type]

    def leave(_: RenderedEmail) -> None:
        leaving.is_gone = True

    recording.after = leave
    with pytest.raises(Unavailable):
        delivery.deliver(left)
    assert clock.waited == [0.2, 1.0, 5.0]
    leaving.is_gone = False
    recording.after = lambda _: None
    clock.now += LEASE
    delivery.deliver(left)
    assert outbox.statuses() == {"sent"}
    assert len({parcel.message for parcel in recording.parcels}) == 4


def test_a_database_that_stays_away_is_told(context: WorkerContext, clock: Passing) -> None:
    away = replace(context, database=Database("postgresql://nobody@127.0.0.1:9/none"))
    with pytest.raises(Unavailable):
        delivery.deliver(away)


def test_two_senders_send_every_letter_once(
    context: WorkerContext,
    database: Database,
    guests: list[Guest],
    recording: Recording,
    outbox: Outbox,
) -> None:
    for _ in range(8):
        deal_game(database, guests)
    threads = [threading.Thread(target=delivery.deliver, args=(context,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(recording.parcels) == 32
    assert len({read(parcel.message)["Message-ID"] for parcel in recording.parcels}) == 32
    assert {row.status for row in outbox.rows() if row.kind != "ready-check"} == {"sent"}


def test_every_letter_bears_a_message_id_of_its_own_and_the_root_of_its_game(
    context: WorkerContext, slug: str, recording: Recording
) -> None:
    delivery.deliver(context)
    messages = recording.messages
    assert len({message["Message-ID"] for message in messages}) == 4
    assert all(len(message["Message-ID"]) < 70 for message in messages)
    assert len({message["References"] for message in messages}) == 1
    assert len({message["Subject"] for message in messages}) == 1


def test_a_sign_in_letter_carries_a_code_and_no_way_to_end_it(
    context: WorkerContext, database: Database, recording: Recording
) -> None:
    with transaction(database) as tx:
        request_sign_in_email(tx, DAVE)
    delivery.deliver(context)
    (message,) = recording.messages
    assert message["To"].addresses[0].addr_spec == DAVE.address
    assert message["List-Unsubscribe"] is None


def test_a_turn_letter_offers_what_the_rules_allow(
    context: WorkerContext, database: Database, slug: str, guests: list[Guest], recording: Recording
) -> None:
    from tests.support.game_pages import game_page

    with transaction(database) as tx:
        page = game_page(tx, slug, guests[0].person, keys=context.keys, now=NOON)
    delivery.deliver(context)
    (letter,) = (
        text_of(parcel.message)
        for parcel in recording.parcels
        if kind_of(parcel.message) == "your-turn"
    )
    assert page.menu == legal_actions(page.view)  # type: ignore[union-attr]
    from engine.notation import write_action

    assert all(f"  {write_action(action)}" in letter for action in page.menu)  # type: ignore[union-attr]


def test_an_open_table_invites_and_checks(
    context: WorkerContext, database: Database, guests: list[Guest], recording: Recording
) -> None:
    from webapp.services.keys import TokenSource
    from webapp.services.lobby import invitations
    from webapp.services.play import access

    slug = open_table(database, guests[0], table_settings())
    with transaction(database) as tx:
        game = access.game_for(tx, slug, guests[0].person, now=NOON, mode="change").game
        invitations.invite(
            tx,
            game,
            guests[0].person,
            address=DAVE.address,
            source=TokenSource(context.keys, lambda size: b"t" * size),
            now=NOON,
        )
    delivery.deliver(context)
    assert recording.sent() == [("invitation", DAVE.address)]
    link = text_of(recording.parcels[0].message).partition("/invitations/")[2].split()[0]
    with transaction(database) as tx:
        page = invitations.invitation_page(tx, link, None, now=NOON)
    assert page.table.slug == slug


KILLED = """
import os, sys
from tests.support.factories import KEYS, NOON, pick_first
from tests.support.fakes import Recording
from tasks import delivery
from tasks.context import WorkerContext
from webapp.mail.compose import Composer
from webapp.services.tx import Database

url, step, out = sys.argv[1:]
die = lambda *_: os._exit(9)
recording = Recording()

def record(parcel):
    with open(out, "ab") as file:
        file.write(parcel.message + b"\\0")

class Dying(Composer):
    def compose(self, digest, *, now):
        die()

recording.before = die if step == "kept" else record
recording.after = die if step == "handed over" else (lambda _: None)
make = Dying if step == "looked at again" else Composer
composer = make(base_url="https://lodepost.test", mail_from="lodepost@lodepost.test")
calls = iter(range(100))
def now():
    # The first instant is for the claim, the second for the second look.
    if step == "claimed" and next(calls) == 1:
        die()
    return NOON
shop = WorkerContext(database=Database(url), keys=KEYS, composer=composer, transport=recording,
    mail_from="lodepost@lodepost.test", now=now, pick=first, is_stopping=lambda: False,
    nudge=lambda _: None)
delivery.deliver(shop)
"""


@pytest.mark.usefixtures("slug")
@pytest.mark.parametrize("step", ["claimed", "looked at again", "kept", "handed over"])
def test_a_worker_killed_between_two_steps_loses_no_letter(
    step: str,
    context: WorkerContext,
    database_url: str,
    recording: Recording,
    outbox: Outbox,
    clock: Passing,
    tmp_path: Path,
) -> None:
    out = tmp_path / "sent"
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, database_url, step, str(out)], cwd=ROOT, check=False
    )
    assert killed.returncode == 9
    assert outbox.statuses() == {"owed"}
    delivery.deliver(context)
    assert recording.parcels == [], "the lease still holds"

    clock.now += LEASE + timedelta(seconds=1)
    delivery.deliver(context)
    assert recording.sent() == ALL_FOUR
    assert outbox.statuses() == {"sent"}
    doubled = set(out.read_bytes().split(b"\0")[:-1]) if out.exists() else set()
    assert len(doubled) == (step == "handed over")
    assert doubled <= {parcel.message for parcel in recording.parcels}
