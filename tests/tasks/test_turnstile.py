import threading

import pytest

from tasks.sender_limit import SenderLimit


def test_whoever_comes_first_works() -> None:
    done: list[int] = []
    SenderLimit(1).run(lambda: done.append(1))
    assert done == [1]


def test_whoever_finds_it_full_does_not_wait_and_does_not_come_in_vain() -> None:
    turnstile = SenderLimit(1)
    inside, go_on, rounds = threading.Event(), threading.Event(), []

    def work() -> None:
        rounds.append(threading.current_thread().name)
        inside.set()
        go_on.wait(10)

    first = threading.Thread(target=turnstile.run, args=(work,), name="first")
    first.start()
    assert inside.wait(10)
    for _ in range(3):
        turnstile.run(work)
    assert rounds == ["first"]
    go_on.set()
    first.join(10)
    # Three notes were left, and one more round answers them all.
    assert rounds == ["first", "first"]


def test_two_may_work_at_once() -> None:
    turnstile = SenderLimit(2)
    together = threading.Barrier(2, timeout=10)
    threads = [threading.Thread(target=turnstile.run, args=(together.wait,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert not together.broken


def test_who_fails_leaves_the_place_free() -> None:
    turnstile = SenderLimit(1)

    def fail() -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        turnstile.run(fail)
    done: list[int] = []
    turnstile.run(lambda: done.append(1))
    assert done == [1]
