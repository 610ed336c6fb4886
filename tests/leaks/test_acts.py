"""What moderators are shown of an act does not depend on what a seat may not know."""

from dataclasses import dataclass

import pytest

from engine.state import State
from engine.view import awaiting
from tests.leaks.stored_game_pairs import find_game, game_pair
from tests.support.acts import act_preview
from tests.support.factories import DAY
from tests.support.visitors import Site
from webapp.kernel.rights import GameRight
from webapp.play.changes.public_change import PublicChange


@dataclass(frozen=True)
class _ActInput:
    act: GameRight
    seat: int | None = None
    turn: int | None = None


_ACTS = (
    _ActInput(GameRight.NUDGE),
    _ActInput(GameRight.EXTEND),
    _ActInput(GameRight.PAUSE),
    _ActInput(GameRight.PLAY_NEUTRAL),
    _ActInput(GameRight.OPEN_SEAT, seat=1),
    _ActInput(GameRight.SEAT_BOT, seat=1),
    _ActInput(GameRight.REWIND, turn=3),
    _ActInput(GameRight.CANCEL_GAME),
)


def _is_in_round_two(state: State) -> bool:
    return state.round == 2 and awaiting(state) is not None


def _previews(site: Site, slug: str) -> list[PublicChange]:
    return [
        act_preview(
            site.database, slug, act_input.act, extra=DAY, seat=act_input.seat, turn=act_input.turn
        ).change
        for act_input in _ACTS
    ]


@pytest.mark.parametrize("observer", [0, None])
def test_previews_are_the_same_in_game_and_counterfactual(site: Site, observer: int | None) -> None:
    played_game, step = find_game("en-2004", _is_in_round_two)
    pair = game_pair(site, played_game, observer=observer)
    actual, counterfactual = [_previews(site, pair.slug) for _ in pair.play_both(until_turn=step)]
    assert actual == counterfactual
