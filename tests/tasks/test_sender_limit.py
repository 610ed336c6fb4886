import threading

import pytest

from tasks.context import SenderLimit

WAIT_SECONDS = 120
"""After that long, what a test waits for will not happen, however slow the machine is."""


def test_thread_below_the_sender_limit_runs_its_work() -> None:
    finished_runs: list[int] = []
    SenderLimit(1).run(lambda: finished_runs.append(1))
    assert finished_runs == [1]


def test_work_beyond_the_sender_limit_is_done_by_a_running_thread() -> None:
    sender_limit = SenderLimit(1)
    work_has_begun, may_finish, rounds = threading.Event(), threading.Event(), []

    def run_once() -> None:
        rounds.append(threading.current_thread().name)
        work_has_begun.set()
        may_finish.wait()

    first_thread = threading.Thread(target=sender_limit.run, args=(run_once,), name="first")
    first_thread.start()
    assert work_has_begun.wait(WAIT_SECONDS)
    for _ in range(3):
        sender_limit.run(run_once)
    assert rounds == ["first"]
    may_finish.set()
    first_thread.join()
    # Three threads were turned away, and one more round does the work of all.
    assert rounds == ["first", "first"]


def test_two_sender_threads_work_at_once() -> None:
    sender_limit = SenderLimit(2)
    barrier = threading.Barrier(2, timeout=WAIT_SECONDS)
    threads = [threading.Thread(target=sender_limit.run, args=(barrier.wait,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not barrier.broken


def test_failing_sender_thread_frees_its_place() -> None:
    sender_limit = SenderLimit(1)

    def fail() -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        sender_limit.run(fail)
    finished_runs: list[int] = []
    sender_limit.run(lambda: finished_runs.append(1))
    assert finished_runs == [1]
