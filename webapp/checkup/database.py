"""The database: there, of this release, in time, and nothing in it waiting too long."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

from webapp.checkup.finding import Finding, Findings, doubtful, well, wrong
from webapp.config import Misconfigured
from webapp.services.errors import Unavailable
from webapp.services.operations.audit import Soundness, soundness
from webapp.services.operations.health import OLDEST_POSTGRES, Pulse, Vitals, pulse, vitals
from webapp.services.tx import Tx, database_for, read_only

_SKEW: Final = timedelta(seconds=2)
_LARGE_SKEW: Final = timedelta(minutes=1)
_LATE_LETTER: Final = timedelta(minutes=5)
_LATE_TURN: Final = timedelta(minutes=5)


def look_at_database(url: str, now: Callable[[], datetime]) -> Findings:
    """Connect once and look around; nothing is changed."""
    database = database_for(url, pool_size=1)
    try:
        with read_only(database) as tx:
            yield from _look(tx, now)
    except Unavailable as problem:
        yield wrong(
            f"The database does not answer: {_cause_of(problem)}.",
            "Start it, or set DATABASE_URL to where it is.",
        )
    except Misconfigured as problem:
        yield wrong(str(problem), "Set DATABASE_URL to a database that answers.")
    finally:
        database.dispose()


def _look(tx: Tx, now: Callable[[], datetime]) -> Findings:
    before = now()
    found = vitals(tx)
    after = now()
    yield from _about_release(found)
    yield from _about_clock(found.clock - (before + (after - before) / 2))
    if found.is_current:
        yield from _about_waiting(pulse(tx, now=after))
        yield _about_audit(soundness(tx))


def _about_release(found: Vitals) -> Findings:
    if found.postgres < OLDEST_POSTGRES:
        yield wrong(
            f"The database is Postgres {found.postgres}.", f"Use {OLDEST_POSTGRES} or newer."
        )
    else:
        yield well(f"The database answers; it is Postgres {found.postgres}.")
    if found.is_current:
        yield well(f"Its schema is that of this release ({found.schema}).")
        return
    yield wrong(
        f"Its schema is {found.schema or 'not there yet'}, and not that of this release.",
        "Run `lodepost migrate` with the newest release that uses this database; "
        "`lodepost serve` does so by itself.",
    )


def _about_clock(skew: timedelta) -> Findings:
    seconds = f"{abs(skew.total_seconds()):.1f} seconds"
    remedy = "Let both machines keep time with NTP (timedatectl set-ntp true)."
    if abs(skew) > _LARGE_SKEW:
        yield wrong(f"The clock here and that of the database are {seconds} apart.", remedy)
    elif abs(skew) > _SKEW:
        yield doubtful(f"The clock here and that of the database are {seconds} apart.", remedy)
    else:
        yield well("The clock here and that of the database agree.")


def _about_waiting(found: Pulse) -> Findings:
    yield from _about(
        "A letter has been owed for {}.", found.oldest_owed_letter, "no letter waits", _LATE_LETTER
    )
    yield from _about(
        "A deadline passed {} ago, and nobody was played for.",
        found.most_overdue_deadline,
        "no deadline is overdue",
        _LATE_TURN,
    )
    yield from _about(
        "A bot has been on turn for {}.", found.most_overdue_bot, "no bot waits", _LATE_TURN
    )


def _about_audit(found: Soundness) -> Finding:
    if found.disagreeing:
        return wrong(
            f"Games whose log and position disagree: {found.disagreeing}. The clock leaves them alone.",
            "`lodepost audit` names them and says what is wrong; write a backup before anything else.",
        )
    if found.walked_at is None:
        return well("The audit has not yet looked at all games.")
    return well(f"At {found.walked_at:%Y-%m-%d %H:%M} UTC the audit had looked at all games.")


def _about(words: str, age: timedelta | None, nothing: str, late: timedelta) -> Findings:
    if age is None:
        yield well(f"In the database {nothing}.")
    elif age <= late:
        yield well(words.format(_rounded(age)))
    else:
        yield wrong(
            words.format(_rounded(age)),
            "See that a worker and exactly one beat run, and what their logs say.",
        )


def _rounded(age: timedelta) -> str:
    return str(timedelta(seconds=int(age.total_seconds())))


def _cause_of(problem: Unavailable) -> str:
    """What the driver said, without SQLAlchemy's words around it."""
    cause = problem.__cause__
    return " ".join(str(getattr(cause, "orig", None) or cause).split()).rstrip(".")
