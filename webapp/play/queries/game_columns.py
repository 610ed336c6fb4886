"""The columns of which a ``GameRow`` is made, and how it is made of them."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec
from sqlalchemy import (
    ColumnElement,
    SQLColumnExpression,
    Text,
    cast,
    exists,
    func,
    null,
    or_,
    select,
)
from sqlalchemy.dialects.postgresql import aggregate_order_by
from sqlalchemy.orm import aliased

from webapp.accounts.schema import Account
from webapp.clock.queries.quiet_times import quiet_hours_json
from webapp.clock.queries.votes import decode_votes, latest_votes_json
from webapp.clock.schema import Absence
from webapp.clubs.schema import Club, Membership
from webapp.kernel.game_status import GameStatus
from webapp.lobby.queries.rematches import decode_rematch, rematch_json
from webapp.lobby.schema import Seat, Sitting
from webapp.mail.queries.opt_outs import opt_outs_json
from webapp.moderation.queries.shown_acts import acts_json, decode_acts
from webapp.play.queries.messages import decode_messages, latest_messages_json
from webapp.play.queries.rows import ClubLabel, GameRow, SeatRow, SecretRow
from webapp.play.schema import Game, Secret
from webapp.site.queries.maintenance import (
    clock_stop_json,
    decode_maintenance,
    decode_period,
    latest_outage_json,
)

NULL_PAGE_COLUMNS: Final = tuple(
    null().label(name)
    for name in ("opt_outs", "acts", "has_sat", "votes", "outage", "rematch", "messages")
)
"""For statements whose answer is no page: the answer to a turn shows none of this."""
_SEATS_DECODER = msgspec.json.Decoder(tuple[SeatRow, ...])
_CLUB_DECODER = msgspec.json.Decoder(ClubLabel)
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


def game_row(columns: Sequence[Any]) -> GameRow:
    *fields, club, seats, gold, round_1, round_2, round_3, maintenance = columns
    fields[_STATUS_INDEX] = GameStatus(fields[_STATUS_INDEX])
    label = None if club is None else _CLUB_DECODER.decode(club)
    secret = None if gold is None else SecretRow(gold, round_1, round_2, round_3)
    return GameRow(
        *(*fields, label, _SEATS_DECODER.decode(seats), secret, decode_maintenance(maintenance))
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


def club_json(account_id: SQLColumnExpression[int]) -> ColumnElement[str | None]:
    """Return a subquery for the club of a game, if this account is one of its members."""
    return (
        select(cast(func.json_build_array(Club.slug, Club.name, Membership.rank), Text))
        .join(Membership, Membership.club_id == Club.id)
        .where(Club.id == Game.club_id, Membership.account_id == account_id)
        .where(Membership.status == "member")
        .correlate_except(Club, Membership)
        .scalar_subquery()
    )


def page_columns(viewer: type[Account]) -> tuple[ColumnElement[Any], ...]:
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
    )


def with_page_values(game: GameRow, values: Sequence[Any]) -> GameRow:
    """Return the game with the values of these columns."""
    _, acts, has_sat, latest_votes, latest_outage, rematch, messages = values
    if not any(values[1:]):
        return game
    return msgspec.structs.replace(
        game,
        acts=decode_acts(acts),
        has_viewer_sat=bool(has_sat),
        latest_votes=decode_votes(latest_votes),
        latest_outage=decode_period(latest_outage),
        rematch=decode_rematch(rematch),
        messages=decode_messages(messages),
    )
