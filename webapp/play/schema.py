"""Tables of play: games, the secrets of their deals, the log of turns, results, links to finished games, votes, and what players write.

Players write messages to everyone at the table, and notes and marks that only they can read.
"""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import (
    CheckConstraint,
    ColumnElement,
    ForeignKey,
    Index,
    Integer,
    SmallInteger,
    Text,
    literal_column,
    or_,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from webapp.kernel.game_status import GameStatus
from webapp.kernel.schema import Base, generated_id


def _status_in(*statuses: GameStatus) -> str:
    if len(statuses) == 1:
        return f"status = '{statuses[0]}'"
    words = ", ".join(f"'{status}'" for status in statuses)
    return f"status IN ({words})"


_IS_RUNNING = _status_in(GameStatus.RUNNING)
_IS_NOT_CANCELLED = f"status <> '{GameStatus.CANCELLED}'"


class Game(Base):
    __tablename__ = "game"

    id: Mapped[int] = generated_id()
    slug: Mapped[str] = mapped_column(unique=True)
    host_id: Mapped[int] = mapped_column(ForeignKey("account.id"))
    host_name: Mapped[str]
    """The name at the opening of the table; it stays when the account is renamed."""
    table_name: Mapped[str] = mapped_column(server_default=text("''"))
    """What the host called the table as they opened it; empty for the usual name, which is made of the host's."""
    rematch_of: Mapped[int | None] = mapped_column(ForeignKey("game.id"))
    """The finished game whose players play again here."""
    club_id: Mapped[int | None] = mapped_column(ForeignKey("club.id"))
    """The club whose members may see the game and take its seats without an invitation."""
    rulebook: Mapped[str]
    house: Mapped[dict[str, Any]] = mapped_column(JSONB)
    seat_count: Mapped[int] = mapped_column(SmallInteger)
    starter: Mapped[int | None] = mapped_column(SmallInteger)
    allowance: Mapped[timedelta]
    """The time per turn."""
    pace: Mapped[dict[str, Any]] = mapped_column(JSONB, server_default=text("'{}'::jsonb"))
    """The rest of the pace (``webapp.clock.pace.pace.Pace``); empty for a flat time per turn."""
    late_rules: Mapped[dict[str, Any]] = mapped_column(JSONB, server_default=text("'{}'::jsonb"))
    """What becomes of late and absent players (``webapp.clock.pace.pace.LateRules``)."""
    public: Mapped[bool]
    status: Mapped[str]
    opened_at: Mapped[datetime]
    ended_at: Mapped[datetime | None]
    waiting_since: Mapped[datetime | None]
    """When an open table was opened or its seats last changed; in a ready-check, when it began to wait for answers."""
    is_waiting_warned: Mapped[bool] = mapped_column(server_default=text("false"))
    """Whether its players know that it closes soon; in a ready-check, whether those who have not answered were reminded."""
    removal_count: Mapped[int] = mapped_column(SmallInteger, server_default=text("0"))
    """How many people the host has removed before the deal, up to the largest number of this column: a form from before takes no seat."""
    ready_check_count: Mapped[int] = mapped_column(SmallInteger, server_default=text("0"))
    """The number of ready-checks so far, up to the largest number of this column; each one notifies every player."""
    freeze_record: Mapped[bytes | None]
    """What the table agreed on, frozen for the shuffles; None before the deal."""
    thread_id: Mapped[str]
    """The Message-ID to which all emails about the game refer, so that they are one thread: kept, because host and key may change."""
    head: Mapped[bytes | None]
    """The head of the chain of turns (``engine.record``) after turn ``seq``, as in the log; None before the deal."""

    seq: Mapped[int] = mapped_column(server_default=text("-1"))
    state: Mapped[bytes | None]  # The snapshot after turn ``seq``: a cache of the log.
    state_format: Mapped[int | None] = mapped_column(SmallInteger)
    awaiting: Mapped[int | None] = mapped_column(SmallInteger)  # The seat on turn.
    awaiting_bot: Mapped[bool] = mapped_column(server_default=text("false"))
    round: Mapped[int] = mapped_column(SmallInteger, server_default=text("0"))
    turn_seq: Mapped[int] = mapped_column(server_default=text("-1"))
    """The ``seq`` at which the current turn began; a choice within a turn does not begin another."""
    turn_started_at: Mapped[datetime | None]
    deadline_at: Mapped[datetime | None]
    remind_at: Mapped[datetime | None]
    wake_at: Mapped[datetime | None]
    """When a worker looks at this game next: at the reminder, at the deadline, later after a failure; for a bot, at once."""
    paused_at: Mapped[datetime | None]
    """When a moderator stopped the clock. The times above stay as they were and move when the game is resumed."""
    plans: Mapped[bytes | None]
    """What players have planned for their next turns (``webapp.play.plans``); None if no one has."""
    player_changes: Mapped[int] = mapped_column(server_default=text("0"))
    """How often players have changed their absences, or lost or got back a seat: a turn that was computed before that is computed again."""
    held_turn: Mapped[bytes | None]
    """A turn that its player can still change (``webapp.clock.held_turn``); ``wake_at`` is when it enters the game."""

    __table_args__ = (
        CheckConstraint("seat_count BETWEEN 3 AND 10", name="seat_count"),
        CheckConstraint(_status_in(*GameStatus), name="status"),
        # Partial indexes: a turn writes a new version of the row into every index that contains it.
        Index(
            "game_wake_at",
            "wake_at",
            postgresql_where=text(f"{_IS_RUNNING} AND NOT awaiting_bot"),
        ),
        # For moderators, who may not see when workers look at a game: that shows whose turn is held.
        Index(
            "game_waiting",
            text("coalesce(deadline_at, wake_at)"),
            postgresql_where=text(f"{_IS_RUNNING} AND NOT awaiting_bot"),
        ),
        Index(
            "game_bot_turn",
            "wake_at",
            postgresql_where=text(f"{_IS_RUNNING} AND awaiting_bot"),
        ),
        Index(
            "game_paused",
            "paused_at",
            postgresql_where=text(_status_in(GameStatus.PAUSED)),
        ),
        Index(
            "game_open",
            "opened_at",
            postgresql_where=text(f"{_status_in(GameStatus.OPEN)} AND public"),
        ),
        Index(
            "game_hosted",
            "host_id",
            postgresql_where=text(
                _status_in(
                    GameStatus.OPEN, GameStatus.READY_CHECK, GameStatus.RUNNING, GameStatus.PAUSED
                )
            ),
        ),
        Index(
            "game_unfilled",
            "waiting_since",
            postgresql_where=text(_status_in(GameStatus.OPEN)),
        ),
        Index(
            "game_unanswered",
            "id",
            postgresql_where=text(_status_in(GameStatus.READY_CHECK)),
        ),
        # For moderators: tables before the deal, and games that are over.
        Index(
            "game_lobby",
            "opened_at",
            postgresql_where=text(_status_in(GameStatus.OPEN, GameStatus.READY_CHECK)),
        ),
        Index(
            "game_over",
            text("coalesce(ended_at, opened_at)"),
            postgresql_where=text(_status_in(GameStatus.FINISHED, GameStatus.CANCELLED)),
        ),
        Index(
            "game_rematch",
            "rematch_of",
            unique=True,
            postgresql_where=text(f"rematch_of IS NOT NULL AND {_IS_NOT_CANCELLED}"),
        ),
        Index("game_club", "club_id", "status", postgresql_where=text("club_id IS NOT NULL")),
    )


def has_status(*statuses: GameStatus) -> ColumnElement[bool]:
    """Return the condition that a game has one of these statuses.

    Literal text instead of parameters: only then can a prepared statement use the partial indexes below.
    """
    return or_(*(Game.status == literal_column(f"'{status}'", Text) for status in statuses))


class Secret(Base):
    """The four secrets of a game, 32 bytes each; before the end only the deal reads them."""

    __tablename__ = "secret"

    game_id: Mapped[int] = mapped_column(ForeignKey("game.id"), primary_key=True)
    gold: Mapped[bytes]
    round_1: Mapped[bytes]
    round_2: Mapped[bytes]
    round_3: Mapped[bytes]
    commitments: Mapped[str]
    """Digests in hexadecimal, in the order of ``engine.commitments.SECRET_LABELS``, with spaces between."""


class Turn(Base):
    """The log, from which everything else follows. Rows are only ever appended.

    No foreign key: the statement that writes here has just changed the game's row, and would have to lock it again.
    """

    __tablename__ = "turn"

    # Kept for ever, one row a turn: so numbers are short, and columns in an order that needs no padding.
    game_id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    seq: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    at: Mapped[datetime]
    seat: Mapped[int | None] = mapped_column(SmallInteger)
    by: Mapped[str]
    action: Mapped[bytes | None]
    events: Mapped[bytes]
    head: Mapped[bytes]
    """The head of the chain of turns after this one."""

    __table_args__ = (
        # For statistics: rows lie on disk in this order, so a few bytes for each range of pages suffice.
        Index(
            "turn_at",
            "at",
            postgresql_using="brin",
            postgresql_with={"autosummarize": True, "pages_per_range": 32},
        ),
    )


class GameResult(Base):
    """What one seat of a finished game has won: a cache of the log, which the audit compares with it.

    Who sat there at the end is part of it. A bot has no account.
    """

    __tablename__ = "game_result"

    game_id: Mapped[int] = mapped_column(ForeignKey("game.id"), primary_key=True)
    seat: Mapped[int] = mapped_column(SmallInteger, primary_key=True)
    account_id: Mapped[int | None] = mapped_column(ForeignKey("account.id"), index=True)
    gold: Mapped[int] = mapped_column(SmallInteger)
    """Nuggets."""
    is_winner: Mapped[bool]
    digger_rounds: Mapped[int] = mapped_column(SmallInteger)
    saboteur_rounds: Mapped[int] = mapped_column(SmallInteger)


class SharedGame(Base):
    """The link of a finished game to its public page; a game without a row has no such page."""

    __tablename__ = "shared_game"

    game_id: Mapped[int] = mapped_column(ForeignKey("game.id"), primary_key=True)
    nonce: Mapped[bytes]
    """The nonce from which the token of the link is derived, so that the row alone lets no one in."""
    token_hash: Mapped[bytes] = mapped_column(unique=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("account.id"), index=True)
    """The player who created it."""
    shared_at: Mapped[datetime]


class Message(Base):
    """A message to the table. It is no part of the game: it never changes ``seq``, and neither engine nor bots see it.

    No foreign key to the game: a message sent with a turn is stored after its row has changed, and would have to lock it again.
    """

    __tablename__ = "message"

    game_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    """Counted from 1 in each game, so that it tells nothing of other tables."""
    account_id: Mapped[int] = mapped_column(ForeignKey("account.id"))
    seat: Mapped[int] = mapped_column(SmallInteger)
    name: Mapped[str]
    """The author's name at the table when they wrote it."""
    seq: Mapped[int]
    """The turn after which it was written: its place in the history."""
    text: Mapped[str]
    """Empty once its author has deleted it, or a moderator has removed it."""
    at: Mapped[datetime]
    edited_at: Mapped[datetime | None]
    deleted_at: Mapped[datetime | None]
    """When its author deleted it."""
    removed_at: Mapped[datetime | None]
    """When a moderator removed it; the ledger has the reason."""
    form_id: Mapped[str]
    """The id of the form that was sent; a second press of its button finds this row and does nothing."""

    __table_args__ = (
        CheckConstraint("length(text) <= 500", name="text"),
        CheckConstraint(
            "(text = '') = (deleted_at IS NOT NULL OR removed_at IS NOT NULL)", name="gone"
        ),
        Index("message_author", "account_id", "game_id"),
    )


class Note(Base):
    """What a person has written down about a game for themselves. Anyone who takes over their seat never sees it."""

    __tablename__ = "note"

    game_id: Mapped[int] = mapped_column(ForeignKey("game.id"), primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("account.id"), primary_key=True, index=True)
    text: Mapped[str]
    changed_at: Mapped[datetime]

    __table_args__ = (CheckConstraint("length(text) BETWEEN 1 AND 2000", name="text"),)


class Mark(Base):
    """A person trusts or suspects a player in a round; without a row, neither."""

    __tablename__ = "mark"

    game_id: Mapped[int] = mapped_column(ForeignKey("game.id"), primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("account.id"), primary_key=True, index=True)
    round: Mapped[int] = mapped_column(SmallInteger, primary_key=True, autoincrement=False)
    seat: Mapped[int] = mapped_column(SmallInteger, primary_key=True, autoincrement=False)
    """The seat of the player whom the mark is about."""
    suspicion: Mapped[str]
    changed_at: Mapped[datetime]

    __table_args__ = (CheckConstraint("suspicion IN ('trust', 'suspect')", name="suspicion"),)


class Vote(Base):
    """A proposal to all people who sit at a table; it is open until ``ended_at``."""

    __tablename__ = "vote"

    id: Mapped[int] = generated_id()
    game_id: Mapped[int] = mapped_column(ForeignKey("game.id"))
    kind: Mapped[str]
    seat: Mapped[int] = mapped_column(SmallInteger)
    """The seat of the player who proposed it."""
    round: Mapped[int] = mapped_column(SmallInteger)
    """The round under way when it was proposed."""
    opened_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    ended_at: Mapped[datetime | None]
    outcome: Mapped[str | None]
    pause_ends_at: Mapped[datetime | None]
    """When the pause that was agreed on ends by itself, until it has ended."""

    __table_args__ = (
        CheckConstraint("kind IN ('pause', 'resume', 'cancel', 'shorten')", name="kind"),
        CheckConstraint(
            "outcome IN ('passed', 'rejected', 'expired', 'outdated')",
            name="outcome",
        ),
        CheckConstraint("(ended_at IS NULL) = (outcome IS NULL)", name="ended"),
        Index("vote_open", "game_id", unique=True, postgresql_where=text("ended_at IS NULL")),
        Index("vote_game", "game_id", "id"),
        Index("vote_expires_at", "expires_at", postgresql_where=text("ended_at IS NULL")),
        Index(
            "vote_pause_ends_at",
            "pause_ends_at",
            postgresql_where=text("pause_ends_at IS NOT NULL"),
        ),
    )


class Ballot(Base):
    """A person who may vote, because they sat at the table when the vote was opened."""

    __tablename__ = "ballot"

    vote_id: Mapped[int] = mapped_column(ForeignKey("vote.id"), primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("account.id"), primary_key=True, index=True)
    is_yes: Mapped[bool | None]
    """None until they have answered."""
