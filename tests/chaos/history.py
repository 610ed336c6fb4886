"""What must hold at the end. Each rule reads the evidence and the notes, and gives a sentence for everything that it misses."""

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Final, NamedTuple

from engine.wire import encode_action
from tests.chaos.evidence import Evidence, Turn
from tests.chaos.notes import Notes, Press
from webapp.pages.play.turn_form import action_from

Rule = Callable[[Evidence, Notes], Iterator[str]]


class Loss(NamedTuple):
    """A rule that was broken, and how."""

    rule: str
    words: str


def losses(evidence: Evidence, notes: Notes) -> list[Loss]:
    """Everything that was lost, doubled or judged wrongly; empty after a clean run."""
    return [Loss(name, words) for name, rule in RULES.items() for words in rule(evidence, notes)]


def _acknowledged_turns_are_logged(evidence: Evidence, notes: Notes) -> Iterator[str]:
    log = _log_of(evidence)
    for press in notes.won:
        turn = log.get((press.slug, press.seq))
        if turn is None:
            yield f"{press.slug} {press.seq} was acknowledged and is not in the log"
        elif not _is_of(turn, press):
            yield f"{press.slug} {press.seq} was acknowledged and is logged as something else"


def _a_turn_is_won_once(_: Evidence, notes: Notes) -> Iterator[str]:
    counted = Counter((press.slug, press.seq) for press in notes.won)
    for (slug, seq), times in counted.items():
        if times > 1:
            yield f"{slug} {seq} was acknowledged {times} times"


def _nobody_was_played_for_unasked(evidence: Evidence, notes: Notes) -> Iterator[str]:
    for turn in evidence.stored.turns:
        if turn.by != "player" or turn.seat is None:
            continue
        pressed = (press for press in notes.pressed if (press.slug, press.seq) == turn[:2])
        if not any(_is_of(turn, press) for press in pressed):
            yield f"{turn.slug} {turn.seq} is logged and nobody asked for it"


def _logs_lead_to_what_is_stored(evidence: Evidence, _: Notes) -> Iterator[str]:
    for found in evidence.stored.inconsistencies:
        yield f"{found.slug or 'turns of no game'}: {found.why}"


def _nobody_in_time_was_defaulted(evidence: Evidence, _: Notes) -> Iterator[str]:
    expired = {expiry[:] for expiry in evidence.expired}
    for slug, turns in groupby(evidence.stored.turns, lambda turn: turn.slug):
        may_be_played_for = False
        before: Turn | None = None
        for turn in turns:
            same = before is not None and before.seat == turn.seat
            may_be_played_for = (slug, turn.seq - 1) in expired or (may_be_played_for and same)
            if turn.by == "clock" and not may_be_played_for:
                yield f"{slug} {turn.seq} was played by the clock although there was time"
            before = turn


def _everybody_on_turn_was_called(evidence: Evidence, _: Notes) -> Iterator[str]:
    called = {
        (letter.slug, letter.seq, letter.address)
        for letter in evidence.stored.letters
        if letter.kind == "your-turn"
    }
    for turn, before in _turns_with_the_one_before(evidence):
        begins = turn.by in {"player", "clock"} and before.seat != turn.seat
        if begins and (turn.slug, before.seq, turn.address) not in called:
            yield f"{turn.slug} {turn.seq}: {turn.address} was never called to this turn"


def _everybody_heard_of_beginning_and_end(evidence: Evidence, _: Notes) -> Iterator[str]:
    told = {(letter.slug, letter.kind, letter.address) for letter in evidence.stored.letters}
    wanted = {"running": ("dealt",), "finished": ("dealt", "game-over")}
    for game in evidence.stored.games:
        for kind in wanted.get(game.status, ()):
            for address in game.people:
                if (game.slug, kind, address) not in told:
                    yield f"{game.slug}: {address} is owed no {kind} letter"


def _sent_letters_reached_the_relay(evidence: Evidence, _: Notes) -> Iterator[str]:
    for letter in evidence.stored.letters:
        if letter.status == "sent" and letter.message_id not in evidence.accepted:
            yield f"letter {letter.id} ({letter.kind}) counts as sent, and the relay never had it"


def _letters_are_settled(evidence: Evidence, _: Notes) -> Iterator[str]:
    for letter in evidence.stored.letters:
        if letter.status == "dead":
            yield f"letter {letter.id} ({letter.kind}) was given up: {letter.reason}"
        if letter.status == "dropped" and not letter.reason:
            yield f"letter {letter.id} ({letter.kind}) was dropped without a reason"
        if letter.overdue:
            yield f"letter {letter.id} ({letter.kind}) is overdue: {letter.reason}"


def _doubles_bear_the_same_message_id(evidence: Evidence, _: Notes) -> Iterator[str]:
    known = Counter(letter.message_id for letter in evidence.stored.letters if letter.message_id)
    for message_id in evidence.accepted:
        if message_id not in known:
            yield f"{message_id} was sent, and is the Message-ID of no letter"
    for message_id, times in known.items():
        if times > 1:
            yield f"{message_id} is the Message-ID of {times} letters"


def _nothing_waits(evidence: Evidence, _: Notes) -> Iterator[str]:
    for game in evidence.stored.games:
        if game.overdue:
            yield f"{game.slug} waits at {game.seq} for a bot or for the clock"
    yield from evidence.late


def _pages_are_clear(_: Evidence, notes: Notes) -> Iterator[str]:
    yield from notes.faults


def _processes_live_until_they_are_killed(evidence: Evidence, _: Notes) -> Iterator[str]:
    yield from evidence.ended


def _people_could_play(_: Evidence, notes: Notes) -> Iterator[str]:
    if not notes.won:
        yield "not one turn was acknowledged: nothing was proved"


RULES: Final[dict[str, Rule]] = {
    "people could play": _people_could_play,
    "acknowledged turns are in the log": _acknowledged_turns_are_logged,
    "one turn, one winner": _a_turn_is_won_once,
    "no turn that nobody asked for": _nobody_was_played_for_unasked,
    "every log folds onto its snapshot": _logs_lead_to_what_is_stored,
    "nobody in time was defaulted": _nobody_in_time_was_defaulted,
    "everybody on turn was called": _everybody_on_turn_was_called,
    "everybody heard of beginning and end": _everybody_heard_of_beginning_and_end,
    "what counts as sent reached the relay": _sent_letters_reached_the_relay,
    "letters are sent, dropped with a reason, or not due": _letters_are_settled,
    "doubles bear the same Message-ID": _doubles_bear_the_same_message_id,
    "nothing waits": _nothing_waits,
    "pages are clear": _pages_are_clear,
    "processes live until they are killed": _processes_live_until_they_are_killed,
}


def _log_of(evidence: Evidence) -> dict[tuple[str, int], Turn]:
    return {(turn.slug, turn.seq): turn for turn in evidence.stored.turns}


def _turns_with_the_one_before(evidence: Evidence) -> Iterator[tuple[Turn, Turn]]:
    log = _log_of(evidence)
    for turn in evidence.stored.turns:
        before = log.get((turn.slug, turn.seq - 1))
        if before is not None:
            yield turn, before


def _is_of(turn: Turn, press: Press) -> bool:
    asked = encode_action(action_from(dict(press.fields)))
    return (turn.by, turn.address, turn.action) == ("player", press.address, asked)
