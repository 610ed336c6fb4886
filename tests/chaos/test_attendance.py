from threading import Thread

from tests.chaos.attendance import Attendance


def may_play(attendance: Attendance, slug: str) -> bool:
    with attendance.step(slug) as is_allowed:
        return is_allowed


def test_players_of_a_game_rest_while_others_play() -> None:
    attendance = Attendance()
    attendance.let_rest("one")
    assert (may_play(attendance, "one"), may_play(attendance, "other")) == (False, True)


def test_all_players_rest_until_they_resume() -> None:
    attendance = Attendance()
    attendance.let_rest()
    assert not may_play(attendance, "one")
    attendance.resume()
    assert may_play(attendance, "one")


def test_rest_begins_when_the_present_step_is_over() -> None:
    attendance = Attendance()
    with attendance.step("one"):
        thread = Thread(target=attendance.let_rest, args=("one",))
        thread.start()
        while not attendance.is_resting("one"):
            continue
        assert thread.is_alive()
    thread.join()
    assert not may_play(attendance, "one")


def test_stopped_players_wait_no_longer() -> None:
    attendance = Attendance()
    assert not attendance.wait(0)
    attendance.stop()
    assert attendance.wait(60)
