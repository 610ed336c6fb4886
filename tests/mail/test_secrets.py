"""No letter tells its reader what the reader may not know, and no letter knows anything it does not say."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import Environment, nodes

from engine.rulebooks.catalogue import RULEBOOKS
from tests.support.email_contexts import KINDS, NOW, letter, round_over_of, turn_of
from tests.support.engine.counterfactual_games import (
    Move,
    PlayedGame,
    counterfactual_game,
    play_moves,
)
from tests.support.engine.logged_game import LoggedGame
from tests.support.engine.random_players import mostly_digging_action
from tests.support.engine.seeded_random import ScriptedChance, SeededRng
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


def some_game(rulebook: str, rng: SeededRng) -> PlayedGame:
    """A game of some length that goes on."""
    chance = ScriptedChance(rng.below(1 << 30))
    game = LoggedGame(rulebook, seats=3 + rng.below(8), starter=None, chance=chance)
    return play_moves(
        game,
        rng.below(160),
        lambda game: Move("play", action=mostly_digging_action(game.state, rng)),
    )


def letters_about(game: LoggedGame, seat: int) -> Iterator[bytes]:
    yield COMPOSER.compose(turn_of(game, seat=seat), now=NOW)
    if game.state.results:
        yield COMPOSER.compose(round_over_of(game, seat), now=NOW)


@given(st.integers(0, 2**32), st.sampled_from(list(RULEBOOKS)))
def test_two_worlds_that_a_seat_cannot_tell_apart_write_it_the_same_letters(
    seed: int, rulebook: str
) -> None:
    rng = SeededRng(seed)
    one = some_game(rulebook, rng)
    seat = rng.below(one.game.state.seats)
    other = counterfactual_game(one, seat, rng)
    assert list(letters_about(one.game, seat)) == list(letters_about(other.game, seat))


def test_the_same_change_is_seen_by_those_whom_it_concerns() -> None:
    """Were all letters alike, the test above could not fail."""
    rng = SeededRng(3)
    one = some_game("en-2004", rng)
    other = counterfactual_game(one, 0, rng)
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
