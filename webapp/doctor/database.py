"""Check the database: its version, schema, clock and key, what waits, the alarms and the last audit."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Final

from webapp.doctor.disk import check_disk, free_bytes
from webapp.doctor.processes import SYNCHRONISE_ADVICE, check_processes, duration_text
from webapp.doctor.result import CheckResult, CheckResults, Status, error, ok, warning
from webapp.kernel.config import OLDEST_POSTGRES_VERSION, Settings
from webapp.kernel.operator_errors import Misconfigured
from webapp.kernel.refusals import Unavailable
from webapp.kernel.tx import Database, Tx, read_only
from webapp.operations.audit import AuditStatus
from webapp.operations.health import (
    Backlog,
    DatabaseInfo,
    SessionDifference,
    SiteStatus,
    database_info,
    local_data_folder,
    session_differences,
    site_status,
)
from webapp.operations.key_check import WRONG_KEY_ADVICE, WRONG_KEY_TEXT, is_expected_key
from webapp.operations.processes import (
    WRITE_SECONDS,
    DatabaseState,
    WriteCheck,
    clock_difference,
    database_time,
    is_clock_difference_too_large,
)

_MAX_CLOCK_SKEW: Final = timedelta(seconds=2)
_MAX_WAIT: Final = timedelta(minutes=5)
_LIST_ADVICE: Final = "`lodepost emails list` shows them."
_STATUS_AND_ADVICE_BY_CAUSE: Final[dict[str, tuple[Status, str]]] = {
    "recipient": ("warning", f"Their mailboxes refuse them for now. {_LIST_ADVICE}"),
    "refused": (
        "error",
        "Correct what its answer names, often SMTP_URL, MAIL_FROM or a quota; then run `lodepost emails resend --since 7d`.",
    ),
    "unreachable": ("error", "Check that SMTP_URL is right and the mail server is running."),
    "composing": ("error", "An email can't be written: read the worker's log."),
}
_ADVICE_BY_ALARM: Final = {
    "site-limit": (
        "All visitors together have requested too many emails.",
        "Someone may be flooding the site: read the log of the proxy, and block the source there.",
    ),
    "wrong-codes": (
        "Many wrong sign-in codes were typed.",
        "Someone may be guessing codes: read the log of the proxy, and block the source there.",
    ),
    "dead-email": ("Emails were given up.", "`lodepost emails list --dead` shows why."),
}


def check_database(
    url: str, now: Callable[[], datetime], *, write_seconds: float = WRITE_SECONDS
) -> CheckResults:
    """Run all checks. The only change is the time of the write check, which fails if it takes longer than ``write_seconds``."""
    try:
        with Database(url, pool_size=1) as database, read_only(database, now()) as tx:
            info = database_info(tx)
            yield from check_server(database, tx, info, now, write_seconds=write_seconds)
            if info.is_current:
                yield from check_work(site_status(tx), now())
    except Unavailable as problem:
        yield error(
            f"The database does not answer: {cause_text(problem)}.",
            "Start it, or set DATABASE_URL to where it is.",
        )
    except Misconfigured as problem:
        yield error(str(problem), "Set DATABASE_URL to a database that answers.")


def check_server(
    database: Database,
    tx: Tx,
    info: DatabaseInfo,
    now: Callable[[], datetime],
    *,
    write_seconds: float = WRITE_SECONDS,
) -> CheckResults:
    """Check a database that has answered: its version, schema, clock and disk, and whether it takes changes."""
    yield from _check_version_and_schema(info)
    yield _check_clock(clock_difference(tx, now, database_time))
    yield _check_session(session_differences(tx))
    yield _check_write(WriteCheck(database, "doctor", now=now, seconds=write_seconds).state())
    if (folder := local_data_folder(tx)) is not None:
        yield check_disk(folder, free_bytes)


def check_work(status: SiteStatus, now: datetime) -> CheckResults:
    """Check what waits, who works and the last audit."""
    yield from _check_backlog(status.backlog)
    yield from check_alarms(status)
    yield from check_processes(status.processes, now)
    yield from _check_copy(status)
    yield _check_audit(status.audit)


def check_alarms(status: SiteStatus) -> CheckResults:
    """Yield a result for each cause of delayed emails and each alarm."""
    results = [_check_delay(*delayed) for delayed in status.delayed_emails]
    for raised in status.alarms:
        if raised.name in _ADVICE_BY_ALARM:
            message, advice = _ADVICE_BY_ALARM[raised.name]
            text = f"{message} Last at {raised.raised_at:%H:%M} UTC."
            results.append(CheckResult("warning", text, advice))
    yield from results or [ok("No email is delayed, and no alarm was raised within the last hour.")]


def check_key(tx: Tx, settings: Settings) -> CheckResult:
    """Compare the key in the settings with the one that the database expects."""
    if is_expected_key(tx, settings.secret_key, settings.old_secret_keys):
        return ok("SECRET_KEY is the one that the database expects.")
    return error(WRONG_KEY_TEXT, WRONG_KEY_ADVICE)


def check_key_at(url: str, settings: Settings, now: datetime) -> CheckResults:
    """Check the key in a database, if it has the tables of this release."""
    try:
        with Database(url, pool_size=1) as database, read_only(database, now) as tx:
            if database_info(tx).is_current:
                yield check_key(tx, settings)
    except Unavailable:
        return


def _check_write(state: DatabaseState) -> CheckResult:
    if state == "up":
        return ok("It takes changes.")
    return error(
        "The database answers, but takes no changes.",
        "Check its disk, and whether it is a standby or has default_transaction_read_only set.",
    )


def _check_session(differences: Sequence[SessionDifference]) -> CheckResult:
    if not differences:
        return ok("Sessions have the settings that Lodepost asks for.")
    found = ", ".join(f"{name} is {value}, not {asked}" for name, value, asked in differences)
    return error(
        f"Sessions don't have the settings that Lodepost asks for: {found}.",
        "A connection pooler drops them: let DATABASE_URL lead to Postgres itself, because Lodepost has a pool of its own. "
        "Or this process has PGTZ or PGDATESTYLE, which go before: remove them.",
    )


def _check_version_and_schema(info: DatabaseInfo) -> CheckResults:
    if info.postgres < OLDEST_POSTGRES_VERSION:
        yield error(
            f"The database is Postgres {info.postgres}.", f"Use {OLDEST_POSTGRES_VERSION} or newer."
        )
    else:
        yield ok(f"The database answers; it is Postgres {info.postgres}.")
    if info.is_current:
        yield ok(f"It has the schema of this release ({info.schema}).")
        return
    yield error(
        f"Its schema ({info.schema or 'none'}) is not the one of this release.",
        "Run `lodepost migrate` with the newest release that uses this database; "
        "`lodepost serve` does this itself.",
    )


def _check_clock(clock_skew: timedelta) -> CheckResult:
    message = f"The clocks here and on the database server differ by {abs(clock_skew.total_seconds()):.1f} seconds."
    remedy = SYNCHRONISE_ADVICE
    if is_clock_difference_too_large(clock_skew):
        return error(f"{message} A worker here does nothing.", remedy)
    if abs(clock_skew) > _MAX_CLOCK_SKEW:
        return warning(message, remedy)
    return ok("The clocks here and on the database server agree.")


def _check_backlog(current_backlog: Backlog) -> CheckResults:
    yield _check_wait(
        "The oldest unsent email has been waiting for {}.",
        current_backlog.oldest_unsent_email,
        "No email is waiting.",
    )
    yield _check_wait(
        "A deadline passed {} ago, and no turn was played.",
        current_backlog.most_overdue_deadline,
        "No deadline is overdue.",
    )
    yield _check_wait(
        "A bot has been to play for {}.", current_backlog.most_overdue_bot, "No bot is overdue."
    )


def _check_wait(message: str, age: timedelta | None, message_if_none: str) -> CheckResult:
    if age is None:
        return ok(message_if_none)
    text = message.format(duration_text(age))
    if age <= _MAX_WAIT:
        return ok(text)
    return error(text, "Check that a worker and exactly one beat are running, and read their logs.")


def _check_delay(
    cause: str, count: int, oldest_due_at: datetime, reason: str | None
) -> CheckResult:
    status, advice = _STATUS_AND_ADVICE_BY_CAUSE[cause]
    message = (
        f"Emails that wait after a failure ({cause}): {count}, the oldest since "
        f"{oldest_due_at:%Y-%m-%d %H:%M} UTC. The last answer: {reason}"
    )
    return CheckResult(status, message, advice)


def _check_copy(status: SiteStatus) -> CheckResults:
    hold = status.email_hold
    if hold is not None:
        yield warning(
            f"This is a copy, restored at {hold.held_at:%Y-%m-%d %H:%M} UTC from a backup of "
            f"{hold.backup_taken_at:%Y-%m-%d %H:%M} UTC: the site is closed, and no email is sent.",
            "If the original will never run again, run `lodepost release`.",
        )


def _check_audit(status: AuditStatus) -> CheckResult:
    if status.inconsistent_games:
        return error(
            f"Games with inconsistencies: {status.inconsistent_games}. Deadlines and bots are suspended in them.",
            "Write a backup first; then `lodepost audit` lists the games and what is wrong.",
        )
    if status.completed_at is None:
        return ok("The first daily audit has not finished yet.")
    return ok(f"The last audit of all games finished at {status.completed_at:%Y-%m-%d %H:%M} UTC.")


def cause_text(problem: Unavailable) -> str:
    """Return the driver's message without SQLAlchemy's additions."""
    cause = problem.__cause__
    return " ".join(str(getattr(cause, "orig", None) or cause).split()).rstrip(".")
