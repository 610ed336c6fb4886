"""Changes of a game besides its clock and its seats: its position, its end, its host, reminders and messages.

They plan only; ``require_nudgeable`` checks the conditions for a nudge by a player; they do not bind moderators.
"""

from datetime import timedelta
from typing import Final

from webapp.clock.queries import deadline_events
from webapp.clock.queries.deadline_events import GameEvent
from webapp.clock.turn import ClockChange
from webapp.kernel.game_status import GameStatus
from webapp.kernel.public_acts import PublicFacts
from webapp.kernel.refusals import (
    DenialReason,
    FieldError,
    FieldErrors,
    LimitReached,
    NotAllowed,
    StaleTurn,
    out_of_range,
)
from webapp.kernel.tx import Tx
from webapp.mail.queries import pending_emails
from webapp.mail.queries.pending_emails import GameEmail
from webapp.play.access import GameAccess
from webapp.play.changes.public_change import (
    ChangeSource,
    EarlierPosition,
    EmailSentAgain,
    ExistingAccount,
    GameValues,
    LastRound,
    NeutralTurn,
    PlannedChange,
    PublicChange,
    RecordedChange,
    account_on_turn,
    require_status,
)
from webapp.play.queries.clocks import ClockUpdate
from webapp.play.queries.rows import GameRow

NUDGE_INTERVAL: Final = timedelta(days=1)
"""The least time between two reminders that moderators or players send to a player."""
_KINDS_ABOUT_A_TURN: Final = frozenset({"your-turn", "reminder", "nudge"})
_KINDS_BEFORE_THE_DEAL: Final = frozenset({"invitation", "ready-check"})


def play_neutral(source: ChangeSource) -> PlannedChange:
    """Play for the seat on turn what the clock would play at the deadline."""
    row = source.game.row
    require_status(row, GameStatus.RUNNING)
    seat = row.awaiting
    assert seat is not None

    change = PublicChange(
        seat=seat,
        account_id=account_on_turn(row),
        before=PublicFacts(turn=row.seq),
        after=PublicFacts(turn=row.seq + 1),
    )
    return PlannedChange(change=change, values=(NeutralTurn(seat),))


def rewind(source: ChangeSource, to_turn: int | None) -> PlannedChange:
    """Return to the position after an earlier turn, with the strikes, time banks and absences of then. The log keeps every turn, and a pause."""
    game = source.game
    require_status(game.row, GameStatus.RUNNING, GameStatus.PAUSED)
    if to_turn is None:
        raise FieldErrors(FieldError("turn", "required"))
    if not 0 <= to_turn < game.seq:
        raise NotAllowed(DenialReason.NO_EARLIER_TURN)

    change = PublicChange(
        before=PublicFacts(turn=game.seq),
        after=PublicFacts(turn=to_turn),
    )
    return PlannedChange(change=change, values=(EarlierPosition(to_turn),))


def shorten(source: ChangeSource) -> PlannedChange:
    """Let the game end after the round under way, as all players have agreed; the turn under way continues."""
    game = source.game
    require_status(game.row, GameStatus.RUNNING, GameStatus.PAUSED)

    change = PublicChange(before=PublicFacts(turn=game.seq), after=PublicFacts(turn=game.seq + 1))
    return PlannedChange(change=change, values=(LastRound(),))


def cancel(source: ChangeSource) -> PlannedChange:
    """End the game without a winner; from now on nothing about it is secret."""
    row = source.game.row
    if row.status.is_over:
        raise NotAllowed(DenialReason.GAME_NOT_UNDER_WAY)

    values = {"ended_at": source.tx.now, "plans": None}
    clock = ClockUpdate(row, ClockChange(row.clock.cancel()), GameStatus.CANCELLED)
    change = PublicChange(before=PublicFacts(turn=row.seq))
    return PlannedChange(change=change, values=(GameValues(values), clock))


def nudge(source: ChangeSource) -> PlannedChange:
    """Send the player on turn another reminder."""
    row = source.game.row
    require_status(row, GameStatus.RUNNING)
    account_id = account_on_turn(row)
    if account_id is None:
        raise NotAllowed(DenialReason.NO_ONE_TO_NUDGE)
    is_player = row.seat_of(source.actor.id) is not None
    event = GameEvent(
        game_id=row.id,
        turn_seq=row.turn_seq,
        at=source.tx.now,
        kind="nudged",
        by="player" if is_player else source.by,
        seat=row.awaiting,
        account_id=account_id,
        deadline_at=row.deadline_at,
    )

    change = PublicChange(seat=row.awaiting, account_id=account_id)
    return PlannedChange(change=change, values=(event,))


def require_nudgeable(tx: Tx, access: GameAccess, *, turn_seq: int) -> None:
    """Refuse to remind the player whose turn began at ``turn_seq``, in a locked game.

    Raises NotAllowed for onlookers, for their own turn and within a day after an earlier turn, and StaleTurn. The act
    itself refuses bots, open seats and a second nudge in this turn.
    """
    row = access.game.row
    if access.person is None or access.seat is None:
        raise NotAllowed(DenialReason.NOT_SEATED)
    if row.turn_seq != turn_seq:
        raise StaleTurn(row.seq)
    if row.awaiting is None or row.awaiting == access.seat:
        raise NotAllowed(DenialReason.NO_ONE_TO_NUDGE)
    _require_no_nudge_in_earlier_turn(tx, row, row.awaiting)


def announce_to_table(_source: ChangeSource) -> PlannedChange:
    """Say something to everyone at the table: the reason of the act is the message."""
    return PlannedChange(change=PublicChange())


def hand_over_table(source: ChangeSource, seat: int) -> PlannedChange:
    """Make the person in a seat the host; the table keeps its name."""
    row = source.game.row
    if not 0 <= seat < len(row.seats):
        raise FieldErrors(out_of_range("seat", 1, len(row.seats)))
    account_id = row.seats[seat].account_id
    if account_id is None:
        raise NotAllowed(DenialReason.NO_PERSON_HOLDS_SEAT)
    return make_host(row, account_id)


def hand_table_back(source: ChangeSource, recorded_change: RecordedChange) -> PlannedChange:
    """Make the person the host again who was it before, unless someone else has become it meanwhile."""
    row, former_host_id = source.game.row, recorded_change.before.account_id
    if former_host_id is None or row.host_id != recorded_change.after.account_id:
        raise NotAllowed(DenialReason.CANNOT_BE_UNDONE)
    return make_host(row, former_host_id)


def make_host(row: GameRow, account_id: int, *, host_name: str | None = None) -> PlannedChange:
    """Make this account the host of the table, which keeps its name unless another one is given."""
    if row.host_id == account_id:
        raise NotAllowed(DenialReason.ALREADY_HOST)
    seat = row.seat_of(account_id)

    # A deletion of someone who sits here waits for the game, and then hands it over itself: waiting for it would deadlock.
    required_accounts = (
        [ExistingAccount(account_id, DenialReason.NO_PERSON_HOLDS_SEAT)] if seat is None else []
    )
    values = {"host_id": account_id} | ({"host_name": host_name} if host_name else {})
    change = PublicChange(
        seat=None if seat is None else seat.number,
        account_id=account_id,
        before=PublicFacts(account_id=row.host_id),
        after=PublicFacts(account_id=account_id),
    )
    return PlannedChange(change=change, values=(*required_accounts, GameValues(values)))


def resend_email(source: ChangeSource, email_id: int | None) -> PlannedChange:
    """Send an email again that was given up, or try one now that waits; whether it still applies is checked again when it is sent."""
    row = source.game.row
    if email_id is None:
        raise FieldErrors(FieldError("email", "required"))
    email = pending_emails.find_of_game(source.tx, row.id, email_id)
    # Whether an offer of a seat was delivered would tell about its recipient.
    if email is None or email.kind == "seat-offer":
        raise FieldErrors(FieldError("email", "unknown"))
    if email.status == "dropped" or _is_email_superseded(email, row):
        raise NotAllowed(DenialReason.EMAIL_SUPERSEDED)
    if email.status != "failed" and not email.is_waiting:
        raise NotAllowed(DenialReason.EMAIL_NOT_FAILED)

    seat = row.seat_of(email.account_id)
    change = PublicChange(seat=None if seat is None else seat.number, account_id=email.account_id)
    return PlannedChange(change=change, values=(EmailSentAgain(email_id, email),))


def _is_email_superseded(email: GameEmail, row: GameRow) -> bool:
    if email.kind in _KINDS_ABOUT_A_TURN:
        return email.seq != row.turn_seq
    return email.kind in _KINDS_BEFORE_THE_DEAL and not row.status.is_before_deal


def _require_no_nudge_in_earlier_turn(tx: Tx, row: GameRow, seat: int) -> None:
    """Refuse a second nudge of a seat within a day whose turn has come again. Raises LimitReached."""
    nudged_at = deadline_events.last_nudged_at(
        tx, row.id, seat, account_id=row.seats[seat].account_id, before_seq=row.turn_seq
    )
    if nudged_at is not None and nudged_at > tx.now - NUDGE_INTERVAL:
        raise LimitReached(
            DenialReason.NUDGED_TODAY, limit=1, possible_at=nudged_at + NUDGE_INTERVAL
        )
