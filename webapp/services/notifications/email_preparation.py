"""Re-reads what claimed notifications are about, and decides which of their emails still apply."""

import logging
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Final

import msgspec

from webapp.logs.events import event_fields
from webapp.logs.request_id import request_id_in_logs
from webapp.services.keys import Keyring
from webapp.services.lobby.volunteers import seats_to_email
from webapp.services.notifications.delivery import (
    Claim,
    drop_superseded,
    postpone,
    postpone_for_recipients,
)
from webapp.services.notifications.email_builders import email_context_for
from webapp.services.notifications.email_context import EmailContext
from webapp.services.notifications.email_sources import (
    EmailSource,
    Superseded,
    message_id_of,
)
from webapp.services.notifications.present_readers import DEFAULT_EMAIL_WAIT, wait_for_reader
from webapp.services.notifications.quiet_emails import quiet_end_for
from webapp.services.notifications.unsubscribe import tokens_for
from webapp.services.play.access import load_game
from webapp.services.tx import Tx
from webapp.store.lobby.open_seats import OpenSeatRow
from webapp.store.moderation import reports, sanctions
from webapp.store.notifications import claimed_notifications, opt_outs
from webapp.store.notifications.claimed_notifications import ClaimedNotification
from webapp.store.play import games, messages, turn_log
from webapp.store.play.turn_log import TurnRequest
from webapp.store.play.turns import TurnRow

_SEQ_AFTER_EVERY_TURN: Final = 1 << 40
_SEQ_BEFORE_EVERY_TURN: Final = -1
_KINDS_WITH_TALK: Final = frozenset({"your-turn", "reminder", "nudge", "round-over", "game-over"})
_log = logging.getLogger(__name__)


class OutgoingEmail(msgspec.Struct, frozen=True, kw_only=True):
    """An email to be sent: ``context`` is still to be composed, or ``message`` was composed at an earlier claim."""

    claim: Claim
    address: str
    message_id: str
    context: EmailContext | None
    message: bytes | None

    def __repr__(self) -> str:
        return f"<OutgoingEmail {self.claim.id}>"


def prepare_emails(
    tx: Tx,
    claims: Sequence[Claim],
    *,
    keys: Keyring,
    now: datetime,
    email_wait: timedelta = DEFAULT_EMAIL_WAIT,
) -> tuple[OutgoingEmail, ...]:
    """Return the emails that still apply and need not wait for the end of quiet hours, or for readers to leave the site.

    Drop the superseded ones with their reasons, and postpone the others.
    """
    claims_by_id = {claim.id: claim for claim in claims}
    rows = claimed_notifications.read(tx.connection, list(claims_by_id)) if claims else ()
    batch = _EmailBatch(tx, rows, keys=keys, now=now)
    outgoing_emails: list[OutgoingEmail] = []
    drop_reasons: dict[int, str] = {}
    postponed_claims: list[tuple[Claim, datetime]] = []
    for row in rows:
        try:
            source = batch.source_of(row)
            email = _outgoing_email(claims_by_id[row.id], source)
            if waits_until := quiet_end_for(source) or wait_for_reader(source, email_wait):
                postponed_claims.append((email.claim, waits_until))
            else:
                outgoing_emails.append(email)
        except Superseded as reason:
            drop_reasons[row.id] = reason.reason
        except Exception:  # noqa: BLE001 - whatever it is, the other emails must be sent
            _log_failure(claims_by_id[row.id])
            postpone(tx, claims_by_id[row.id], code="preparing failed", now=now)
    drop_superseded(
        tx, [(claims_by_id[number], reason) for number, reason in drop_reasons.items()], now=now
    )
    postpone_for_recipients(tx, postponed_claims)
    outgoing_ids = {email.claim.id for email in outgoing_emails}
    _store_tokens(tx, [row for row in rows if row.id in outgoing_ids], keys)
    return tuple(outgoing_emails)


def _log_failure(claim: Claim) -> None:
    with request_id_in_logs(claim.request_id):
        _log.exception(
            "Email %s cannot be prepared.",
            claim.id,
            extra=event_fields("email-not-composed", email=claim.id, kind=claim.kind),
        )


class _EmailBatch:
    """The games of a batch of notifications and their recipients' news, read with one statement each."""

    def __init__(
        self, tx: Tx, rows: Sequence[ClaimedNotification], *, keys: Keyring, now: datetime
    ) -> None:
        self._tx = tx
        self._keys = keys
        self._now = now
        ids = sorted({row.game_id for row in rows if row.game_id is not None})
        self._games_by_id = games.find_many(tx.connection, ids) if ids else {}
        self._new_turns_by_id = self._read_new_turns(rows)
        self._whole_logs_by_id: dict[int, Sequence[TurnRow]] = {}
        self._messages_by_reader = messages.latest_messages_at(tx.connection, _readers_of(rows))
        self._sanctions_by_id = sanctions.find_many(
            tx.connection, _dedup_keys_of(rows, {"warning", "ban"})
        )
        self._reports_by_id = reports.find_many(
            tx.connection, _dedup_keys_of(rows, {"report-decided"})
        )

    def source_of(self, row: ClaimedNotification) -> EmailSource:
        """Return what the email of one notification is built from. Fails if its game cannot be decoded."""
        game = self._games_by_id.get(row.game_id or 0)
        return EmailSource(
            notification=row,
            game=None if game is None else load_game(self._tx, game),
            new_turns=self._new_turns_by_id.get(row.id, ()),
            keys=self._keys,
            now=self._now,
            whole_log=self._whole_log_for(row),
            sanction=self._sanctions_by_id.get(row.dedup_key),
            report=self._reports_by_id.get(row.dedup_key),
            messages=self._messages_by_reader.get((row.game_id or 0, row.account_id or 0), ()),
            open_seats=self._open_seats_for(row),
        )

    def _whole_log_for(self, row: ClaimedNotification) -> Sequence[TurnRow]:
        """Return all turns of a game whose end the email is about, read once for all its players."""
        if row.kind != "game-over" or row.game_id is None:
            return ()
        if row.game_id not in self._whole_logs_by_id:
            self._whole_logs_by_id[row.game_id] = turn_log.all_turns(
                self._tx.connection, row.game_id
            )
        return self._whole_logs_by_id[row.game_id]

    def _open_seats_for(self, row: ClaimedNotification) -> tuple[OpenSeatRow, ...] | None:
        if row.kind != "open-seats" or row.account_id is None:
            return None
        return seats_to_email(self._tx, row.account_id, now=self._now)

    def _read_new_turns(self, rows: Sequence[ClaimedNotification]) -> dict[int, list[TurnRow]]:
        """Return, by notification, the turns in its game since the recipient last acted there."""
        request_by_notification = {
            row.id: turn_request for row in rows if (turn_request := self._turn_request_of(row))
        }
        if not request_by_notification:
            return {}
        new_turns = turn_log.recent_turns(
            self._tx.connection, list(request_by_notification.values())
        )
        return dict(zip(request_by_notification, new_turns, strict=True))

    def _turn_request_of(self, row: ClaimedNotification) -> TurnRequest | None:
        game = self._games_by_id.get(row.game_id or 0)
        if game is None or row.seq is None:
            return None
        seat = game.seat_of(row.account_id)
        after_seq = _SEQ_BEFORE_EVERY_TURN if row.kind == "briefing" else _SEQ_AFTER_EVERY_TURN
        return None if seat is None else TurnRequest(game.id, seat.number, after_seq)


def _dedup_keys_of(rows: Sequence[ClaimedNotification], kinds: Collection[str]) -> list[int]:
    """Return what the emails of these kinds are about; there are none in most batches."""
    return [row.dedup_key for row in rows if row.kind in kinds]


def _readers_of(rows: Sequence[ClaimedNotification]) -> set[tuple[int, int]]:
    """Return the games and recipients of the emails that bring table talk."""
    return {
        (row.game_id, row.account_id)
        for row in rows
        if row.kind in _KINDS_WITH_TALK and row.game_id is not None and row.account_id is not None
    }


def _outgoing_email(claim: Claim, source: EmailSource) -> OutgoingEmail:
    notification, context = source.notification, email_context_for(source)
    return OutgoingEmail(
        claim=claim,
        address=notification.address,
        message_id=notification.message_id or message_id_of(notification, source.keys),
        context=None if notification.message is not None else context,
        message=notification.message,
    )


def _store_tokens(tx: Tx, rows: Sequence[ClaimedNotification], keys: Keyring) -> None:
    tokens = {token.token_hash: token for row in rows for token in tokens_for(row, keys)[1]}
    opt_outs.store_tokens(tx.connection, list(tokens.values()))
