"""An offered seat in a running game: what its link shows, and accepting or declining it.

The acts ``offer_seat`` and ``withdraw_offer`` make and withdraw the offer. Only acceptance seats a person. It takes the path of
every act on a game: the game is locked, and the change, the ledger and the emails to the table are one transaction.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Final, TypeAlias

from engine.view import View
from webapp.accounts.blocks import may_sit_with
from webapp.accounts.person import Person, Viewer
from webapp.clock.pace.calendar import has_passed
from webapp.clock.queries.reliability import Reliability
from webapp.clock.reliability import reliability_by_seat
from webapp.kernel.keyring import Keyring, NewLink, TokenSource, hash_of
from webapp.kernel.redacted import Redacted
from webapp.kernel.refusals import DenialReason, NotAllowed, NotFound
from webapp.kernel.rights import GameRight, Relation
from webapp.kernel.tx import Tx
from webapp.lobby.queries import seat_offers
from webapp.lobby.queries.seat_offers import SeatOfferRow
from webapp.lobby.ready_check import require_name
from webapp.lobby.seats import has_room_for_game, lock_game_count, missed_condition
from webapp.moderation.performing import ActRequest, perform_authorized_act
from webapp.moderation.queries import games_under_moderation, moderators
from webapp.play.access import LoadedGame, find_game
from webapp.play.changes.acts import acts_by_name
from webapp.play.queries import changes
from webapp.play.seats.seat_changes import AcceptedOffer
from webapp.play.summaries import SeatSummary, TableSummary, seat_summaries, table_summary

_PURPOSE: Final = "seat offer"

_Check: TypeAlias = tuple[DenialReason, Callable[[], bool]]


class SeatOfferPage(Redacted, frozen=True, kw_only=True):
    """The game as everyone at the table sees it, without any card, and whether the viewer may take the seat."""

    me: Person | None
    table: TableSummary
    seats: tuple[SeatSummary, ...]
    reliability: dict[int, Reliability]
    """How reliably the people in the seats take their turns, by seat; empty for visitors."""
    seat: int
    view: View | None
    """What an onlooker may see; None once the offer is over, when the link shows nothing of the game any more."""
    round: int
    deadline_at: datetime | None
    offerer: str | None
    """Who offers the seat: empty for a deleted account, None for the operator."""
    is_link: bool
    expires_at: datetime
    is_seated: bool
    """The viewer has accepted it."""
    outcome: str | None
    """How the offer ended, if it did."""
    refusal: NotAllowed | None
    """Why the viewer can't accept; a visitor is asked to sign in first."""


def new_offer_link(source: TokenSource) -> NewLink:
    """Return what is stored of a new link."""
    return source.new_link(_PURPOSE)


def seat_offer_token(nonce: bytes, keys: Keyring) -> str:
    """Return the token in the link of an offer."""
    return keys.link_token(_PURPOSE, nonce)


def seat_offer_page(tx: Tx, token: str, viewer: Viewer) -> SeatOfferPage:
    """Return what the link of an offer shows; opening it accepts nothing. Raises NotFound."""
    offer, slug, offerer = _find_offer(tx, token)
    game, _, me = find_game(tx, slug, viewer, mode="read")
    is_open = _refusal(tx, offer, game, None) is None
    view = game.view(None) if is_open else None
    return SeatOfferPage(
        me=me,
        table=table_summary(game.row),
        seats=seat_summaries(game.row, me=None, gone=() if view is None else view.gone),
        reliability=reliability_by_seat(tx, game.row.seats if is_open else (), me),
        view=view,
        seat=offer.seat,
        round=game.row.round,
        deadline_at=None if game.row.paused_at else game.row.deadline_at,
        offerer=None if offer.offered_by is None else offerer,
        is_link=offer.is_link,
        expires_at=offer.expires_at,
        is_seated=me is not None and offer.accepted_by == me.id,
        outcome=offer.ended_as,
        refusal=_refusal(tx, offer, game, me),
    )


def accept_seat_offer(
    tx: Tx,
    token: str,
    person: Person,
    *,
    name: str = "",
) -> str:
    """Seat the person and return the slug of the game; pressed twice, it does nothing more.

    Raises NotFound, NotAllowed, and FieldErrors for a name that is confusable with another at the table.
    """
    _, slug, _ = _find_offer(tx, token)
    game_under_moderation = games_under_moderation.lock(tx, slug)
    assert game_under_moderation is not None
    # Read again under the lock: someone else may have accepted.
    offer, _, _ = _find_offer(tx, token)
    if offer.accepted_by == person.id:
        return slug
    require_name(person)
    lock_game_count(tx, person)
    game = find_game(tx, slug, person, mode="read").game
    refusal = _refusal(tx, offer, game, person)
    if refusal is not None:
        raise refusal
    request = _seat_request(offer, person, slug, name)
    perform_authorized_act(
        tx,
        request,
        game_under_moderation,
        acted_as=Relation.STRANGER,
    )
    return slug


def decline_seat_offer(tx: Tx, token: str) -> None:
    """Decline an offer to one person; no one needs to sign in for that. A link for many can't be declined.

    Raises NotFound, and NotAllowed for a link.
    """
    _, slug, _ = _find_offer(tx, token)
    games_under_moderation.lock(tx, slug)
    offer, _, _ = _find_offer(tx, token)
    if offer.is_link:
        raise NotAllowed(DenialReason.OFFER_NO_LONGER_OPEN)
    seat_offers.mark_declined(tx, offer.id)


def _seat_request(offer: SeatOfferRow, person: Person, slug: str, name: str) -> ActRequest:
    accepted_offer = AcceptedOffer(
        id=offer.id,
        seat=offer.seat,
        account_id=person.id,
        offered_by=offer.offered_by,
        name=name,
    )
    return ActRequest(
        actor=person,
        slug=slug,
        act=acts_by_name()[GameRight.SEAT_PERSON],
        given=accepted_offer,
        reason=offer.reason,
        form_id=f"offer {offer.id}",
    )


def _find_offer(tx: Tx, token: str) -> tuple[SeatOfferRow, str, str]:
    found_offer = seat_offers.find_by_token(tx, hash_of(token))
    if found_offer is None:
        raise NotFound
    return found_offer


def _refusal(
    tx: Tx, offer: SeatOfferRow, game: LoadedGame, person: Person | None
) -> NotAllowed | None:
    """Return why the offer can't be accepted, at all or by this person; None if it can."""
    reason = _denial_reason(offer, game, now=tx.now)
    if reason is None and person is not None:
        reason = _denial_reason_of_person(tx, offer, game, person)
    if reason is not None:
        return NotAllowed(reason)
    if person is None:
        return None
    return missed_condition(tx, game.row.late_rules, person)


def _denial_reason(offer: SeatOfferRow, game: LoadedGame, *, now: datetime) -> DenialReason | None:
    row = game.row
    if offer.ended_as is not None or not row.status.is_under_way:
        return DenialReason.OFFER_NO_LONGER_OPEN
    if row.seats[offer.seat].account_id is not None:
        return DenialReason.OFFER_NO_LONGER_OPEN
    return DenialReason.OFFER_EXPIRED if has_passed(offer.expires_at, now=now) else None


def _denial_reason_of_person(
    tx: Tx, offer: SeatOfferRow, game: LoadedGame, person: Person
) -> DenialReason | None:
    row = game.row
    is_addressee = offer.is_link or (offer.address or "").lower() == person.address.lower()
    checks: tuple[_Check, ...] = (
        (DenialReason.OFFER_FOR_ANOTHER, lambda: not is_addressee),
        (DenialReason.ALREADY_SEATED, lambda: row.seat_of(person.id) is not None),
        (DenialReason.OFFERS_TO_ONESELF, lambda: person.id in {row.host_id, offer.offered_by}),
        (DenialReason.HAD_SEAT_IN_GAME, lambda: changes.has_sat(tx, row.id, person.id)),
        (DenialReason.PEEKED_AT_GAME, lambda: moderators.has_peeked(tx, row.id, person.id)),
        (DenialReason.SEAT_REFUSED, lambda: not may_sit_with(tx, row.host_id, person.id)),
        (DenialReason.TOO_MANY_GAMES, lambda: not has_room_for_game(tx, person.id)),
    )
    return next((reason for reason, applies in checks if applies()), None)
