"""A game against bots that begins as its table is opened."""

from datetime import timedelta
from typing import Final

from engine.rulebook import HouseRules
from engine.rulebooks.catalogue import DEFAULT_RULEBOOK
from webapp.accounts.person import Person
from webapp.clock.pace.pace import USUAL_LATE_RULES, LateRules, Pace
from webapp.kernel.bot_levels import USUAL_LEVEL
from webapp.kernel.game_status import GameStatus
from webapp.kernel.tx import Tx
from webapp.lobby.host_actions import fill_with_bots
from webapp.lobby.new_table import TableSettings, open_table
from webapp.lobby.ready_check import salt_of_seat
from webapp.play import access

_SETTINGS: Final = TableSettings(
    rulebook=DEFAULT_RULEBOOK,
    seats=5,
    house=HouseRules(),
    pace=Pace(time_per_turn=timedelta(days=2)),
    public=False,
    # No one else waits for the player, so an absence can stop the clock, and there is no one to take the seat.
    late_rules=LateRules(absence="stop", absence_cap=USUAL_LATE_RULES.absence_cap),
)


def open_bot_game(tx: Tx, player: Person, *, form_token: str) -> str:
    """Deal a game against bots with the usual settings, and return its slug; the same token opens one game only."""
    return deal_with_bots(tx, player, _SETTINGS, level=USUAL_LEVEL, form_token=form_token)


def deal_with_bots(
    tx: Tx, host: Person, settings: TableSettings, *, level: str, form_token: str
) -> str:
    """Open a table, give its free seats to bots, and return its slug."""
    slug = open_table(tx, host, settings, form_token=form_token)
    game = access.game_for(tx, slug, host, mode="change").game
    # A form that is sent twice finds the game running.
    if game.status == GameStatus.OPEN:
        fill_with_bots(tx, game, host, level=level, salt=salt_of_seat(tx.keys, game, host))
    return slug
