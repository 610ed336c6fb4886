"""What only the host may do at a table before the deal. Every change needs the game locked.

A removed person may take a seat again, but only with a page that they open afterwards; a host who does not want that blocks them.
"""

from hmac import compare_digest

from webapp.accounts.person import Person
from webapp.kernel.bot_levels import USUAL_LEVEL, require_offered_level
from webapp.kernel.game_status import GameStatus
from webapp.kernel.keyring import Keyring, hash_of
from webapp.kernel.redacted import Redacted
from webapp.kernel.refusals import DenialReason, FieldErrors, NotAllowed, out_of_range
from webapp.kernel.tx import Tx
from webapp.lobby.queries import invitations, tables
from webapp.lobby.ready_check import (
    begin_ready_check_if_full,
    deal_if_all_ready,
    reload_game,
    require_before_deal,
    require_host,
)
from webapp.lobby.seats import free_seats
from webapp.mail.queries import outbox, pending_emails
from webapp.mail.queries.outbox import NewNotification
from webapp.play.access import LoadedGame
from webapp.play.bots.bots import bot_names
from webapp.play.queries.rows import SeatRow
from webapp.play.summaries import name_of, names_at


class RemovableSeat(Redacted, frozen=True, kw_only=True):
    """A seat that the host can free; ``form_token`` names who sits there, so that no form removes anyone else."""

    number: int
    name: str
    is_bot: bool
    form_token: str


class RemovalRequest(Redacted, frozen=True, kw_only=True):
    """What the form of a seat sends."""

    seat: int
    form_token: str


def fill_with_bots(
    tx: Tx,
    game: LoadedGame,
    host: Person,
    *,
    level: str = USUAL_LEVEL,
    salt: str = "",
) -> bool:
    """Give every free seat to a bot and mark the host as ready, with ``salt``; return whether the cards were dealt.

    Raises FieldErrors for a level that is not offered.
    """
    require_host(game, host)
    require_before_deal(game)
    require_offered_level(level)
    free_seat_numbers = [seat.number for seat in game.row.seats if seat.is_free]
    if not free_seat_numbers:
        raise NotAllowed(DenialReason.TABLE_FULL)
    if not any(seat.account_id for seat in game.row.seats):
        raise NotAllowed(DenialReason.NOT_SEATED)
    bots = list(zip(free_seat_numbers, bot_names(names_at(game.row)), strict=False))
    tables.seat_bots(tx, game.row.id, bots, level=level)
    _mark_host_ready(tx, game, host, salt.encode())
    filled_game = reload_game(tx, game)
    if deal_if_all_ready(tx, filled_game):
        return True
    begin_ready_check_if_full(tx, filled_game)
    return False


def _mark_host_ready(tx: Tx, game: LoadedGame, host: Person, salt: bytes) -> None:
    number = game.seat_of(host)
    if number is not None:
        tables.set_ready(tx, game.row.id, number, salt=salt)


def choose_starter(tx: Tx, game: LoadedGame, host: Person, *, seat: int | None) -> None:
    """Set who starts round one, None to draw (R6). A change asks everyone to confirm again."""
    require_host(game, host)
    require_before_deal(game)
    if seat is not None and not 0 <= seat < game.row.seat_count:
        raise FieldErrors(out_of_range("starter", 0, game.row.seat_count - 1))
    if seat == game.row.starter:
        return
    tables.set_starter(tx, game.row.id, seat)
    tables.reset_ready(tx, game.row.id)
    begin_ready_check_if_full(tx, reload_game(tx, game))


def removable_seats(
    game: LoadedGame, host: Person | None, keys: Keyring
) -> tuple[RemovableSeat, ...]:
    """Return the taken seats other than the host's own."""
    return tuple(
        RemovableSeat(
            number=seat.number,
            name=name_of(seat),
            is_bot=seat.is_bot,
            form_token=_removal_token(game, seat, keys),
        )
        for seat in game.row.seats
        if not seat.is_free and seat.number != game.seat_of(host)
    )


def remove_player(
    tx: Tx,
    game: LoadedGame,
    host: Person,
    request: RemovalRequest,
) -> None:
    """Free a seat of the locked table, email the person, and ask everyone to confirm again; a free seat stays free.

    Raises NotAllowed after the deal, for the host's own seat, and if someone else sits there than the form names.
    """
    require_host(game, host)
    require_before_deal(game)
    if not 0 <= request.seat < game.row.seat_count:
        raise FieldErrors(out_of_range("seat", 1, game.row.seat_count))
    seat = game.row.seats[request.seat]
    if seat.is_free:
        return
    if seat.number == game.seat_of(host):
        raise NotAllowed(DenialReason.REMOVES_HOST)
    if not compare_digest(
        hash_of(request.form_token), hash_of(_removal_token(game, seat, tx.keys))
    ):
        raise NotAllowed(DenialReason.SEATS_CHANGED)
    free_seats(tx, game.row.id, [seat])
    if seat.account_id is not None:
        tables.count_removal(tx, game.row.id)
        _queue_removal_email(tx, game.row.id, seat.account_id)


def _removal_token(game: LoadedGame, seat: SeatRow, keys: Keyring) -> str:
    removals = game.row.removal_count
    parts = (game.slug, removals, seat.number, seat.account_id, seat.bot_name)
    return keys.token("sits there", *parts)


def _queue_removal_email(tx: Tx, game_id: int, account_id: int) -> None:
    number = pending_emails.last_dedup_key(tx, game_id, "player-removed") + 1
    email = NewNotification(
        kind="player-removed",
        game_id=game_id,
        account_id=account_id,
        dedup_key=number,
        due_at=tx.now,
    )
    outbox.enqueue(tx, [email])


def cancel_table(tx: Tx, game: LoadedGame, host: Person) -> None:
    """Cancel the table before the deal, and email everyone who has a seat or an invitation; its secrets are shown now."""
    require_host(game, host)
    require_before_deal(game)
    tables.set_status(tx, game.row.id, GameStatus.CANCELLED, ended_at=tx.now)
    outbox.enqueue(tx, _cancellation_emails(tx, game, host))


def _cancellation_emails(tx: Tx, game: LoadedGame, host: Person) -> list[NewNotification]:
    """Return the emails to the others at the table, and to the addresses that got an invitation that no one has used."""
    row = game.row
    seated_account_ids = {seat.account_id for seat in row.seats} - {None, host.id}
    emails_to_seated = [
        _cancellation_email(tx, row.id, account_id=account_id) for account_id in seated_account_ids
    ]
    return [*emails_to_seated, *cancellation_emails_to_invited(tx, row.id)]


def cancellation_emails_to_invited(tx: Tx, game_id: int) -> tuple[NewNotification, ...]:
    """Return the emails to the addresses that got an invitation to the table that no one has used."""
    return tuple(
        _cancellation_email(tx, game_id, invitation_id=invitation_id)
        for invitation_id in invitations.unanswered_emailed_invitations(tx, game_id)
    )


def _cancellation_email(
    tx: Tx, game_id: int, *, account_id: int | None = None, invitation_id: int = 0
) -> NewNotification:
    return NewNotification(
        kind="table-cancelled",
        game_id=game_id,
        account_id=account_id,
        dedup_key=invitation_id,
        due_at=tx.now,
    )
