"""Check which workers and beats are running, and whether their clocks are right."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from webapp.doctor.result import CheckResult, CheckResults, error, ok, warning
from webapp.operations.processes import ProcessStatus, SeenProcess

SYNCHRONISE_ADVICE: Final = "Synchronise both machines with NTP (timedatectl set-ntp true)."
_START_WORKER_ADVICE: Final = "Start a worker and read its log; `lodepost serve` contains one."
_START_BEAT_ADVICE: Final = "Start `lodepost beat` and read its log; `lodepost serve` contains one."
_START_BOTS_ADVICE: Final = (
    "Start `lodepost worker --only-bots`, or a worker without `--without-bots`."
)
_ONE_BEAT_ADVICE: Final = "Stop all but one; each `lodepost serve` contains one."


def check_processes(status: ProcessStatus, now: datetime) -> CheckResults:
    """Check the workers, the beats and their clocks."""
    yield from _check_workers(status, now)
    yield from _check_beats(status)
    for worker in status.wrong_clocks:
        yield _wrong_clock("worker", worker, "it does nothing.")
    for beat in status.beats_with_wrong_clock:
        yield _wrong_clock("beat", beat, "what it starts expires at the wrong time.")


def check_absence(status: ProcessStatus) -> CheckResults:
    """Yield an error if nothing is running at all, which is normal only before the server is started."""
    if not status.running_workers and not status.silent_workers:
        yield error(
            "No worker is running: no email is sent and no deadline is watched.",
            _START_WORKER_ADVICE,
        )
    if not status.running_workers and not status.running_beats:
        yield error("No beat is running: no task is started by itself.", _START_BEAT_ADVICE)


def duration_text(duration: timedelta) -> str:
    """Return a duration in whole seconds, such as 1:02:03."""
    return str(timedelta(seconds=int(duration.total_seconds())))


def _check_workers(status: ProcessStatus, now: datetime) -> CheckResults:
    if status.running_workers:
        yield ok(f"Workers that are running: {len(status.running_workers)}.")
    elif not status.silent_workers:
        yield ok("No worker is running at present.")
    if status.lacks_bots(now):
        yield warning("No worker plays bots.", _START_BOTS_ADVICE)
    if status.silent_workers:
        message = f"Workers that are silent: {_silent_text(status.silent_workers, now)}."
        if status.running_workers:
            yield warning(
                message, "Read their logs if they were not stopped on purpose; this ends by itself."
            )
        else:
            yield error(message, _START_WORKER_ADVICE)


def _silent_text(workers: Sequence[SeenProcess], now: datetime) -> str:
    """Return all of them as one line, such as "host:7 (last seen 0:03:10 ago) and 2 more"."""
    newest, *others = workers
    text = f"{newest.instance} (last seen {duration_text(now - newest.at)} ago)"
    return f"{text} and {len(others)} more" if others else text


def _check_beats(status: ProcessStatus) -> CheckResults:
    count = len(status.running_beats)
    if count == 1:
        yield ok("One beat is running.")
    elif count > 1:
        names = ", ".join(sorted(beat.instance for beat in status.running_beats))
        yield error(
            f"Beats that are running: {count} ({names}). Every task is started by each of them.",
            _ONE_BEAT_ADVICE,
        )
    elif status.running_workers:
        yield error("No beat is running: no task is started by itself.", _START_BEAT_ADVICE)


def _wrong_clock(kind: str, process: SeenProcess, consequence: str) -> CheckResult:
    direction = "ahead of" if process.clock_ahead > timedelta(0) else "behind"
    difference = duration_text(abs(process.clock_ahead))
    message = f"The clock of the {kind} {process.instance} is {difference} {direction} the database's: {consequence}"
    return error(message, SYNCHRONISE_ADVICE)
