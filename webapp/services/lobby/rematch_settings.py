"""The settings of a rematch: those of the finished game, as far as its host may choose them.

The seats are for the same people, so the table is not listed publicly, and asks no one for reliable turns. Who starts is drawn.
"""

import msgspec

from engine.rulebook import HouseRules
from webapp.services.accounts.person import Person
from webapp.services.clubs.who_may_open_tables import club_id_for_table
from webapp.services.errors import FieldErrors
from webapp.services.lobby.game_limit import lock_game_count
from webapp.services.lobby.new_table import TableSettings
from webapp.services.lobby.table_names import table_name_errors
from webapp.services.play.access import LoadedGame
from webapp.services.tx import Tx


def settings_of_rematch(tx: Tx, game: LoadedGame, host: Person) -> TableSettings:
    """Return the settings; without the club or the name of the finished game if its host could not have chosen them."""
    row = game.row
    return TableSettings(
        rulebook=row.rulebook,
        seats=row.seat_count,
        house=msgspec.convert(row.house, HouseRules),
        pace=row.pace,
        public=False,
        club=_club_slug(tx, game, host),
        late_rules=msgspec.structs.replace(row.late_rules, lowest_reliability=0),
        table_name="" if table_name_errors(tx, host, row.table_name) else row.table_name,
    )


def _club_slug(tx: Tx, game: LoadedGame, host: Person) -> str:
    """Return the club of the game, if the host is a member and may open tables there."""
    club = game.row.club_of_viewer
    if club is None:
        return ""
    # The account before the club: a deletion locks them in this order.
    lock_game_count(tx, host)
    try:
        club_id_for_table(tx, host, club.slug)
    except FieldErrors:
        return ""
    return club.slug
