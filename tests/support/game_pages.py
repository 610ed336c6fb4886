"""The page of a game as the services return it to ``webapp.pages.play.table``: a lobby or a table."""

from datetime import datetime

from webapp.services.accounts.person import Viewer
from webapp.services.keys import Keyring
from webapp.services.lobby.lobby_page import LobbyPage, lobby_page
from webapp.services.play.access import game_for
from webapp.services.play.table_page import TablePage, table_page
from webapp.services.tx import Tx


def game_page(
    tx: Tx, slug: str, viewer: Viewer, *, keys: Keyring, now: datetime
) -> LobbyPage | TablePage:
    """Return the table page of a dealt game, else the lobby page. Raises NotFound."""
    game_access = game_for(tx.at(now), slug, viewer)
    if game_access.game.is_dealt:
        return table_page(tx.at(now), game_access)
    return lobby_page(tx.at(now), game_access.game, game_access.person, keys=keys)
