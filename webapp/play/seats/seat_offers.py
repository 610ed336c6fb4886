"""Store the offer of a seat in which no person sits, which someone takes over only by accepting, and queue its email.

The acts ``offer_seat`` and ``withdraw_offer`` plan this; ``webapp.lobby.offered_seats`` shows, accepts and declines an offer. The person who offers learns nothing about the other: an
unknown address, someone who has blocked them, and someone who cannot play there all look like an offer that is not
answered.
"""

from webapp.accounts.addresses import parse_address
from webapp.accounts.queries import accounts, blocks, recipients
from webapp.accounts.recipient_limits import may_be_emailed
from webapp.kernel.tx import Tx
from webapp.lobby.queries import seat_offers
from webapp.lobby.queries.seat_offers import NewSeatOffer
from webapp.mail.queries import outbox
from webapp.mail.queries.outbox import NewNotification
from webapp.moderation.queries import moderators
from webapp.play.changes.public_change import (
    ChangeSource,
    NewOffer,
)
from webapp.play.queries import changes
from webapp.play.queries.rows import GameRow


def store_offer(source: ChangeSource, new_offer: NewOffer) -> None:
    """Store an offer of a seat, and queue the email to the person if they get one."""
    tx, row = source.tx, source.game.row
    # In any case, so that nothing shows whether an email is sent.
    tx.nudges.add("emails")
    offer = _seat_offer(source, new_offer)
    is_email_sent = _is_email_sent(tx, row, offer)
    offer_id = seat_offers.add(tx, offer)
    if is_email_sent:
        email = NewNotification(
            kind="seat-offer",
            game_id=row.id,
            # No account: lists of emails would reveal whether there is one.
            account_id=None,
            dedup_key=offer_id,
            due_at=source.tx.now,
        )
        outbox.enqueue(tx, [email])


def _seat_offer(source: ChangeSource, target: NewOffer) -> NewSeatOffer:
    assert target.link is not None
    address = parse_address(target.address) if target.address else None
    if target.name:
        address = seat_offers.address_of_name(
            source.tx, target.name, asking_account_id=source.actor.id
        )
    return NewSeatOffer(
        game_id=source.game.row.id,
        seat=target.seat,
        nonce=target.link.nonce,
        token_hash=target.link.token_hash,
        name=target.name or None,
        address=address,
        is_link=not (target.name or target.address),
        offered_by=source.actor.id,
        reason=source.actor.reason,
        offered_at=source.tx.now,
        expires_at=target.expires_at,
    )


def _is_email_sent(tx: Tx, row: GameRow, offer: NewSeatOffer) -> bool:
    """Return whether the person gets an email.

    Not if they have blocked someone there, could not accept anyway, have had enough invitations today, or have not answered
    another offer of the same person.
    """
    if offer.address is None or _has_enough_emails(tx, offer, offer.address):
        return False
    people = {seat.account_id for seat in row.seats} | {row.host_id, offer.offered_by}
    if not blocks.account_ids_blocked_by_address(tx, offer.address).isdisjoint(people - {None}):
        return False
    person = accounts.find_by_address(tx, offer.address)
    if person is None:
        return True
    may_not_accept = (
        person.id in people
        or changes.has_sat(tx, row.id, person.id)
        or moderators.has_peeked(tx, row.id, person.id)
    )
    return not may_not_accept


def _has_enough_emails(tx: Tx, offer: NewSeatOffer, address: str) -> bool:
    """Return whether a mailbox has had enough invitations today, or can still accept another offer of the same person."""
    recipients.lock_recipient(tx, address)
    if not may_be_emailed(tx.at(offer.offered_at), address):
        return True
    return offer.offered_by is not None and recipients.has_open_offer(
        tx, offer.offered_by, address, now=offer.offered_at
    )
