"""Whole games with their seats, read in one statement each, together with the viewer's account."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, Final, Literal, TypeAlias

import msgspec
from sqlalchemy import (
    BigInteger,
    ColumnElement,
    DateTime,
    Integer,
    LargeBinary,
    Select,
    SQLColumnExpression,
    Text,
    bindparam,
    case,
    cast,
    exists,
    func,
    literal_column,
    null,
    or_,
    select,
    tuple_,
    union_all,
)
from sqlalchemy.dialects.postgresql import aggregate_order_by
from sqlalchemy.orm import aliased

from webapp.accounts.person import Person
from webapp.accounts.queries.viewers import viewer_columns, viewer_from
from webapp.accounts.schema import Account, Session
from webapp.clock.queries.email_times import quiet_hours_json
from webapp.clock.queries.maintenance import (
    MaintenancePeriod,
    MaintenanceRow,
    clock_stop_json,
    latest_outage_json,
)
from webapp.clock.schema import Absence
from webapp.clubs.schema import Club, Membership
from webapp.kernel.game_status import GameStatus
from webapp.kernel.json_columns import decode_row, decode_rows
from webapp.kernel.statements import Statement, is_one_of
from webapp.kernel.tx import Tx
from webapp.lobby.queries.rematches import RematchRow, rematch_json
from webapp.lobby.schema import Seat, Sitting
from webapp.mail.queries.opt_outs import opt_outs_json
from webapp.moderation.queries.shown_acts import acts_json, decode_acts
from webapp.play.queries.messages import MessageRow, latest_messages_json
from webapp.play.queries.notes import decode_notes, notes_json
from webapp.play.queries.rows import ClubLabel, GameRow, SeatRow, SecretRow
from webapp.play.queries.votes import VoteRow, latest_votes_json
from webapp.play.schema import Game, Secret, has_status

NULL_PAGE_COLUMNS: Final = tuple(
    null().label(name)
    for name in ("opt_outs", "acts", "has_sat", "votes", "outage", "rematch", "messages", "notes")
)
"""Columns for statements whose answer is no page: the answer to a turn shows none of this."""
_seated_account = aliased(Account, name="seated")
GAME_COLUMNS = (
    Game.id,
    Game.slug,
    Game.host_id,
    Game.host_name,
    Game.table_name,
    Game.rulebook,
    Game.house,
    Game.seat_count,
    Game.starter,
    Game.allowance,
    Game.pace,
    Game.late_rules,
    Game.public,
    Game.club_id,
    Game.status,
    Game.opened_at,
    Game.waiting_since,
    Game.removal_count,
    Game.freeze_record,
    Game.head,
    Game.seq,
    Game.state,
    Game.state_format,
    Game.awaiting,
    Game.awaiting_bot,
    Game.round,
    Game.turn_seq,
    Game.turn_started_at,
    Game.deadline_at,
    Game.remind_at,
    Game.wake_at,
    Game.paused_at,
    Game.plans,
    Game.player_changes,
    Game.held_turn,
    Secret.commitments,
)
_STATUS_INDEX = [column.key for column in GAME_COLUMNS].index("status")
SECRET_COLUMNS = (Secret.gold, Secret.round_1, Secret.round_2, Secret.round_3)
PLAY_COLUMNS = (*SECRET_COLUMNS, clock_stop_json().label("maintenance"))
NULL_PLAY_COLUMNS = tuple(null().label(column.key) for column in PLAY_COLUMNS)


AccessMode: TypeAlias = Literal["read", "play", "change"]
MAX_LISTED_TABLES_OF_HOST: Final = 3
"""Open public tables of one host that others see in the list of tables."""


def find(
    tx: Tx,
    slug: str,
    *,
    mode: AccessMode,
    token_hash: bytes | None,
    account_id: int | None,
) -> tuple[GameRow, Person | None] | None:
    """Return the game of this slug, and the viewer if a session or an id names one; None if there is no game."""
    if mode == "change":
        # Lock first, read second: a statement that waits for a lock reads other tables as they were before it waited.
        tx.execute(_LOCK_STATEMENT, {"slug": slug})
    statement = _STATEMENT_BY_MODE[mode]
    # A turn is guarded by what it was computed from, and needs no transaction to read that.
    run = statement.run_alone if mode == "play" else statement.run
    rows = run(tx, slug=slug, token_hash=token_hash, account_id=account_id, now=tx.now)
    if not rows:
        return None
    [row] = rows
    size = len(_VIEWER_COLUMNS)
    viewer, columns = row[:size], row[size + len(NULL_PAGE_COLUMNS) :]
    page_values = row[size : size + len(NULL_PAGE_COLUMNS)]
    person = viewer_from(viewer, page_values[0])
    return _with_page_values(game_row(columns), page_values), person


def find_listed(tx: Tx, account_id: int | None, *, limit: int) -> tuple[GameRow, ...]:
    """Return the games that an account's home page lists; without an account, public tables. Tables of the account's clubs are among them.

    Only games in which the account has a seat come with their position, and only the account's own turns with what is held.
    Of public tables and of finished games only the newest ``limit`` are returned.
    """
    rows = _LIST_STATEMENT.run(tx, account_id=account_id, most=limit)
    return tuple(map(game_row, rows))


def secrets_of(tx: Tx, game_id: int) -> SecretRow:
    """Return the secrets of a game; to be called only once it is finished or cancelled."""
    row = tx.execute(select(*SECRET_COLUMNS).where(Secret.game_id == game_id)).one()
    return SecretRow(*row)


def find_many(tx: Tx, ids: Sequence[int]) -> dict[int, GameRow]:
    """Return games by id, without their secrets."""
    return _rows_by_id(_READ_MANY_STATEMENT.run(tx, ids=list(ids)))


def find_many_to_play(tx: Tx, ids: Sequence[int]) -> dict[int, GameRow]:
    """Return games by id, with the secrets that a deal needs."""
    return _rows_by_id(_PLAY_MANY_STATEMENT.run(tx, ids=list(ids)))


def _rows_by_id(rows: Iterable[Sequence[Any]]) -> dict[int, GameRow]:
    games = (game_row(row) for row in rows)
    return {game.id: game for game in games}


_viewer = aliased(Account, name="viewer")
_VIEWER_COLUMNS = viewer_columns(_viewer, bindparam("token_hash", type_=LargeBinary))
_ZERO = literal_column("0", Integer)


def _viewer_id() -> ColumnElement[int | None]:
    by_session = (
        select(Session.account_id)
        .where(Session.token_hash == bindparam("token_hash", type_=LargeBinary))
        .where(Session.expires_at > bindparam("now", type_=DateTime(timezone=True)))
        .scalar_subquery()
    )
    return func.coalesce(bindparam("account_id", type_=BigInteger), by_session)


def _game_by_slug(*, secrets: bool) -> Select[Any]:
    extra_columns = NULL_PAGE_COLUMNS if secrets else _page_columns(_viewer)
    play_columns = PLAY_COLUMNS if secrets else NULL_PLAY_COLUMNS
    return (
        select(
            *_VIEWER_COLUMNS,
            *extra_columns,
            *GAME_COLUMNS,
            _club_json(_viewer.id),
            seats_json(),
            *play_columns,
        )
        .select_from(Game)
        .join(Secret, Secret.game_id == Game.id)
        .outerjoin(_viewer, _viewer.id == _viewer_id())
        .where(Game.slug == bindparam("slug", type_=Text))
    )


def _games_by_id(*, secrets: bool) -> Select[Any]:
    return (
        select(
            *GAME_COLUMNS,
            null(),
            seats_json(),
            *(PLAY_COLUMNS if secrets else NULL_PLAY_COLUMNS),
        )
        .select_from(Game)
        .join(Secret, Secret.game_id == Game.id)
        .where(is_one_of(Game.id, "ids"))
    )


def _listed_games() -> Select[*tuple[Any, ...]]:
    account_id = bindparam("account_id", type_=BigInteger)
    column_replacements = {
        "state": case((_is_seated(account_id), Game.state)).label("state"),
        "freeze_record": null().label("freeze_record"),
        "head": null().label("head"),
        "plans": null().label("plans"),
        "held_turn": case((_is_turn_of(account_id), Game.held_turn)).label("held_turn"),
    }
    columns = (column_replacements.get(column.key, column) for column in GAME_COLUMNS)
    return (
        select(
            *columns,
            _club_json(account_id),
            seats_json(),
            *NULL_PLAY_COLUMNS,
        )
        .select_from(Game)
        .join(Secret, Secret.game_id == Game.id)
        .where(Game.id.in_(union_all(*(select(ids.subquery()) for ids in _listed_ids()))))
    )


def _is_seated(account_id: ColumnElement[int]) -> ColumnElement[bool]:
    seat = aliased(Seat, name="own_seat")
    return exists().where(seat.game_id == Game.id, seat.account_id == account_id)


def _is_turn_of(account_id: ColumnElement[int]) -> ColumnElement[bool]:
    seat = aliased(Seat, name="own_seat_on_turn")
    return exists().where(
        seat.game_id == Game.id, seat.number == Game.awaiting, seat.account_id == account_id
    )


def _listed_ids() -> list[Select[Any]]:
    account_id = bindparam("account_id", type_=BigInteger)
    limit = bindparam("most", type_=Integer)
    is_before_deal = has_status(GameStatus.OPEN, GameStatus.READY_CHECK)
    seated_games = (
        select(Game.id).join(Seat, Seat.game_id == Game.id).where(Seat.account_id == account_id)
    )
    public = select(Game.id).where(
        has_status(GameStatus.OPEN), Game.public, _is_one_of_newest_of_host()
    )
    is_in_viewer_clubs = (
        select(Game.id)
        .join(Membership, Membership.club_id == Game.club_id)
        .where(Membership.account_id == account_id, Membership.status == "member")
        .where(has_status(GameStatus.OPEN))
    )
    lost_seats = (
        select(Game.id)
        .join(Seat, Seat.game_id == Game.id)
        .where(Seat.leaver_id == account_id, Seat.is_lost)
        .where(has_status(GameStatus.RUNNING, GameStatus.PAUSED))
    )
    finished_games = seated_games.where(
        has_status(GameStatus.FINISHED, GameStatus.CANCELLED), Game.round > _ZERO
    )
    return [
        seated_games.where(is_before_deal | has_status(GameStatus.RUNNING, GameStatus.PAUSED)),
        lost_seats,
        select(Game.id).where(Game.host_id == account_id, is_before_deal),
        public.order_by(Game.opened_at.desc()).limit(limit),
        is_in_viewer_clubs.order_by(Game.opened_at.desc()).limit(limit),
        finished_games.order_by(Game.ended_at.desc()).limit(limit),
    ]


def _is_one_of_newest_of_host() -> ColumnElement[bool]:
    """Return the condition that a public table is one of the newest of its host, so that no one fills the list alone."""
    newer = aliased(Game, name="newer_table")
    more = (
        select(newer.id)
        .where(newer.host_id == Game.host_id, newer.public)
        .where(newer.status == literal_column(f"'{GameStatus.OPEN}'", Text))
        .where(tuple_(newer.opened_at, newer.id) > tuple_(Game.opened_at, Game.id))
        .offset(MAX_LISTED_TABLES_OF_HOST - 1)
        .limit(1)
    )
    return ~more.correlate(Game).exists()


def _club_json(account_id: SQLColumnExpression[int]) -> ColumnElement[str | None]:
    """Return a subquery for the club of a game, if this account is one of its members."""
    return (
        select(cast(func.json_build_array(Club.slug, Club.name, Membership.rank), Text))
        .join(Membership, Membership.club_id == Club.id)
        .where(Club.id == Game.club_id, Membership.account_id == account_id)
        .where(Membership.status == "member")
        .correlate_except(Club, Membership)
        .scalar_subquery()
    )


def seats_json() -> ColumnElement[str]:
    seat = func.json_build_array(
        Seat.number,
        Seat.account_id,
        Seat.name,
        _seated_account.picks_gold,
        Seat.bot_name,
        Seat.is_ready,
        func.encode(Seat.salt, "hex"),
        Seat.bot_level,
        func.extract("epoch", Seat.bank),
        Seat.strikes,
        func.extract("epoch", Seat.absence_used),
        _absences_json(),
        _seated_account.zone,
        _seated_account.reminder_hours,
        quiet_hours_json(Seat.account_id),
        Seat.opened_at,
        Seat.leaver_id,
        Seat.is_lost,
        Seat.returned_at,
    )
    return (
        select(cast(func.json_agg(aggregate_order_by(seat, Seat.number)), Text))
        .select_from(Seat)
        .outerjoin(_seated_account, _seated_account.id == Seat.account_id)
        .where(Seat.game_id == Game.id)
        .scalar_subquery()
    )


def _absences_json() -> ColumnElement[Any]:
    """Return a subquery for the absences of the person in a seat, without those that were over when the turn began."""
    end_at = func.coalesce(Absence.ended_at, Absence.until_at)
    return (
        select(func.json_agg(func.json_build_array(Absence.from_at, end_at)))
        .where(Absence.account_id == Seat.account_id)
        .where(Absence.until_at > func.coalesce(Game.turn_started_at, Game.opened_at))
        .where(or_(Seat.returned_at.is_(None), Absence.from_at > Seat.returned_at))
        .correlate_except(Absence)
        .scalar_subquery()
    )


def _page_columns(viewer: type[Account]) -> tuple[ColumnElement[Any], ...]:
    """Return the columns for this viewer; the first is their opt-outs."""
    game_id = Game.__table__.c.id
    return (
        opt_outs_json(viewer, at_table=True),
        acts_json(game_id),
        exists().where(Sitting.game_id == Game.id, Sitting.account_id == viewer.id),
        latest_votes_json(game_id),
        latest_outage_json(),
        rematch_json(viewer.id),
        latest_messages_json(game_id, viewer.id),
        notes_json(game_id, viewer.id),
    )


_PLAY_STATEMENT = Statement(partial(_game_by_slug, secrets=True))
_STATEMENT_BY_MODE: dict[AccessMode, Statement] = {
    "read": Statement(partial(_game_by_slug, secrets=False)),
    "play": _PLAY_STATEMENT,
    "change": _PLAY_STATEMENT,
}
_LOCK_STATEMENT = select(Game.id).where(Game.slug == bindparam("slug")).with_for_update()
_LIST_STATEMENT = Statement(_listed_games)
_READ_MANY_STATEMENT = Statement(partial(_games_by_id, secrets=False))
_PLAY_MANY_STATEMENT = Statement(partial(_games_by_id, secrets=True))


def game_row(columns: Sequence[Any]) -> GameRow:
    *fields, club, seats, gold, round_1, round_2, round_3, maintenance = columns
    fields[_STATUS_INDEX] = GameStatus(fields[_STATUS_INDEX])
    secret = None if gold is None else SecretRow(gold, round_1, round_2, round_3)
    values = (
        *fields,
        decode_row(club, ClubLabel),
        decode_rows(seats, SeatRow),
        secret,
        decode_row(maintenance, MaintenanceRow),
    )
    return GameRow(*values)


def _with_page_values(game: GameRow, values: Sequence[Any]) -> GameRow:
    """Return the game with the values of these columns."""
    _, acts, has_sat, latest_votes, latest_outage, rematch, messages, notes = values
    if not any(values[1:]):
        return game
    return msgspec.structs.replace(
        game,
        acts=decode_acts(acts),
        has_viewer_sat=bool(has_sat),
        latest_votes=decode_rows(latest_votes, VoteRow),
        latest_outage=decode_row(latest_outage, MaintenancePeriod),
        rematch=decode_row(rematch, RematchRow),
        messages=decode_rows(messages, MessageRow),
        notes=decode_notes(notes),
    )
