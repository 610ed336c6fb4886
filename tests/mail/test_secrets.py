"""No letter tells its reader what the reader may not know, and no letter knows anything it does not say."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import Environment, nodes

from engine.rulebooks.catalogue import RULEBOOKS
from tests.support.email_contexts import KINDS, NOW, letter, round_over_of, turn_of
from tests.support.engine.counterfactual_games import HistoryEntry, Move, do, twin
from tests.support.positions import Arranged, Dice, Game, erring_action
from webapp.mail.compose import Composer
from webapp.resources import templates_folder

# Long, of what other tests cover line by line.
pytestmark = pytest.mark.no_cover

COMPOSER = Composer(base_url="https://lodepost.example", mail_from="lodepost@lodepost.example")
LETTERS = templates_folder() / "email"
MAY_NAME = {
    "code",
    "commitments",
    "deadline_at",
    "expires_at",
    "record_digest",
    "result.round",
    "view.round",
}
"""What templates may take from a digest by themselves; all else comes as sentences that were made for the reader."""


def some_game(rulebook: str, dice: Dice) -> HistoryEntry:
    """A game of some length that goes on."""
    chance = Arranged(dice.below(1 << 30))
    game = Game(rulebook, seats=3 + dice.below(8), starter=None, chance=chance)
    moves, states = [], [game.state]
    for _ in range(dice.below(160)):
        move = Move("play", action=erring_action(game.state, dice))
        do(game, move)
        if game.is_over:
            break
        moves.append(move)
        states.append(game.state)
    return HistoryEntry(game, dict(chance.fallen), tuple(moves), tuple(states))


def letters_about(game: Game, seat: int) -> Iterator[bytes]:
    yield COMPOSER.compose(turn_of(game, seat=seat), now=NOW)
    if game.state.results:
        yield COMPOSER.compose(round_over_of(game, seat), now=NOW)


@given(st.integers(0, 2**32), st.sampled_from(list(RULEBOOKS)))
def test_two_worlds_that_a_seat_cannot_tell_apart_write_it_the_same_letters(
    seed: int, rulebook: str
) -> None:
    dice = Dice(seed)
    one = some_game(rulebook, dice)
    if one.game.is_over:
        return
    seat = dice.below(one.game.state.seats)
    other = twin(one, seat, dice)
    assert list(letters_about(one.game, seat)) == list(letters_about(other.game, seat))


def test_the_same_change_is_seen_by_those_whom_it_concerns() -> None:
    """Were all letters alike, the test above could not fail."""
    dice = Dice(3)
    one = some_game("en-2004", dice)
    other = twin(one, 0, dice)
    assert list(letters_about(one.game, 1)) != list(letters_about(other.game, 1))


def test_every_template_belongs_to_a_letter_that_is_sent() -> None:
    folders = {path.name for path in LETTERS.iterdir() if path.is_dir()}
    assert folders == {*KINDS, "_base"}
    for kind in KINDS:
        files = {path.name for path in (LETTERS / kind).iterdir()}
        assert files == {"subject.txt", "body.txt", "body.html"}


@pytest.mark.parametrize(
    "file", sorted(LETTERS.rglob("*.*")), ids=lambda file: file.parent.name + "/" + file.name
)
def test_a_template_takes_nothing_from_a_digest_but_what_was_agreed_on(file: Path) -> None:
    assert set(_taken_from_digest(file)) <= MAY_NAME


def _taken_from_digest(file: Path) -> Iterator[str]:
    tree = Environment(extensions=["jinja2.ext.i18n"], autoescape=True).parse(
        file.read_text(encoding="utf-8")
    )
    for access in tree.find_all(nodes.Getattr):
        path = _path(access)
        if path and not any(
            _path(outer).startswith(path + ".") for outer in tree.find_all(nodes.Getattr)
        ):
            yield path
    assert not [item for item in tree.find_all(nodes.Getitem) if "digest" in repr(item)]


def _path(access: nodes.Node) -> str:
    """``result.round`` for ``digest.result.round``; empty for what does not begin at the digest."""
    names: list[str] = []
    while isinstance(access, nodes.Getattr):
        names.insert(0, access.attr)
        access = access.node
    return ".".join(names) if isinstance(access, nodes.Name) and access.name == "digest" else ""


@pytest.mark.parametrize("kind", KINDS)
def test_a_subject_and_a_preview_tell_no_secret_to_who_looks_over_the_shoulder(kind: str) -> None:
    from email import message_from_bytes, policy

    message = message_from_bytes(COMPOSER.compose(letter(kind), now=NOW), policy=policy.default)  # type: ignore[arg-type]
    html = str(message.get_payload(1).get_content())  # type: ignore[union-attr]
    preview = html.partition("display:none")[2].partition("</div>")[0]
    for said in (message["Subject"], preview):
        assert not any(word in said.lower() for word in ("saboteur:", "digger:", "you are", "hand"))
        assert "042137" not in message["Subject"]
