"""Volunteers: who wants an email when a seat opens, and who is informed of which open seat.

Housekeeping looks for open seats of which few have been informed, and queues one email for each of the volunteers who were informed
longest ago. What an email lists is decided when it is sent: all seats that its recipient may take then. It leaves out tables with
a player who has blocked the recipient, or whom the recipient has blocked. Each game is one transaction, which locks it before
the accounts.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from webapp.accounts.person import Person
from webapp.clock.reliability import reliability_by_account
from webapp.kernel.tx import Tx
from webapp.lobby.queries import open_seats
from webapp.lobby.queries.open_seats import GameLimits, Opening, OpenSeatRow
from webapp.lobby.seats import MAX_GAMES_OF_NEWCOMER, has_room_for_game
from webapp.mail.queries import outbox
from webapp.mail.queries.outbox import NewNotification
from webapp.mail.queries.pending_emails import day_number
from webapp.site.current_settings import limit_of

MAX_INFORMED_VOLUNTEERS: Final = 10
"""The largest number of people who are sent an email because of one open seat."""
ANNOUNCED_FOR: Final = timedelta(days=14)
"""The time after the opening of a seat for which people are informed of it."""
MAX_EMAILED_SEATS: Final = 20
_MAX_GAMES_PER_RUN: Final = 200
_MAX_CANDIDATES: Final = 500
_BATCH_SIZE: Final = 50


def is_volunteer(tx: Tx, person: Person) -> bool:
    """Return whether the person wants emails about open seats."""
    return open_seats.is_volunteer(tx, person.id)


def change_volunteer(tx: Tx, person: Person, *, wants_open_seats: bool) -> None:
    """Store whether the person wants emails about open seats."""
    open_seats.change_volunteer(tx, person.id, wants_open_seats=wants_open_seats)


def games_to_announce(tx: Tx) -> tuple[int, ...]:
    """Return the games with open seats of which more volunteers may be informed."""
    return open_seats.games_to_announce(
        tx,
        opened_after=tx.now - ANNOUNCED_FOR,
        max_informed=MAX_INFORMED_VOLUNTEERS,
        limit=_MAX_GAMES_PER_RUN,
    )


def inform_volunteers(tx: Tx, game_id: int) -> int:
    """Queue emails to volunteers about the open seat of a game, unless it was taken or the game is locked; return to how many."""
    opening = open_seats.lock_opening(
        tx,
        game_id,
        opened_after=tx.now - ANNOUNCED_FOR,
        max_informed=MAX_INFORMED_VOLUNTEERS,
    )
    if opening is None:
        return 0
    account_ids = _uninformed_volunteers(tx, opening)
    if not account_ids:
        return 0
    open_seats.mark_informed(tx, game_id, account_ids)
    emails = [
        NewNotification(
            kind="open-seats",
            game_id=None,
            seq=day_number(tx.now),
            account_id=account_id,
            dedup_key=game_id,
            due_at=tx.now,
        )
        for account_id in account_ids
    ]
    outbox.enqueue(tx, emails)
    return len(account_ids)


def seats_to_email(tx: Tx, account_id: int) -> tuple[OpenSeatRow, ...] | None:
    """Return the open seats that a person may take now, the longest open first; None if they want no such emails any more."""
    if not open_seats.is_volunteer(tx, account_id):
        return None
    if not has_room_for_game(tx, account_id):
        return ()
    rows = open_seats.open_seats_for_volunteer(tx, account_id, limit=MAX_EMAILED_SEATS)
    lowest_reliability = max((row.lowest_reliability for row in rows), default=0)
    if _reliable_accounts(tx, (account_id,), lowest_reliability):
        return rows
    return tuple(
        row for row in rows if _reliable_accounts(tx, (account_id,), row.lowest_reliability)
    )


def _uninformed_volunteers(tx: Tx, opening: Opening) -> tuple[int, ...]:
    """Return, and lock, the volunteers to be informed of an open seat, those who were informed longest ago first."""
    limits = GameLimits(max_of_newcomer=MAX_GAMES_OF_NEWCOMER, max_games=limit_of(tx, "most_games"))
    candidates = open_seats.uninformed_volunteers(tx, opening, limits, limit=_MAX_CANDIDATES)
    missing_count = MAX_INFORMED_VOLUNTEERS - opening.informed_volunteers
    account_ids: list[int] = []
    for start in range(0, len(candidates), _BATCH_SIZE):
        batch = candidates[start : start + _BATCH_SIZE]
        account_ids += _reliable_accounts(tx, batch, opening.lowest_reliability)
        if len(account_ids) >= missing_count:
            break
    return open_seats.lock_uninformed(tx, opening, account_ids[:missing_count])


def _reliable_accounts(
    tx: Tx, account_ids: Sequence[int], lowest_reliability: int
) -> tuple[int, ...]:
    """Return the accounts that are as reliable as a table asks, in their order; new players are."""
    if not lowest_reliability:
        return tuple(account_ids)
    reliability = reliability_by_account(tx, set(account_ids))
    percents = ((account_id, reliability[account_id].percent) for account_id in account_ids)
    return tuple(
        account_id
        for account_id, percent in percents
        if percent is None or percent >= lowest_reliability
    )
