"""The page of a game as the services return it to ``webapp.play.pages.table``: a lobby or a table."""

from datetime import datetime

from tests.support.transactions import using
from webapp.accounts.person import Viewer
from webapp.kernel.keyring import Keyring
from webapp.kernel.tx import Tx
from webapp.lobby.lobby_page import LobbyPage, lobby_page
from webapp.play.access import game_for
from webapp.play.views.table_page import TablePage, table_page


def game_page(
    tx: Tx, slug: str, viewer: Viewer, *, keys: Keyring, now: datetime
) -> LobbyPage | TablePage:
    """Return the table page of a dealt game, else the lobby page. Raises NotFound."""
    game_access = game_for(tx.at(now), slug, viewer)
    if game_access.game.is_dealt:
        return table_page(tx.at(now), game_access)
    return lobby_page(using(tx.at(now), keys=keys), game_access.game, game_access.person)
