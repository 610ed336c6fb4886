"""The rules that the history of a run must satisfy. Each yields a sentence for every violation that it finds."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import Final, NamedTuple

from engine.wire import decode_action
from tests.chaos.evidence import Evidence, FaultSpan, LoggedTurn
from tests.chaos.player_log import PlayerLog, SubmittedTurn
from webapp.play.pages.table import action_from

DEFAULT_RULE: Final = "the clock plays only expired turns"
FAULTS_THAT_LOSE_ANSWERS: Final = frozenset(
    {
        "worker killed",
        "worker frozen",
        "no worker for hours",
        "relay drops after DATA",
        "relay hangs",
        "relay is dead",
        # The lease of an email may end while it is being sent.
        "all clocks jump and return",
        "one clock goes wrong",
        "worker's clock is fast by days",
    }
)
_RECORDING_SECONDS: Final = 120.0
"""How long after an email was accepted a worker may still have to record that."""
EvidenceRule = Callable[[Evidence, PlayerLog], Iterator[str]]


class RuleViolation(NamedTuple):
    """A violated rule, with a description."""

    rule: str
    description: str


def find_rule_violations(evidence: Evidence, log: PlayerLog) -> list[RuleViolation]:
    """Return everything that was lost, duplicated or decided wrongly; nothing after a clean run."""
    return [
        RuleViolation(name, description)
        for name, rule in RULES.items()
        for description in rule(evidence, log)
    ]


def _acknowledged_turns_are_logged(evidence: Evidence, log: PlayerLog) -> Iterator[str]:
    turns = _turns_by_seq(evidence)
    for submitted_turn in log.acknowledged_turns:
        turn = turns.get((submitted_turn.slug, submitted_turn.seq))
        if turn is None:
            yield f"{submitted_turn.slug} {submitted_turn.seq} was acknowledged but is not in the log"
        elif not _is_logged_as(turn, submitted_turn):
            yield f"{submitted_turn.slug} {submitted_turn.seq} was acknowledged but is logged differently"


def _turns_are_acknowledged_once(_: Evidence, log: PlayerLog) -> Iterator[str]:
    acknowledged_counts = Counter((turn.slug, turn.seq) for turn in log.acknowledged_turns)
    for (slug, seq), acknowledged_count in acknowledged_counts.items():
        if acknowledged_count > 1:
            yield f"{slug} {seq} was acknowledged {acknowledged_count} times"


def _player_turns_were_submitted(evidence: Evidence, log: PlayerLog) -> Iterator[str]:
    for turn in evidence.stored_data.turns:
        if turn.by != "player" or turn.seat is None:
            continue
        submissions_with_same_number = (
            submitted_turn
            for submitted_turn in log.submitted_turns
            if (submitted_turn.slug, submitted_turn.seq) == turn[:2]
        )
        if not any(
            _is_logged_as(turn, submitted_turn) for submitted_turn in submissions_with_same_number
        ):
            yield f"{turn.slug} {turn.seq} is logged but no player submitted it"


def _logs_match_snapshots(evidence: Evidence, _: PlayerLog) -> Iterator[str]:
    for inconsistency in evidence.stored_data.inconsistencies:
        yield f"{inconsistency.slug or 'turns without a game'}: {inconsistency.kind}"


def _clock_plays_only_expired_turns(evidence: Evidence, _: PlayerLog) -> Iterator[str]:
    expired_turns = {expired_turn[:] for expired_turn in evidence.expired_turns}
    for slug, turns in groupby(evidence.stored_data.turns, lambda turn: turn.slug):
        is_expired = False
        previous_turn: LoggedTurn | None = None
        for turn in turns:
            is_same_seat = previous_turn is not None and previous_turn.seat == turn.seat
            is_expired = (slug, turn.seq - 1) in expired_turns or (is_expired and is_same_seat)
            if turn.by == "clock" and not is_expired:
                yield f"{slug} {turn.seq} was played by the clock before its time ran out"
            previous_turn = turn


def _every_turn_was_announced(evidence: Evidence, _: PlayerLog) -> Iterator[str]:
    announced_keys = {
        (email.slug, email.seq, email.address)
        for email in evidence.stored_data.emails
        if email.kind == "your-turn"
    }
    for turn, previous_turn in _turns_with_previous(evidence):
        is_new_turn = turn.by in {"player", "clock"} and previous_turn.seat != turn.seat
        if is_new_turn and (turn.slug, previous_turn.seq, turn.address) not in announced_keys:
            yield f"{turn.slug} {turn.seq}: {turn.address} got no email about this turn"


def _start_and_end_were_announced(evidence: Evidence, _: PlayerLog) -> Iterator[str]:
    announced_keys = {
        (email.slug, email.kind, email.address) for email in evidence.stored_data.emails
    }
    expected_kinds_by_status = {"running": ("dealt",), "finished": ("dealt", "game-over")}
    for game in evidence.stored_data.games:
        for kind in expected_kinds_by_status.get(game.status, ()):
            for address in game.player_addresses:
                if (game.slug, kind, address) not in announced_keys:
                    yield f"{game.slug}: {address} has no {kind} email"


def _sent_emails_reached_the_relay(evidence: Evidence, _: PlayerLog) -> Iterator[str]:
    for email in evidence.stored_data.emails:
        if email.status == "sent" and email.message_id not in evidence.accepted_counts:
            yield f"email {email.id} ({email.kind}) is marked as sent but the relay never got it"


def _emails_are_settled(evidence: Evidence, _: PlayerLog) -> Iterator[str]:
    for email in evidence.stored_data.emails:
        if email.status == "failed":
            yield f"email {email.id} ({email.kind}) was given up: {email.reason}"
        if email.status == "dropped" and not email.reason:
            yield f"email {email.id} ({email.kind}) was dropped without a reason"
        if email.overdue:
            yield f"email {email.id} ({email.kind}) is overdue: {email.reason}"


def _message_ids_are_unique(evidence: Evidence, _: PlayerLog) -> Iterator[str]:
    counts_by_message_id = Counter(
        email.message_id for email in evidence.stored_data.emails if email.message_id
    )
    for message_id, at in evidence.acceptances:
        # The outbox learns it with the answer of the relay; after a lost answer the email may be dropped.
        is_unknown = message_id not in counts_by_message_id
        if is_unknown and not _could_answer_be_lost(evidence.fault_spans, at):
            yield f"{message_id} was sent but belongs to no stored email"
    for message_id, acknowledged_count in counts_by_message_id.items():
        if acknowledged_count > 1:
            yield f"{message_id} is the Message-ID of {acknowledged_count} emails"


def _emails_are_sent_once(evidence: Evidence, _: PlayerLog) -> Iterator[str]:
    """An email may be accepted twice only if a worker died, or lost the answer, before it could record the first time."""
    first_times: dict[str, float] = {}
    for message_id, at in evidence.acceptances:
        first_at = first_times.setdefault(message_id, at)
        if first_at != at and not _could_answer_be_lost(evidence.fault_spans, first_at):
            yield f"{message_id} was accepted again {at - first_at:.0f} s later"


def _could_answer_be_lost(spans: Iterable[FaultSpan], at: float) -> bool:
    return any(
        span.name in FAULTS_THAT_LOSE_ANSWERS
        and span.began_at <= at + _RECORDING_SECONDS
        and at <= span.ended_at
        for span in spans
    )


def _answers_by_email_are_settled_once(evidence: Evidence, log: PlayerLog) -> Iterator[str]:
    """Every answer that was accepted is stored, settled and answered, once."""
    answers = {answer.digest: answer for answer in evidence.stored_data.answers}
    for digest in log.accepted_emails:
        answer = answers.get(digest)
        if answer is None:
            yield f"an answer by email was accepted but is not stored: {digest.hex()[:8]}"
        elif answer.outcome is None or not answer.outcome.startswith("{"):
            yield f"an answer by email was not read: {answer.outcome}"
        elif answer.answers != 1:
            yield f"an answer by email has {answer.answers} answers"


def _lost_time_is_given_back(evidence: Evidence, _: PlayerLog) -> Iterator[str]:
    yield from evidence.lost_times


def _health_checks_are_right(evidence: Evidence, _: PlayerLog) -> Iterator[str]:
    yield from evidence.wrong_health_checks


def _faults_took_effect(evidence: Evidence, _: PlayerLog) -> Iterator[str]:
    yield from evidence.idle_faults


def _nothing_is_overdue(evidence: Evidence, _: PlayerLog) -> Iterator[str]:
    for game in evidence.stored_data.games:
        if game.overdue:
            yield f"{game.slug} waits at {game.seq} for a bot or the clock"
    yield from evidence.delay_descriptions


def _pages_show_no_faults(_: Evidence, log: PlayerLog) -> Iterator[str]:
    yield from log.faults


def _processes_end_only_when_killed(evidence: Evidence, _: PlayerLog) -> Iterator[str]:
    yield from evidence.unexpected_exits


def _players_could_play(_: Evidence, log: PlayerLog) -> Iterator[str]:
    if not log.acknowledged_turns:
        yield "no turn was acknowledged, so the run proves nothing"


RULES: Final[dict[str, EvidenceRule]] = {
    "players could play": _players_could_play,
    "acknowledged turns are in the log": _acknowledged_turns_are_logged,
    "turns are acknowledged once": _turns_are_acknowledged_once,
    "player turns were submitted": _player_turns_were_submitted,
    "logs match snapshots": _logs_match_snapshots,
    DEFAULT_RULE: _clock_plays_only_expired_turns,
    "every turn was announced": _every_turn_was_announced,
    "start and end were announced": _start_and_end_were_announced,
    "sent emails reached the relay": _sent_emails_reached_the_relay,
    "emails are sent, dropped with a reason, or not due": _emails_are_settled,
    "Message-IDs are unique": _message_ids_are_unique,
    "emails are sent once": _emails_are_sent_once,
    "answers by email are settled once": _answers_by_email_are_settled_once,
    "lost time is given back": _lost_time_is_given_back,
    "health checks see when nothing can be changed": _health_checks_are_right,
    "faults took effect": _faults_took_effect,
    "nothing is overdue": _nothing_is_overdue,
    "pages show no faults": _pages_show_no_faults,
    "processes end only when killed": _processes_end_only_when_killed,
}


def _turns_by_seq(evidence: Evidence) -> dict[tuple[str, int], LoggedTurn]:
    return {(turn.slug, turn.seq): turn for turn in evidence.stored_data.turns}


def _turns_with_previous(evidence: Evidence) -> Iterator[tuple[LoggedTurn, LoggedTurn]]:
    turns = _turns_by_seq(evidence)
    for turn in evidence.stored_data.turns:
        previous_turn = turns.get((turn.slug, turn.seq - 1))
        if previous_turn is not None:
            yield turn, previous_turn


def _is_logged_as(turn: LoggedTurn, submitted_turn: SubmittedTurn) -> bool:
    if turn.action is None or (turn.by, turn.address) != ("player", submitted_turn.address):
        return False
    return decode_action(turn.action) == action_from(dict(submitted_turn.fields))
