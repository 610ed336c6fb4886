"""One run: an installation, people at its pages, one trouble after another, quiet at the end, and the account of it."""

import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.chaos.browser import Browser
from tests.chaos.disk import small_disk
from tests.chaos.evidence import Evidence, stored_in
from tests.chaos.faults import LETTERS_FOLLOW_WITHIN, Troubles
from tests.chaos.history import Loss, losses
from tests.chaos.inbox import Letterbox, message_ids
from tests.chaos.installation import Installation, running_installation, until_true
from tests.chaos.notes import Notes
from tests.chaos.players import Player, seated
from tests.support.page_robot import Pick, chance
from webapp.clock import utc_now
from webapp.embedded.binaries import PostgresPrograms

_LONGEST_OUTAGE = 60.0
_TABLES = 3


class Plan(NamedTuple):
    """How long troubles go on, by which luck, and how long each lasts."""

    seconds: float
    seed: str
    spell: float = 3.0
    outage: float = _LONGEST_OUTAGE
    tables: int = _TABLES
    only: tuple[str, ...] = ()
    """The troubles that may strike; all that can be tried where it is empty."""
    least: int = 0
    """How many troubles strike however long that takes."""
    letters_follow_within: float = LETTERS_FOLLOW_WITHIN


class Outcome(NamedTuple):
    """What was done, and what was lost."""

    evidence: Evidence
    notes: Notes
    troubles: Troubles
    tracebacks: int
    """In the logs of all processes."""
    lost: list[Loss]


def run(
    plan: Plan, folder: Path, programs: PostgresPrograms, *, say: Callable[[str], None]
) -> Outcome:
    """Go through one run in an empty folder; ``say`` is told each trouble as it strikes."""
    notes = Notes()
    with (
        small_disk(folder / "disk") as disk,
        running_installation(folder, programs, disk=disk) as here,
    ):
        troubles = Troubles(
            here,
            chance(f"troubles {plan.seed}"),
            spell=plan.spell,
            outage=plan.outage,
            patience=plan.letters_follow_within,
        )
        with people_at(here, plan, notes):
            until_true(lambda: here.ask(_RUNNING) == [(plan.tables,)])
            strike_at_random(troubles, plan, notes, say=say)
        say("quiet: letters and bots finish")
        troubles.look_after_parts("the last trouble")
        settle(here)
        evidence = gather(here, troubles)
        if disk is not None:
            shutil.copy(disk / "postgres.log", folder)
    return Outcome(evidence, notes, troubles, _tracebacks(folder), losses(evidence, notes))


@contextmanager
def people_at(here: Installation, plan: Plan, notes: Notes) -> Iterator[list[Player]]:
    """Yield with everybody signed in and playing; they finish what they are at when it ends."""
    stopped = threading.Event()
    players = seated(
        lambda: Browser(here.addresses, notes),
        notes,
        tables=plan.tables,
        chance=lambda who: chance(f"{who} {plan.seed}"),
        stopped=stopped,
    )
    letters = Letterbox(here.relay)
    for player in players:
        player.sign_in(letters)
    for player in players:
        player.start()
    try:
        yield players
    finally:
        stopped.set()
        for player in players:
            player.join(60)


def strike_at_random(
    troubles: Troubles, plan: Plan, notes: Notes, *, say: Callable[[str], None]
) -> None:
    """Each kind once in a random order, then again and again until the time is over; after each, people play on."""
    began = time.monotonic()
    names: list[str] = []
    while (at := time.monotonic() - began) < plan.seconds or troubles.count() < plan.least:
        names = names or _shuffled(list(plan.only) or troubles.names(), troubles.pick)
        name = names.pop()
        say(f"{at:4.0f} s  {name}")
        troubles.strike(name)
        _see_people_play_on(troubles, notes, name)
        time.sleep(troubles.pick(10) / 10)


def _see_people_play_on(troubles: Troubles, notes: Notes, name: str) -> None:
    before = len(notes.won)
    try:
        until_true(lambda: len(notes.won) > before)
    except TimeoutError:
        troubles.late.append(f"nobody could play on after this: {name}")


def settle(here: Installation) -> None:
    """Let all that is owed come to its end: no claim of a dead worker, no pause of a relay's refusal is waited out."""
    for worker in here.workers:
        worker.stop()
    # Whoever held these leases has ended, and time passes for those who were to wait.
    here.ask("UPDATE notification SET due_at = now(), lease_until = NULL WHERE status = 'owed'")
    for worker in here.workers:
        worker.start()
    try:
        until_true(lambda: here.ask(_WAITING) == [(0,)])
    except TimeoutError:
        return
    finally:
        for part in (*here.workers, here.beat):
            part.stop()


def gather(here: Installation, troubles: Troubles) -> Evidence:
    return Evidence(
        stored=stored_in(here.url, now=utc_now()),
        accepted=message_ids(list(here.relay.taken)),
        expired=troubles.expired,
        late=troubles.late,
        ended=troubles.ended,
    )


_RUNNING = "SELECT count(*) FROM game WHERE status = 'running'"
_WAITING = """
SELECT (SELECT count(*) FROM notification WHERE status = 'owed')
     + (SELECT count(*) FROM game WHERE status = 'running' AND wake_at <= now())
"""


def _shuffled(names: list[str], pick: Pick) -> list[str]:
    return [names.pop(pick(len(names))) for _ in range(len(names))]


def _tracebacks(folder: Path) -> int:
    return sum(log.read_bytes().count(b"Traceback") for log in folder.glob("*.log"))
