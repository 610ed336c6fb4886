"""The outbox at work: letters claimed, looked at once more, kept, and settled.

``claim`` and commit; ``prepare_emails`` and commit; compose; ``keep`` and commit; send; ``accepted`` and commit. Whoever dies in
between leaves a lease that runs out, and the next one sends the same bytes under the same Message-ID.
"""

import logging
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Final

import msgspec

from webapp.services.email_kinds import NotificationKind
from webapp.services.keys import Keyring
from webapp.services.notifications.email_builders import (
    Occasion,
    Superseded,
    email_context_for,
    message_id_of,
)
from webapp.services.notifications.email_context import EmailContext
from webapp.services.notifications.unsubscribe import tokens_for
from webapp.services.play.access import load_game
from webapp.services.tx import Tx
from webapp.store.notifications import claimed, opt_outs, outbox
from webapp.store.notifications.claimed import ClaimedNotification
from webapp.store.notifications.outbox import ClaimRow
from webapp.store.play import games, turn_log
from webapp.store.play.rows import GameRow
from webapp.store.play.turn_log import TurnsWanted
from webapp.store.play.turns import TurnRow

LEASE: Final = timedelta(minutes=3)
"""More than twice as long as handing a letter over may take; what a dead worker held waits as long."""
PATIENCE: Final = timedelta(days=5)
"""How long a letter that is refused is tried again before it is given up (RFC 5321 4.5.4.1)."""
_FIRST_PAUSE: Final = timedelta(seconds=30)
_LONGEST_PAUSE: Final = timedelta(hours=1)
_OFTEN_ENOUGH: Final = 7
"""How many times the first pause is doubled until it is as long as the longest."""
_log = logging.getLogger(__name__)
_NO_NEWS_OF_OLD: Final = 1 << 40


class Claim(msgspec.Struct, frozen=True, kw_only=True):
    """A letter that is ours until ``lease_until``."""

    id: int
    kind: NotificationKind
    attempts: int
    lease_until: datetime


class OutgoingEmail(msgspec.Struct, frozen=True, kw_only=True):
    """A letter to be sent: ``digest`` still to be composed, or ``message`` as it was composed at the first claim."""

    claim: Claim
    address: str
    message_id: str
    digest: EmailContext | None
    message: bytes | None

    def __repr__(self) -> str:
        return f"<Outgoing {self.claim.id}>"


def claim(
    tx: Tx, *, now: datetime, limit: int = 100, lease: timedelta = LEASE
) -> tuple[Claim, ...]:
    """Take letters that are due, for as long as the lease."""
    rows = outbox.claim(tx.connection, now=now, lease_until=now + lease, limit=limit)
    return tuple(
        Claim(
            id=row.id,
            kind=row.kind,  # type: ignore[arg-type] # nothing else is ever written there
            attempts=row.attempts,
            lease_until=row.lease_until,
        )
        for row in rows
    )


def prepare_emails(
    tx: Tx, claims: Sequence[Claim], *, keys: Keyring, now: datetime
) -> tuple[OutgoingEmail, ...]:
    """Look at the games once more: what is no longer true is dropped here with its reason, the rest is to be sent."""
    by_id = {claim.id: claim for claim in claims}
    rows = claimed.read(tx.connection, list(by_id)) if claims else ()
    outgoing: list[OutgoingEmail] = []
    dropped: dict[int, str] = {}
    for row, prepare in _prepared(tx, rows, keys=keys, now=now):
        try:
            outgoing.append(_outgoing(by_id[row.id], prepare()))
        except Superseded as why:
            dropped[row.id] = why.reason
        except Exception:  # noqa: BLE001 - whatever it is, the other letters must go out
            _log.exception("Letter %s cannot be written.", row.id)
            postpone(tx, by_id[row.id], code="unwritable", now=now)
    rows_dropped = [(_row(by_id[number]), reason) for number, reason in dropped.items()]
    outbox.drop(tx.connection, rows_dropped, now=now)
    _remember_tokens(tx, [row for row in rows if row.id not in dropped], keys)
    return tuple(outgoing)


def keep(tx: Tx, rendered: Sequence[tuple[OutgoingEmail, bytes]]) -> frozenset[int]:
    """Store the bytes of letters composed for the first time, before they are sent.

    Gives the ids that are still ours: of the others the lease ran out, and somebody else sends them.
    """
    if not rendered:
        return frozenset()
    rows = [(_row(out.claim), out.message_id, message) for out, message in rendered]
    return outbox.keep(tx.connection, rows)


def accepted(tx: Tx, claims: Sequence[Claim], *, now: datetime) -> None:
    """The relay took responsibility for these letters; their bytes are erased."""
    if claims:
        outbox.mark_sent(tx.connection, [claim.id for claim in claims], now=now)


def postpone(tx: Tx, claim: Claim, *, code: str, now: datetime) -> None:
    """This letter is refused for now: later again, ever less often, and a dead letter in the end.

    The patience begins with the first attempt, so that a letter owed while nothing ran has all of it. The number of
    attempts tells how long it has lasted at least, for every pause between two of them is known.
    """
    if _tried_for(claim.attempts) >= PATIENCE:
        give_up(tx, claim, code=code, now=now)
        return
    due_at = now + _pause_after(claim.attempts)
    outbox.postpone(tx.connection, _row(claim), attempts=claim.attempts, due_at=due_at, reason=code)


def wait(tx: Tx, claim: Claim, *, code: str, now: datetime) -> None:
    """Nothing gets through at all: later again, ever less often, for as long as the letter is true.

    That is the operator's trouble. Once the pauses are at their longest such an attempt is not counted, or the first
    refusal after a long outage would be the last.
    """
    counted = claim.attempts - (_pause_after(claim.attempts - 1) == _LONGEST_PAUSE)
    due_at = now + _pause_after(claim.attempts)
    outbox.postpone(tx.connection, _row(claim), attempts=counted, due_at=due_at, reason=code)


def give_up(tx: Tx, claim: Claim, *, code: str, now: datetime) -> None:
    """The relay will never take it: a dead letter."""
    outbox.mark_dead(tx.connection, _row(claim), reason=code, now=now)


def release(tx: Tx, claims: Sequence[Claim]) -> None:
    """Give back letters that were claimed and not tried."""
    for claim in claims:
        outbox.release(tx.connection, _row(claim))


def _pause_after(attempts: int) -> timedelta:
    doubled = min(max(attempts, 1) - 1, _OFTEN_ENOUGH)
    return min(_FIRST_PAUSE * (1 << doubled), _LONGEST_PAUSE)


def _tried_for(attempts: int) -> timedelta:
    """How long ago the first of so many attempts was, at least."""
    return sum(map(_pause_after, range(1, attempts)), timedelta())


def _row(claim: Claim) -> ClaimRow:
    return ClaimRow(claim.id, claim.kind, claim.attempts, claim.lease_until)


def _prepared(
    tx: Tx, rows: Sequence[ClaimedNotification], *, keys: Keyring, now: datetime
) -> Iterator[tuple[ClaimedNotification, Callable[[], Occasion]]]:
    """Every letter, with what makes its occasion of the game as it stands and the news of its recipient."""
    ids = sorted({row.game_id for row in rows if row.game_id is not None})
    tables = games.find_many(tx.connection, ids) if ids else {}
    news = _news(tx, rows, tables)
    for row in rows:
        table = tables.get(row.game_id or 0)
        yield row, partial(_occasion, tx, row, table, news=news.get(row.id, ()), keys=keys, now=now)


def _occasion(
    tx: Tx,
    letter: ClaimedNotification,
    table: GameRow | None,
    *,
    news: Sequence[TurnRow],
    keys: Keyring,
    now: datetime,
) -> Occasion:
    game = None if table is None else load_game(tx, table)
    return Occasion(letter=letter, game=game, news=news, keys=keys, now=now)


def _news(
    tx: Tx, rows: Sequence[ClaimedNotification], tables: dict[int, GameRow]
) -> dict[int, list[TurnRow]]:
    """What happened in each letter's game since its recipient last acted there."""
    asked = {row.id: ask for row in rows if (ask := _asked(row, tables))}
    if not asked:
        return {}
    return dict(zip(asked, turn_log.recent_turns(tx.connection, list(asked.values())), strict=True))


def _asked(row: ClaimedNotification, tables: dict[int, GameRow]) -> TurnsWanted | None:
    game = tables.get(row.game_id or 0)
    if game is None or row.seq is None:
        return None
    seat = game.seat_of(row.account_id)
    return None if seat is None else TurnsWanted(game.id, seat.number, _NO_NEWS_OF_OLD)


def _outgoing(claim: Claim, occasion: Occasion) -> OutgoingEmail:
    letter, digest = occasion.letter, email_context_for(occasion)
    return OutgoingEmail(
        claim=claim,
        address=letter.address,
        message_id=letter.message_id or message_id_of(letter, occasion.keys),
        digest=None if letter.message is not None else digest,
        message=letter.message,
    )


def _remember_tokens(tx: Tx, rows: Sequence[ClaimedNotification], keys: Keyring) -> None:
    tokens = {token.token_hash: token for row in rows for token in tokens_for(row, keys)[1]}
    opt_outs.remember(tx.connection, list(tokens.values()))
