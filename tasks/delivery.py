"""Letters on their way: claimed, looked at once more, composed, kept, handed over, settled; each step commits by itself.

Whatever dies between two steps loses nothing: the claim's lease runs out, and the next round sends the same bytes under
the same Message-ID. No row is locked while the relay thinks.
"""

import logging
from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Final, TypeAlias

from tasks.context import WorkerContext
from tasks.settling import Settling
from webapp.mail import smtp
from webapp.mail.errors import AmbiguousFailure, PermanentFailure, TransientFailure, Unreachable
from webapp.mail.parcel import with_envelope
from webapp.mail.relay import TIMEOUT
from webapp.services.notifications import delivery
from webapp.services.notifications.delivery import Claim, OutgoingEmail
from webapp.services.tx import transaction

ENOUGH: Final = timedelta(seconds=TIMEOUT * 6)
"""What must be left of a lease before a letter is begun: there is time to connect, as a rule."""
HANDING_OVER: Final = timedelta(seconds=TIMEOUT * (smtp.HANDING_OVER + 1))
"""What must be left of it before the relay may take the message, or somebody else might send it too; with an answer to spare."""
_FRESH_FOR: Final = timedelta(seconds=5)
"""How long what was looked at is taken for true; what a slow relay keeps waiting for longer is looked at again."""
Rendered: TypeAlias = tuple[OutgoingEmail, bytes]

_log = logging.getLogger(__name__)


def deliver(context: WorkerContext) -> None:
    """Send every letter that is due, unless enough others are at it."""
    context.senders.run(lambda: _deliver_all(context))


def _deliver_all(context: WorkerContext) -> None:
    while not context.is_stopping():
        with transaction(context.database) as tx:
            claims = delivery.claim(tx, now=context.now())
        if not claims or not _deliver(context, claims):
            return


def _deliver(context: WorkerContext, claims: Sequence[Claim]) -> bool:
    """Send what was claimed, or give back what would be too late; False when nothing gets through at present."""
    looked_at = context.now()
    with Settling(context, claims) as settling:
        outgoing = _looked_at_again(context, claims, settling)
        for out, message in _kept(context, _composed(context, outgoing, settling), settling):
            if context.is_stopping() or not _is_left(context, out, ENOUGH):
                break
            if not _hand_over(context, out, message, settling):
                return False
            # Not before the first: whoever is slow to look would send nothing, for ever.
            if context.now() - looked_at > _FRESH_FOR:
                break
    return True


def _is_left(context: WorkerContext, out: OutgoingEmail, time: timedelta) -> bool:
    """Whether so much is left of the lease."""
    return out.claim.lease_until - context.now() >= time


def _looked_at_again(
    context: WorkerContext, claims: Sequence[Claim], settling: Settling
) -> tuple[OutgoingEmail, ...]:
    """What is still true; all else has been settled by the looking."""
    with transaction(context.database) as tx:
        outgoing = delivery.prepare_emails(tx, claims, keys=context.keys, now=context.now())
    settling.leave_out(claims, but={out.claim.id for out in outgoing})
    return outgoing


def _composed(
    context: WorkerContext, outgoing: Sequence[OutgoingEmail], settling: Settling
) -> Iterator[Rendered]:
    for out in outgoing:
        if out.message is not None:
            yield out, out.message
            continue
        try:
            assert out.digest is not None
            yield out, context.composer.compose(out.digest, now=context.now())
        except Exception:  # noqa: BLE001 - whatever it is, the other letters must go out
            _log.exception("Letter %s cannot be composed.", out.claim.id)
            settling.postpone(out.claim, "composing failed")


def _kept(
    context: WorkerContext, letters: Iterator[Rendered], settling: Settling
) -> tuple[Rendered, ...]:
    """The letters that are still ours, their bytes stored before anybody else sees them."""
    rendered = tuple(letters)
    fresh = [(out, message) for out, message in rendered if out.message is None]
    with transaction(context.database) as tx:
        ours = delivery.keep(tx, fresh)
    lost = {out.claim.id for out, _ in fresh} - ours
    settling.leave_out([out.claim for out, _ in rendered if out.claim.id in lost])
    return tuple(letter for letter in rendered if letter[0].claim.id not in lost)


def _hand_over(
    context: WorkerContext, out: OutgoingEmail, message: bytes, settling: Settling
) -> bool:
    """False when the other letters need not be tried now."""
    try:
        context.transport.send(
            with_envelope(
                message,
                recipient=out.address,
                mail_from=context.mail_from,
                message_id=out.message_id,
                is_in_time=lambda: _is_left(context, out, HANDING_OVER),
            )
        )
    except PermanentFailure as refusal:
        settling.give_up(out.claim, refusal.code)
    except AmbiguousFailure as trouble:
        settling.postpone(out.claim, trouble.code)
        return False
    except Unreachable as trouble:
        settling.wait(out.claim, trouble.code)
        return False
    except TransientFailure as refusal:
        settling.postpone(out.claim, refusal.code)
    else:
        settling.accept(out.claim)
    return True
