"""The columns of a person: of any account, or of the viewer, whom a statement finds by the token of a session."""

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    SQLColumnExpression,
    Text,
    and_,
    cast,
    exists,
    func,
    literal,
    literal_column,
    or_,
    select,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import aliased

from webapp.accounts.person import ActiveOptOut, Person, WaitingGame
from webapp.accounts.schema import Account, Passkey, Session
from webapp.kernel.game_status import GameStatus
from webapp.kernel.json_columns import decode_rows
from webapp.lobby.schema import Seat
from webapp.operations.schema import SiteSetting
from webapp.play.schema import Game, GameResult

_PASSKEY_SETTING: Final = "moderators_need_passkey"
_READ_WAITING_GAMES: Final = 2
"""How many games that wait are read: the one that is shown, and the next one."""
_proof_session = aliased(Session, name="proved")
_own_seat = aliased(Seat, name="seat_of_viewer")
_own_game = aliased(Game, name="game_of_viewer")


def _settings_columns(account: type[Account]) -> tuple[SQLColumnExpression[Any], ...]:
    return (
        account.id,
        account.address,
        account.name,
        account.language,
        account.zone,
        account.picks_gold,
        account.banned_until,
        account.warning_id,
        account.dismissed_announcement,
        account.hold_minutes,
        account.suppressed_until,
        account.wants_link_only,
        account.wants_every_email,
        account.moves_need_sign_in,
    )


ACCOUNT_COLUMNS: Final = (*_settings_columns(Account), Account.wants_hints, Account.is_moderator)
"""The columns of a ``Person``, in its order, for statements without a session."""


def viewer_columns(
    account: type[Account], token_hash: SQLColumnExpression[bytes]
) -> tuple[SQLColumnExpression[Any], ...]:
    """Return what ``viewer_from`` reads, without opt-outs; ``token_hash`` is the session's."""
    return (
        *_settings_columns(account),
        and_(account.wants_hints, ~exists().where(GameResult.account_id == account.id)),
        account.is_moderator,
        _lacks_passkey(account, token_hash),
        _waiting_games_json(account),
    )


def viewer_from(columns: Sequence[Any], opt_outs: str | None = None) -> Person | None:
    """Return the person of ``viewer_columns`` and ``opt_outs_json``; None if the statement found no account."""
    *settings, is_moderator, lacks_passkey, waiting_games = columns
    if columns[0] is None:
        return None
    values = (
        *settings,
        is_moderator and not lacks_passkey,
        lacks_passkey,
        decode_rows(waiting_games, WaitingGame),
        decode_rows(opt_outs, ActiveOptOut),
    )
    return Person(*values)


def _lacks_passkey(
    account: type[Account], token_hash: SQLColumnExpression[bytes]
) -> ColumnElement[bool]:
    """Return whether the account moderates the site, but has no passkey or has not used one in this session.

    False unless the site demands it. Without a token it is as if there were no proof.
    """
    is_passkey_demanded = exists().where(
        SiteSetting.name == _PASSKEY_SETTING,
        SiteSetting.value == cast(literal("true", Text), JSONB),
    )
    is_passkey_proved = (
        exists()
        .where(_proof_session.token_hash == token_hash, _proof_session.with_passkey)
        .where(_proof_session.account_id == account.id, Passkey.account_id == account.id)
    )
    return and_(account.is_moderator, is_passkey_demanded, ~is_passkey_proved)


def _waiting_games_json(account: type[Account]) -> ColumnElement[str | None]:
    """Return a subquery for the first games in which it is the account's turn, or a ready-check waits for its answer.

    A turn that its player holds waits for no one.
    """
    is_own_turn = and_(
        _own_game.status == GameStatus.RUNNING,
        _own_game.awaiting == _own_seat.number,
        _own_game.held_turn.is_(None),
    )
    is_asked = and_(_own_game.status == GameStatus.READY_CHECK, ~_own_seat.is_ready)
    entry = func.json_build_array(
        _own_game.slug, _own_game.host_name, _own_game.table_name, func.count().over()
    )
    first_games = (
        select(entry.label("entry"))
        .select_from(_own_seat)
        .join(_own_game, _own_game.id == _own_seat.game_id)
        .where(_own_seat.account_id == account.id, or_(is_own_turn, is_asked))
        .order_by(_own_game.deadline_at, _own_game.slug)
        .limit(literal_column(str(_READ_WAITING_GAMES)))
        .correlate(account)
        .subquery("waiting_games")
    )
    return select(cast(func.json_agg(first_games.c.entry), Text)).scalar_subquery()
