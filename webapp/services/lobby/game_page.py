"""What the page of a table says before the deal, and which page a game has."""

from collections.abc import Sequence
from datetime import datetime

from webapp.game_status import GameStatus
from webapp.services.accounts.person import Person, Viewer
from webapp.services.keys import Keyring
from webapp.services.lobby.invitation_links import token_of
from webapp.services.lobby.leaving import leaving_mark
from webapp.services.play.access import LoadedGame, game_for
from webapp.services.play.page_data import InvitedCard, LobbyPage, May, TablePage
from webapp.services.play.reading import table_page
from webapp.services.play.showing import commitments_of, seat_cards, table_card
from webapp.services.tx import Tx
from webapp.store.lobby import invitations
from webapp.store.lobby.invitations import InvitationRow


def game_page(
    tx: Tx, slug: str, viewer: Viewer, *, keys: Keyring, now: datetime
) -> LobbyPage | TablePage:
    """The page of a game: its lobby before the deal (and when it was cancelled), its table after. Raises NotFound."""
    game, seat, me = game_for(tx, slug, viewer, now=now)
    if game.status.is_dealt:
        return table_page(tx, game, seat, me)
    return _lobby_page(tx, game, seat, me, keys=keys)


def _lobby_page(
    tx: Tx, game: LoadedGame, seat: int | None, me: Person | None, *, keys: Keyring
) -> LobbyPage:
    row = game.row
    at_home = seat is not None or game.is_hosted_by(me)
    ways = invitations.of_game(tx.connection, row.id) if at_home else ()
    links = [token_of(way.nonce, keys) for way in ways if way.address is None]
    return LobbyPage(
        me=me,
        seat=seat,
        table=table_card(row),
        seats=seat_cards(row, me=seat),
        commitments=commitments_of(row),
        may=_may(game, seat, me),
        link_token=links[0] if links and row.status != GameStatus.CANCELLED else None,
        invited=() if me is None else _invited_by(me, ways),
        my_salt="" if seat is None else bytes.fromhex(row.seats[seat].salt).decode(),
        leaving_mark="" if seat is None or me is None else leaving_mark(row.slug, me, keys),
    )


def _invited_by(me: Person, ways: Sequence[InvitationRow]) -> tuple[InvitedCard, ...]:
    """An address is known to whoever typed it, and to nobody else at the table; one letter answers for all who typed it."""
    mailed = [(way.address, way) for way in ways if way.address]
    used = [(to.lower(), way.invited_by) for to, way in mailed if way.accepted_by is not None]
    return tuple(
        InvitedCard(
            to,
            way.accepted_by is not None
            or any(other == to.lower() and by != me.id for other, by in used),
        )
        for to, way in mailed
        if way.invited_by == me.id
    )


def _may(game: LoadedGame, seat: int | None, me: Person | None) -> frozenset[May]:
    """What the reader may do in the lobby: what the services would accept."""
    if me is None or not game.status.is_before_deal:
        return frozenset()
    checking = game.status == GameStatus.READY_CHECK
    ready = seat is not None and game.row.seats[seat].ready
    hosts = game.is_hosted_by(me)
    allowed: dict[May, bool] = {
        "sit": seat is None and not checking,
        "stand": seat is not None,
        "ready": seat is not None and checking and not ready,
        "unready": ready,
        "fill": hosts and not checking,
        "invite": (seat is not None or hosts) and not checking,
        "cancel": hosts,
        "starter": hosts,
    }
    return frozenset(deed for deed, may in allowed.items() if may)
