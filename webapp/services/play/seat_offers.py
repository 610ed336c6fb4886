"""Offering a seat in which no person sits to someone, who takes it over only by accepting; and withdrawing the offer.

The person who offers learns nothing about the other: an unknown address, someone who has blocked them, and someone who cannot
play there all look like an offer that is not answered.
"""

from datetime import timedelta
from typing import Final, NamedTuple

from webapp.services.accounts.addresses import parse_address
from webapp.services.accounts.recipient_limits import may_be_emailed
from webapp.services.errors import DenialReason, FieldError, FieldErrors, NotAllowed
from webapp.services.keys import NewLink
from webapp.services.play.public_change import (
    ChangeSource,
    PlannedChange,
    PublicChange,
    PublicFacts,
)
from webapp.services.play.seat_changes import seat_in_play
from webapp.services.tx import Tx
from webapp.store.accounts import accounts, blocks, recipients
from webapp.store.lobby import seat_offers
from webapp.store.lobby.seat_offers import NewSeatOffer
from webapp.store.moderation import peeks
from webapp.store.notifications import outbox
from webapp.store.notifications.outbox import NewNotification
from webapp.store.play import changes
from webapp.store.play.rows import GameRow

OFFER_LIFETIME: Final = timedelta(days=7)


class OfferTarget(NamedTuple):
    """To whom a seat is offered: an address, a name, or without both anyone who has the link."""

    name: str
    address: str
    link: NewLink | None
    """Previews need none."""

    def __repr__(self) -> str:
        return "<OfferTarget>"


def offer_seat(source: ChangeSource, number: int, target: OfferTarget) -> PlannedChange:
    """Offer a seat without a person to someone; an older offer of it ends."""
    row, seat = source.game.row, seat_in_play(source, number)
    if seat.account_id is not None:
        raise NotAllowed(DenialReason.PERSON_HOLDS_SEAT)
    _check_target(target)
    expires_at = source.now + OFFER_LIFETIME

    def write(tx: Tx) -> None:
        seat_offers.end_open_offer(
            tx.connection, row.id, seat.number, ended_as="replaced", now=source.now
        )
        offer = _new_offer(source, seat.number, target)
        is_email_sent = _is_email_sent(tx, row, offer)
        offer_id = seat_offers.add(tx.connection, offer)
        if is_email_sent:
            email = NewNotification(
                kind="seat-offer",
                game_id=row.id,
                # No account: lists of emails would reveal whether there is one.
                account_id=None,
                dedup_key=offer_id,
                due_at=source.now,
            )
            outbox.enqueue(tx.connection, [email])
        tx.nudges.add("emails")

    change = PublicChange(seat=seat.number, after=PublicFacts(until=expires_at))
    return PlannedChange(change=change, write=write)


def withdraw_offer(source: ChangeSource, number: int) -> PlannedChange:
    """End the open offer of a seat."""
    row, seat = source.game.row, seat_in_play(source, number)
    if not seat_offers.has_open_offer(source.tx.connection, row.id, seat.number, now=source.now):
        raise NotAllowed(DenialReason.NO_OPEN_OFFER)

    def write(tx: Tx) -> None:
        seat_offers.end_open_offer(
            tx.connection, row.id, seat.number, ended_as="withdrawn", now=source.now
        )

    return PlannedChange(change=PublicChange(seat=seat.number), write=write)


def _check_target(target: OfferTarget) -> None:
    if target.name and target.address:
        raise FieldErrors(FieldError("name", "not-both"))
    if target.address:
        parse_address(target.address)


def _new_offer(source: ChangeSource, seat: int, target: OfferTarget) -> NewSeatOffer:
    assert target.link is not None
    address = parse_address(target.address) if target.address else None
    if target.name:
        address = seat_offers.address_of_name(
            source.tx.connection, target.name, asking_account_id=source.actor.id
        )
    return NewSeatOffer(
        game_id=source.game.row.id,
        seat=seat,
        nonce=target.link.nonce,
        token_hash=target.link.token_hash,
        name=target.name or None,
        address=address,
        is_link=not (target.name or target.address),
        offered_by=source.actor.id,
        reason=source.actor.reason,
        offered_at=source.now,
        expires_at=source.now + OFFER_LIFETIME,
    )


def _is_email_sent(tx: Tx, row: GameRow, offer: NewSeatOffer) -> bool:
    """Return whether the person gets an email.

    Not if they have blocked someone there, could not accept anyway, have had enough invitations today, or have not answered
    another offer of the same person.
    """
    if offer.address is None or _has_enough_emails(tx, offer, offer.address):
        return False
    people = {seat.account_id for seat in row.seats} | {row.host_id, offer.offered_by}
    if not blocks.account_ids_blocked_by_address(tx.connection, offer.address).isdisjoint(
        people - {None}
    ):
        return False
    person = accounts.find_by_address(tx.connection, offer.address)
    if person is None:
        return True
    may_not_accept = (
        person.id in people
        or changes.has_sat(tx.connection, row.id, person.id)
        or peeks.has_peeked(tx.connection, row.id, person.id)
    )
    return not may_not_accept


def _has_enough_emails(tx: Tx, offer: NewSeatOffer, address: str) -> bool:
    """Return whether a mailbox has had enough invitations today, or can still accept another offer of the same person."""
    recipients.lock_recipient(tx.connection, address)
    if not may_be_emailed(tx.at(offer.offered_at), address):
        return True
    return offer.offered_by is not None and recipients.has_open_offer(
        tx.connection, offer.offered_by, address, now=offer.offered_at
    )
