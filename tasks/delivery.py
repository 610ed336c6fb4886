"""Delivers emails: claimed; prepared, composed and stored; drawn and sent; settled. Each of these steps commits by itself.

A worker that dies between two steps loses nothing: the lease of the claim expires, and the next worker sends the same bytes
under the same Message-ID; after a crash of Postgres it composes the email again. No row is locked while pictures are drawn and
the relay works.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import timedelta
from itertools import chain
from types import TracebackType
from typing import Final, NamedTuple, Self, TypeVar

from tasks.context import WorkerContext
from tasks.failed_deliveries import (
    RecordedFailure,
    log_failed_composition,
    log_failure,
    record_failed_composition,
    record_failure,
)
from webapp.kernel.refusals import Unavailable
from webapp.kernel.tx import Tx
from webapp.mail import smtp, stored_message
from webapp.mail.mime import MessageParts, message_bytes
from webapp.mail.outbox import delivery
from webapp.mail.outbox.delivery import Claim
from webapp.mail.preparation import OutgoingEmail, prepare_emails
from webapp.mail.relay import ANSWER_TIMEOUT_SECONDS
from webapp.mail.transport import DeliveryFailure, Unreachable, with_envelope

MIN_LEASE_TO_BEGIN: Final = timedelta(seconds=ANSWER_TIMEOUT_SECONDS * 6)
"""The time that must be left of a lease before an email is begun: usually enough to connect."""
MIN_LEASE_TO_SEND: Final = timedelta(
    seconds=ANSWER_TIMEOUT_SECONDS * (smtp.ANSWER_COUNT_AFTER_MAIL_FROM + 1)
)
"""The time that must be left of a lease before the relay may take the message; one answer is spare.

With less, another worker might send it too.
"""
_PREPARATION_LIFETIME: Final = timedelta(seconds=5)
"""How long prepared emails count as current; the rest are released and prepared again if the relay is slow."""
_MAX_UNRECORDED_CLAIMS: Final = 20
"""Accepted emails are recorded in groups: at most so many are sent twice if a worker is killed."""
_OUTCOME_RETRY_SECONDS: Final = (0.2, 1.0, 5.0)
"""Seconds between the attempts to record an outcome."""
_SENT_RETRY_SECONDS: Final = 1.0
"""Seconds between the attempts after those to record accepted emails, for as long as the worker runs: nothing else can be done meanwhile."""
_Outcome = TypeVar("_Outcome")


class ComposedEmail(NamedTuple):
    """A prepared email with its message, whose pictures are still to be drawn."""

    email: OutgoingEmail
    message: MessageParts
    new_message: bytes | None
    """The message as it is to be stored; None if it has been stored before."""


def deliver(worker: WorkerContext) -> None:
    """Send every email that is due, unless enough threads are already sending."""
    worker.sender_limit.run(lambda: _deliver_all(worker))


def _deliver_all(worker: WorkerContext) -> None:
    while not worker.is_stopping():
        with worker.transaction() as tx:
            if not worker.has_right_clock(tx):
                return
            claims = delivery.claim(tx)
        if not claims or not _deliver_batch(worker, claims):
            return


def _deliver_batch(worker: WorkerContext, claims: Sequence[Claim]) -> bool:
    """Send claimed emails, and release those that would be too late. Return False if the relay takes nothing at present."""
    prepared_at = worker.now()
    with _OpenClaims(worker, claims) as open_claims:
        for composed_email in _compose(worker, claims, open_claims):
            if worker.is_stopping() or not _has_lease(
                worker, composed_email.email, MIN_LEASE_TO_BEGIN
            ):
                break
            if not _send(worker, composed_email, open_claims):
                return False
            # Checked after the first email, or a worker that prepares slowly would never send any.
            if worker.now() - prepared_at > _PREPARATION_LIFETIME:
                break
    return True


def _has_lease(worker: WorkerContext, email: OutgoingEmail, required_time: timedelta) -> bool:
    return email.claim.lease_until - worker.now() >= required_time


def _compose(
    worker: WorkerContext, claims: Sequence[Claim], open_claims: "_OpenClaims"
) -> tuple[ComposedEmail, ...]:
    """Return the messages of the emails that still apply and whose claims still hold, stored before anyone else sees them.

    One transaction prepares, composes and stores them, and settles the others.
    """
    with worker.transaction() as tx:
        prepared = prepare_emails(
            tx,
            claims,
            email_wait=worker.email_wait,
            reply_address=worker.own_addresses.replies,
        )
        composed = [_composed(worker, tx, email) for email in prepared]
        emails = [each for each in composed if isinstance(each, ComposedEmail)]
        stored_ids = _store_new_messages(tx, emails)
    for each in composed:
        if isinstance(each, RecordedFailure):
            log_failure(each)
    kept = tuple(each for each in emails if each.email.claim.id in stored_ids)
    kept_ids = {each.email.claim.id for each in kept}
    open_claims.forget_claims(claim for claim in claims if claim.id not in kept_ids)
    return kept


def _composed(
    worker: WorkerContext, tx: Tx, email: OutgoingEmail
) -> ComposedEmail | RecordedFailure:
    """Return an email with its message; one that can't be composed is retried later."""
    if email.message is not None:
        return ComposedEmail(email, email.message, new_message=None)
    try:
        assert email.context is not None
        message = worker.composer.compose(email.context, now=worker.now())
        return ComposedEmail(email, message, stored_message.encode(message))
    except Exception:  # noqa: BLE001 - whatever it is, the other emails must be sent
        log_failed_composition(email.claim)
        return record_failed_composition(tx, email.claim)


def _store_new_messages(tx: Tx, emails: Sequence[ComposedEmail]) -> frozenset[int]:
    """Store the messages that are new; return the ids of the emails whose claims still hold."""
    new_messages = [
        (each.email.claim, each.new_message) for each in emails if each.new_message is not None
    ]
    older_ids = {each.email.claim.id for each in emails if each.new_message is None}
    return delivery.store_messages(tx, new_messages) | older_ids


def _send(worker: WorkerContext, composed_email: ComposedEmail, open_claims: "_OpenClaims") -> bool:
    """Draw the pictures of one email, send it and settle its claim. Return False if the other emails need not be tried now."""
    email, claim = composed_email.email, composed_email.email.claim
    message_id = composed_email.message.message_id
    try:
        message = message_bytes(composed_email.message, png_of=worker.png_of)
    except Exception:  # noqa: BLE001 - whatever it is, the other emails must be sent
        log_failed_composition(claim)
        open_claims.settle_failed_composition(claim)
        return True
    try:
        worker.transport.send(
            with_envelope(
                message,
                recipient=email.address,
                mail_from=worker.mail_from,
                message_id=message_id,
                is_within_lease=lambda: _has_lease(worker, email, MIN_LEASE_TO_SEND),
            )
        )
    except DeliveryFailure as failure:
        return open_claims.settle_failure(claim, failure)
    open_claims.mark_sent(claim, message_id)
    return True


class _OpenClaims:
    """The claims of one batch that are not settled yet. At its end, however it ends, the rest are released."""

    def __init__(self, worker: WorkerContext, claims: Iterable[Claim]) -> None:
        self._worker = worker
        self._claims_by_id = {claim.id: claim for claim in claims}
        self._sent_claims: list[tuple[Claim, str]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._record_sent()
        untouched_claims = tuple(self._claims_by_id.values())
        if untouched_claims:
            self._record_outcome(lambda tx: delivery.release_claims(tx, untouched_claims))

    def forget_claims(self, claims: Iterable[Claim]) -> None:
        """Leave these claims alone: they are settled, or another worker has them."""
        for claim in claims:
            self._claims_by_id.pop(claim.id, None)

    def mark_sent(self, claim: Claim, message_id: str) -> None:
        del self._claims_by_id[claim.id]
        self._sent_claims.append((claim, message_id))
        if len(self._sent_claims) >= _MAX_UNRECORDED_CLAIMS:
            self._record_sent()

    def settle_failure(self, claim: Claim, failure: DeliveryFailure) -> bool:
        """Record why an email was not accepted. Return False if the other emails need not be tried now."""
        recorded = self._settle(claim, lambda tx: record_failure(tx, claim, failure))
        return recorded.outcome != "all-wait" and not isinstance(failure, Unreachable)

    def settle_failed_composition(self, claim: Claim) -> None:
        """Record that an email could not be drawn."""
        self._settle(claim, lambda tx: record_failed_composition(tx, claim))

    def _settle(self, claim: Claim, record: Callable[[Tx], RecordedFailure]) -> RecordedFailure:
        del self._claims_by_id[claim.id]
        recorded = self._record_outcome(record)
        log_failure(recorded)
        return recorded

    def _record_sent(self) -> None:
        sent_claims, self._sent_claims = self._sent_claims, []
        if not sent_claims:
            return
        retry_seconds = chain(_OUTCOME_RETRY_SECONDS, self._seconds_until_stopping())
        self._record_outcome(lambda tx: delivery.mark_sent(tx, sent_claims), retry_seconds)

    def _seconds_until_stopping(self) -> Iterator[float]:
        while not self._worker.is_stopping():
            yield _SENT_RETRY_SECONDS

    def _record_outcome(
        self,
        record_outcome: Callable[[Tx], _Outcome],
        retry_seconds: Iterable[float] = _OUTCOME_RETRY_SECONDS,
    ) -> _Outcome:
        """Commit an outcome; retry while the database is away or takes no changes, so that no email goes out twice for that."""
        for seconds in retry_seconds:
            with suppress(Unavailable), self._worker.transaction() as tx:
                return record_outcome(tx)
            self._worker.pause(seconds)
        with self._worker.transaction() as tx:
            return record_outcome(tx)
