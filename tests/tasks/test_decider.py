import os
import pickle
import sys
import time
from typing import Any

import msgspec
import psutil
import pytest

from engine.view import Awaiting, legal_actions
from engine.wire import STATE_FORMAT
from tasks.bot_process import FAULT_PREFIX, answer_to
from tasks.decider import Decision, Fault, ProcessDecider
from tests.support.transactions import NOON
from tests.support.views import view_of
from webapp.play.bots.bot_turns import BotTurn
from webapp.play.bots.thinking_time import USUAL_THINKING_TIME

MAX_WAIT_SECONDS = 240.0


def _bot_turn(level: str = "steady") -> BotTurn:
    return BotTurn(
        game_id=1,
        slug="k7h2m",
        seq=17,
        seat=0,
        level=level,
        view=view_of(),
        lines=(),
        answer_at=NOON,
        thinking_time=USUAL_THINKING_TIME,
    )


def _decision_of(decider: ProcessDecider, turn: BotTurn) -> Decision:
    decider.begin(turn)
    return _wait_for_decision(decider)


def _wait_for_decision(decider: ProcessDecider) -> Decision:
    wait_end = time.monotonic() + MAX_WAIT_SECONDS
    while time.monotonic() < wait_end:
        if (decision := decider.wait(1.0)) is not None:
            return decision
    raise AssertionError("no decision")


def _processes_of(code: str) -> list[psutil.Process]:
    """Return the processes that this one has started to run this code."""
    children = psutil.Process().children()
    return [child for child in children if any(code in word for word in child.cmdline())]


def _bot_process() -> psutil.Process:
    [process] = _processes_of("tasks.bot_process")
    return process


def _decider_running(code: str) -> ProcessDecider:
    return ProcessDecider([sys.executable, "-c", code])


def test_process_decides_again_and_again() -> None:
    decider, turn = ProcessDecider(), _bot_turn()
    try:
        assert _decision_of(decider, turn) in legal_actions(turn.view)
        process = _bot_process()
        assert _decision_of(decider, turn) in legal_actions(turn.view)
        assert _bot_process() == process
    finally:
        decider.stop()


def test_process_gets_no_password() -> None:
    decider = ProcessDecider()
    os.environ["SECRET_KEY"] = "not for bots"
    try:
        _decision_of(decider, _bot_turn())
        environ = _bot_process().environ()
        assert set(environ) <= {"PATH", "PYTHONPATH", "LC_CTYPE"}
    finally:
        del os.environ["SECRET_KEY"]
        decider.stop()


def test_process_that_was_killed_while_idle_is_replaced() -> None:
    decider, turn = ProcessDecider(), _bot_turn()
    try:
        _decision_of(decider, turn)
        _bot_process().kill()
        assert _decision_of(decider, turn) in legal_actions(turn.view)
    finally:
        decider.stop()


def test_decision_that_ends_its_process_twice_is_a_fault() -> None:
    decider = _decider_running("raise SystemExit(9)")
    try:
        assert _decision_of(decider, _bot_turn()) == Fault("its process ended twice")
    finally:
        decider.stop()


def test_stopped_decision_ends_its_process() -> None:
    code = "import time; time.sleep(1000)"
    decider = _decider_running(code)
    decider.begin(_bot_turn())
    assert decider.wait(0.05) is None
    [process] = _processes_of(code)
    decider.stop()
    # The system removes a killed process only after a while.
    process.wait(timeout=MAX_WAIT_SECONDS)
    assert not process.is_running()


def test_process_ends_when_it_has_been_idle() -> None:
    decider = ProcessDecider(max_idle_seconds=0.0)
    _decision_of(decider, _bot_turn())
    decider.stop_if_unused()
    assert _processes_of("tasks.bot_process") == []
    decider_with_usual_idle_time = ProcessDecider()
    _decision_of(decider_with_usual_idle_time, _bot_turn())
    decider_with_usual_idle_time.stop_if_unused()
    assert _bot_process().is_running()
    decider_with_usual_idle_time.stop()


def test_missing_program_is_a_fault() -> None:
    decider = ProcessDecider(["/nonexistent/python"])
    assert _decision_of(decider, _bot_turn()) == Fault("its process cannot be started")
    decider.stop()


def test_unknown_level_is_a_fault_without_what_the_bot_knows() -> None:
    decider = ProcessDecider()
    try:
        fault = _decision_of(decider, _bot_turn(level="brilliant"))
        assert isinstance(fault, Fault)
        assert fault.reason.startswith("no level 'brilliant': the levels are ")
    finally:
        decider.stop()


def test_request_of_another_release_is_refused_with_a_message() -> None:
    answer = answer_to(pickle.dumps((STATE_FORMAT - 1, b"whatever that release sends")))
    assert answer == FAULT_PREFIX + b"its process is of another release; restart the worker"


@pytest.mark.parametrize(
    "changed_fields, reason",
    [
        ({"rulebook": "lost-edition"}, b"this view was made by another release of the engine"),
        ({"hand": ("map-of-old",)}, b"this view was made by another release of the engine"),
        ({"awaiting": Awaiting(1, "turn")}, b"the game does not wait for its seat"),
        ({"awaiting": None}, b"the game does not wait for its seat"),
    ],
    ids=["rulebook", "card", "other-seat", "over"],
)
def test_view_that_no_bot_can_decide_is_refused_with_a_message(
    changed_fields: dict[str, Any], reason: bytes
) -> None:
    view = msgspec.structs.replace(view_of(), **changed_fields)
    request = pickle.dumps((STATE_FORMAT, pickle.dumps((view, (), "steady"))))
    assert answer_to(request) == FAULT_PREFIX + reason


def test_error_within_a_decision_names_its_place_and_no_card() -> None:
    view = msgspec.structs.replace(view_of(), hand=("map", "map"), hand_sizes=None)
    request = pickle.dumps((STATE_FORMAT, pickle.dumps((view, (), "steady"))))
    answer = answer_to(request)
    assert answer.startswith(FAULT_PREFIX + b"TypeError in ")
    assert b"map" not in answer


@pytest.mark.parametrize("request_bytes", [b"", b"\x80garbage", pickle.dumps((STATE_FORMAT, b"x"))])
def test_unreadable_request_is_a_fault(request_bytes: bytes) -> None:
    assert answer_to(request_bytes).startswith(FAULT_PREFIX)


def test_answer_that_is_no_action_is_a_fault() -> None:
    code = (
        "import sys; from multiprocessing.connection import Connection;"
        "c = Connection(int(sys.argv[1])); c.recv_bytes(); c.send_bytes(b'a{}'); c.recv_bytes()"
    )
    decider = _decider_running(code)
    try:
        assert _decision_of(decider, _bot_turn()) == Fault("its answer is no action")
    finally:
        decider.stop()
