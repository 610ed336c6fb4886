"""RFC 8058: one press in the mail program, no cookie, no sign-in, as often as it likes."""

import pytest

from tests.cast import ALICE, BOB, CAROL
from tests.web.visiting import Door
from webapp import urls
from webapp.services.digests import TurnDigest

ENCODINGS = ["application/x-www-form-urlencoded", "multipart/form-data"]


@pytest.fixture
def tokens(door: Door) -> dict[str, str]:
    """What Alice's turn letter carries, by what each ends."""
    door.seated(ALICE, BOB, CAROL)
    [letter] = [letter for letter in door.letters() if isinstance(letter, TurnDigest)]
    ends = letter.envelope.unsubscribe
    assert ends.game
    assert ends.reminders
    assert ends.everything
    return {"game": ends.game, "reminders": ends.reminders, "everything": ends.everything}


def is_done(door: Door, token: str) -> bool:
    return "You get no more" in door.stranger().page(urls.unsubscribe(token)).words


@pytest.mark.parametrize("scope", ["game", "reminders", "everything"])
def test_looking_ends_nothing_and_says_what_would_end(
    door: Door, tokens: dict[str, str], scope: str
) -> None:
    path = urls.unsubscribe(tokens[scope])
    for _ in range(3):
        page = door.stranger().page(path)
    assert page.has_form(path)
    assert not is_done(door, tokens[scope])


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_one_click_needs_no_cookie_and_no_mark_and_may_be_repeated(
    door: Door, tokens: dict[str, str], encoding: str
) -> None:
    path = urls.unsubscribe(tokens["game"])
    for _ in range(3):
        answer = door.stranger().client.post(
            path, data={"List-Unsubscribe": "One-Click"}, content_type=encoding
        )
        assert answer.status_code == 200
        assert "Location" not in answer.headers
    assert is_done(door, tokens["game"])


def test_one_click_is_heard_without_a_body_too(door: Door, tokens: dict[str, str]) -> None:
    path = urls.unsubscribe(tokens["reminders"])
    assert door.stranger().client.post(path).status_code == 200
    assert is_done(door, tokens["reminders"])


def test_a_person_presses_the_button_and_can_take_it_back(
    door: Door, tokens: dict[str, str]
) -> None:
    visitor = door.stranger()
    path = urls.unsubscribe(tokens["everything"])
    visitor.send(visitor.page(path).form(path))
    back = urls.resubscribe(tokens["everything"])
    answer = visitor.send(visitor.page(path).form(back))
    assert answer.status_code == 200
    assert "You get these letters again" in answer.text
    assert not is_done(door, tokens["everything"])


def test_the_page_tells_nobody_whose_letters_they_are(door: Door, tokens: dict[str, str]) -> None:
    for token in tokens.values():
        assert ALICE.address not in door.stranger().get(urls.unsubscribe(token)).text


def test_an_unknown_token_is_no_page(door: Door) -> None:
    visitor = door.stranger()
    assert visitor.get(urls.unsubscribe("unknown")).status_code == 404
    assert visitor.client.post(urls.unsubscribe("unknown")).status_code == 404
