"""What pages show. Everything secret stays behind this module: what it gives is for one reader, built field by field."""

import hashlib
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from engine.fairness import LABELS, thaw
from engine.view import legal_actions, view_for
from webapp.services.access import Game, game_for, state_from_log
from webapp.services.errors import NotFound
from webapp.services.exports import export
from webapp.services.home import home_page, next_slug
from webapp.services.keys import Keyring
from webapp.services.leaving import leaving_mark
from webapp.services.links import token_of
from webapp.services.page_data import (
    FairnessPage,
    HistoryPage,
    InvitedCard,
    LobbyPage,
    May,
    Opened,
    Salt,
    TablePage,
)
from webapp.services.people import Asker, Person
from webapp.services.showing import (
    commitments_of,
    own_last,
    seat_cards,
    since_own,
    table_card,
    told,
)
from webapp.services.tx import Tx
from webapp.store import games, invitations, log
from webapp.store.game_rows import GameRow
from webapp.store.invitations import InvitationRow
from webapp.store.log import Asked

__all__ = ["export", "fairness_page", "game_page", "history_page", "home_page", "next_slug"]

_LATEST: Final = 20
_ENDED: Final = frozenset({"finished", "cancelled"})
_DEALT: Final = frozenset({"running", "finished"})


def game_page(
    tx: Tx, slug: str, asker: Asker, *, keys: Keyring, now: datetime
) -> LobbyPage | TablePage:
    """The page of a game: its lobby before the deal (and when it was cancelled), its table after. Raises NotFound."""
    game, seat, me = game_for(tx, slug, asker, now=now)
    if game.status in _DEALT:
        return _table_page(tx, game, seat, me)
    return _lobby_page(tx, game, seat, me, keys=keys)


def _table_page(tx: Tx, game: Game, seat: int | None, me: Person | None) -> TablePage:
    view = view_for(game.state, seat)
    [turns] = log.news(tx.connection, [Asked(game.row.id, seat, game.seq - _LATEST)])
    over = game.status == "finished"
    since = since_own(turns, seat) if seat is not None else turns[-_LATEST:]
    own = told(own_last(turns, seat), seat, opened=over)
    return TablePage(
        me=me,
        seat=seat,
        table=table_card(game.row),
        seats=seat_cards(game.row, me=seat, gone=view.gone),
        view=view,
        menu=tuple(legal_actions(view)),
        since=told(since, seat, opened=over),
        own=own[0] if own else None,
        turn_started_at=None if over else game.row.turn_started_at,
        deadline_at=game.row.deadline_at,
    )


def _lobby_page(
    tx: Tx, game: Game, seat: int | None, me: Person | None, *, keys: Keyring
) -> LobbyPage:
    row = game.row
    at_home = seat is not None or _hosts(row, me)
    ways = invitations.of_game(tx.connection, row.id) if at_home else ()
    links = [token_of(way.nonce, keys) for way in ways if way.address is None]
    return LobbyPage(
        me=me,
        seat=seat,
        table=table_card(row),
        seats=seat_cards(row, me=seat),
        commitments=commitments_of(row),
        may=_may(game, seat, me),
        link_token=links[0] if links and row.status != "cancelled" else None,
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


def _may(game: Game, seat: int | None, me: Person | None) -> frozenset[May]:
    """What the reader may do in the lobby: what the services would accept."""
    if me is None or game.status not in {"open", "ready-check"}:
        return frozenset()
    checking = game.status == "ready-check"
    ready = seat is not None and game.row.seats[seat].ready
    hosts = _hosts(game.row, me)
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


def history_page(
    tx: Tx, slug: str, asker: Asker, *, until: int | None = None, now: datetime
) -> HistoryPage:
    """Every turn up to ``until``, and the table as the reader saw it then. Raises NotFound, also for a turn that was not."""
    game, seat, me = game_for(tx, slug, asker, now=now)
    stop = game.seq if until is None else until
    if game.status not in _DEALT or not 0 <= stop <= game.seq:
        raise NotFound
    turns = [turn for turn in log.all_turns(tx.connection, game.row.id) if turn.seq <= stop]
    return HistoryPage(
        me=me,
        seat=seat,
        table=table_card(game.row),
        seats=seat_cards(game.row, me=seat),
        told=told(turns, seat, opened=game.status == "finished"),
        view=view_for(state_from_log(game.row, turns), seat),
        until=stop,
        newest=game.seq,
    )


def fairness_page(tx: Tx, slug: str, asker: Asker, *, now: datetime) -> FairnessPage:
    """What proves the deal: commitments, the frozen record, and at the end the secrets. Raises NotFound."""
    game, seat, me = game_for(tx, slug, asker, now=now)
    record = game.row.record
    return FairnessPage(
        me=me,
        seat=seat,
        table=table_card(game.row),
        seats=seat_cards(game.row, me=seat),
        commitments=commitments_of(game.row),
        record=record,
        salts=_salts(record),
        record_digest=None if record is None else hashlib.sha256(record).hexdigest(),
        opened=_opened(tx, game) if game.status in _ENDED else (),
    )


def _salts(record: bytes | None) -> tuple[Salt, ...]:
    if record is None:
        return ()
    return tuple(Salt(seat.name, seat.salt.decode()) for seat in thaw(record).seats)


def _opened(tx: Tx, game: Game) -> tuple[Opened, ...]:
    secret = games.secrets_of(tx.connection, game.row.id)
    drawn = (secret.gold, secret.round_1, secret.round_2, secret.round_3)
    return tuple(map(Opened, LABELS, map(bytes.hex, drawn)))


def _hosts(row: GameRow, me: Person | None) -> bool:
    return me is not None and me.id == row.host_id
