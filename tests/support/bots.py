"""The turns of bots in tests, one by one and without a worker."""

from collections.abc import Callable
from datetime import datetime

from engine.actions import Action
from engine.bots.policy import choose_action, require_level
from tests.support.transactions import using
from webapp.kernel.tx import Tx
from webapp.play.bots.bot_turns import BotTurn, claim_bot_turn, play_bot_turn


def play_next_bot(tx: Tx, *, now: datetime, random_below: Callable[[int], int]) -> bool:
    """Claim, decide and play a bot's turn at one instant; return False if none is due."""
    turn = claim_bot_turn(using(tx.at(now), random_below=random_below))
    return turn is not None and play_bot_turn(
        using(tx.at(now), random_below=random_below), turn, decide(turn, random_below)
    )


def decide(turn: BotTurn, random_below: Callable[[int], int]) -> Action:
    return choose_action(turn.view, turn.lines, random_below, require_level(turn.level))
