"""The host removes a person or a bot from a table before the deal: the seat is free, and the person gets an email.

The person may take a seat again, but only with a page that they open afterwards; a host who does not want that blocks them.
"""

from hmac import compare_digest

from webapp.services.accounts.person import Person
from webapp.services.errors import DenialReason, FieldErrors, NotAllowed, out_of_range
from webapp.services.keys import Keyring, hash_of
from webapp.services.lobby.freed_seats import free_seats
from webapp.services.lobby.permissions import require_before_deal, require_host
from webapp.services.play.access import LoadedGame
from webapp.services.play.summaries import name_of
from webapp.services.tx import Tx
from webapp.store.lobby import tables
from webapp.store.notifications import outbox, pending_emails
from webapp.store.notifications.outbox import NewNotification
from webapp.store.play.rows import SeatRow
from webapp.store.redacted import Redacted


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


def removable_seats(
    game: LoadedGame, host: Person | None, keys: Keyring
) -> tuple[RemovableSeat, ...]:
    """Return the taken seats other than the host's own."""
    return tuple(
        RemovableSeat(
            number=seat.number,
            name=name_of(seat),
            is_bot=seat.is_bot,
            form_token=_form_token(game, seat, keys),
        )
        for seat in game.row.seats
        if not seat.is_free and seat.number != game.seat_of(host)
    )


def remove_player(
    tx: Tx,
    game: LoadedGame,
    host: Person,
    request: RemovalRequest,
    *,
    keys: Keyring,
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
    if not compare_digest(hash_of(request.form_token), hash_of(_form_token(game, seat, keys))):
        raise NotAllowed(DenialReason.SEATS_CHANGED)
    free_seats(tx, game.row.id, [seat])
    if seat.account_id is not None:
        tables.count_removal(tx.connection, game.row.id)
        _queue_email(tx, game.row.id, seat.account_id)


def _form_token(game: LoadedGame, seat: SeatRow, keys: Keyring) -> str:
    removals = game.row.removal_count
    parts = (game.slug, removals, seat.number, seat.account_id, seat.bot_name)
    return keys.token("sits there", *parts)


def _queue_email(tx: Tx, game_id: int, account_id: int) -> None:
    number = pending_emails.last_dedup_key(tx.connection, game_id, "player-removed") + 1
    email = NewNotification(
        kind="player-removed",
        game_id=game_id,
        account_id=account_id,
        dedup_key=number,
        due_at=tx.now,
    )
    outbox.enqueue(tx.connection, [email])
    tx.nudges.add("emails")
