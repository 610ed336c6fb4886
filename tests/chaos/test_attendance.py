from tests.chaos.attendance import Attendance


def test_players_of_a_game_rest_until_they_resume() -> None:
    attendance = Attendance()
    attendance.let_rest("one")
    with attendance.step("one") as may_play, attendance.step("other") as may_play_elsewhere:
        assert (may_play, may_play_elsewhere) == (False, True)
    attendance.resume()
    with attendance.step("one") as may_play:
        assert may_play
