"""An offered seat in a running game: what its link shows, and accepting or declining it.

Only acceptance seats a person. It takes the path of every act on a game: the game is locked, and the change, the ledger and
the emails to the table are one transaction.
"""

from collections.abc import Callable
from datetime import datetime

from engine.view import View
from webapp.clock import has_passed
from webapp.rights import GameRight, Standing
from webapp.services.accounts.blocks import may_sit_with
from webapp.services.accounts.person import Person, Viewer
from webapp.services.errors import DenialReason, NotAllowed, NotFound
from webapp.services.keys import hash_of
from webapp.services.lobby.game_limit import has_room_for_game
from webapp.services.lobby.permissions import require_name
from webapp.services.moderation.acts import ActRequest, carry_out
from webapp.services.play.access import LoadedGame, find_game
from webapp.services.play.public_change import AcceptedOffer, ChangeInput
from webapp.services.play.summaries import (
    SeatSummary,
    TableSummary,
    seat_summaries,
    table_summary,
)
from webapp.services.tx import Tx
from webapp.store.lobby import seat_offers
from webapp.store.lobby.seat_offers import SeatOfferRow
from webapp.store.moderation import acted_games, peeks
from webapp.store.play import changes
from webapp.store.redacted import Redacted


class SeatOfferPage(Redacted, frozen=True, kw_only=True):
    """The game as everyone at the table sees it, without any card, and whether the viewer may take the seat."""

    me: Person | None
    table: TableSummary
    seats: tuple[SeatSummary, ...]
    seat: int
    view: View | None
    """What an onlooker may see; None once the offer is over, when the link shows nothing of the game any more."""
    round: int
    deadline_at: datetime | None
    offerer: str | None
    """Who offers the seat: empty for a deleted account, None for the operator."""
    is_link: bool
    expires_at: datetime
    seated: bool
    """The viewer has accepted it."""
    outcome: str | None
    """How the offer ended, if it did."""
    refusal: DenialReason | None
    """Why the viewer can't accept; a visitor is asked to sign in first."""


def seat_offer_page(tx: Tx, token: str, viewer: Viewer, *, now: datetime) -> SeatOfferPage:
    """Return what the link of an offer shows; opening it accepts nothing. Raises NotFound."""
    offer, slug, offerer = _find_offer(tx, token)
    game, _, me = find_game(tx, slug, viewer, now=now, mode="read")
    is_open = _refusal(tx, offer, game, None, now=now) is None
    view = game.view(None) if is_open else None
    return SeatOfferPage(
        me=me,
        table=table_summary(game.row),
        seats=seat_summaries(game.row, me=None, gone=() if view is None else view.gone),
        view=view,
        seat=offer.seat,
        round=game.row.round,
        deadline_at=None if game.row.paused_at else game.row.deadline_at,
        offerer=None if offer.offered_by is None else offerer,
        is_link=offer.is_link,
        expires_at=offer.expires_at,
        seated=me is not None and offer.accepted_by == me.id,
        outcome=offer.ended_as,
        refusal=_refusal(tx, offer, game, me, now=now),
    )


def accept_seat_offer(
    tx: Tx,
    token: str,
    person: Person,
    *,
    name: str = "",
    now: datetime,
    pick: Callable[[int], int],
) -> str:
    """Seat the person and return the slug of the game; pressed twice, it does nothing more.

    Raises NotFound, NotAllowed, and FieldErrors for a name that is confusable with another at the table.
    """
    _, slug, _ = _find_offer(tx, token)
    acted = acted_games.lock(tx.connection, slug)
    assert acted is not None
    # Read again under the lock: someone else may have accepted.
    offer, _, _ = _find_offer(tx, token)
    if offer.accepted_by == person.id:
        return slug
    require_name(person)
    game = find_game(tx, slug, person, now=now, mode="read").game
    denial_reason = _refusal(tx, offer, game, person, now=now)
    if denial_reason is not None:
        raise NotAllowed(denial_reason)
    accepted_offer = AcceptedOffer(offer.id, person.id, offer.offered_by)
    request = ActRequest(
        actor=person,
        slug=slug,
        act=GameRight.SEAT_PERSON,
        change_input=ChangeInput(seat=offer.seat, name=name, accepted_offer=accepted_offer),
        reason=offer.reason,
        form_id=f"offer {offer.id}",
    )
    carry_out(tx, request, acted, standing=Standing.STRANGER, now=now, pick=pick)
    return slug


def decline_seat_offer(tx: Tx, token: str, *, now: datetime) -> None:
    """Decline an offer to one person; no one needs to sign in for that. A link for many can't be declined.

    Raises NotFound, and NotAllowed for a link.
    """
    _, slug, _ = _find_offer(tx, token)
    acted_games.lock(tx.connection, slug)
    offer, _, _ = _find_offer(tx, token)
    if offer.is_link:
        raise NotAllowed(DenialReason.OFFER_OVER)
    seat_offers.mark_declined(tx.connection, offer.id, now=now)


def _find_offer(tx: Tx, token: str) -> tuple[SeatOfferRow, str, str]:
    found_offer = seat_offers.find_by_token(tx.connection, hash_of(token))
    if found_offer is None:
        raise NotFound
    return found_offer


def _refusal(
    tx: Tx, offer: SeatOfferRow, game: LoadedGame, person: Person | None, *, now: datetime
) -> DenialReason | None:
    """Return why the offer can't be accepted, at all or by this person; None if it can."""
    row = game.row
    if offer.ended_as is not None or not row.status.is_under_way:
        return DenialReason.OFFER_OVER
    if row.seats[offer.seat].account_id is not None:
        return DenialReason.OFFER_OVER
    if has_passed(offer.expires_at, now=now):
        return DenialReason.OFFER_EXPIRED
    return None if person is None else _refusal_of_person(tx, offer, game, person)


def _refusal_of_person(
    tx: Tx, offer: SeatOfferRow, game: LoadedGame, person: Person
) -> DenialReason | None:
    row = game.row
    is_addressee = offer.is_link or (offer.address or "").lower() == person.address.lower()
    checks: tuple[tuple[DenialReason, Callable[[], bool]], ...] = (
        (DenialReason.OFFER_FOR_ANOTHER, lambda: not is_addressee),
        (DenialReason.ALREADY_SEATED, lambda: row.seat_of(person.id) is not None),
        (DenialReason.OFFERS_TO_ONESELF, lambda: person.id in {row.host_id, offer.offered_by}),
        (DenialReason.HAD_SEAT_THERE, lambda: changes.has_sat(tx.connection, row.id, person.id)),
        (DenialReason.PEEKED_THERE, lambda: peeks.has_peeked(tx.connection, row.id, person.id)),
        (DenialReason.SEAT_REFUSED, lambda: not may_sit_with(tx, row.host_id, person)),
        (DenialReason.TOO_MANY_GAMES, lambda: not has_room_for_game(tx, person)),
    )
    return next((reason for reason, applies in checks if applies()), None)
