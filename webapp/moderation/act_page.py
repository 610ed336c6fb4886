"""What the page of an act shows before the act is performed: the game, what there is to choose from, and the preview."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

import msgspec

from webapp.accounts.person import Person
from webapp.accounts.relations import site_relations
from webapp.kernel.redacted import Redacted
from webapp.kernel.refusals import FieldErrors, NotAllowed
from webapp.kernel.rights import SiteRight, has_site_right
from webapp.kernel.tx import Tx
from webapp.lobby.queries import seat_offers
from webapp.lobby.queries.seat_offers import SeatOfferRow
from webapp.moderation.dashboard import redact_addresses
from webapp.moderation.performing import (
    PerformedAct,
    Position,
    find_game_to_act_on,
    position_of,
    preview_act_on_game,
    preview_undoing,
)
from webapp.moderation.queries import games_under_moderation, public_turns
from webapp.moderation.queries.games_under_moderation import GameUnderModeration
from webapp.play.changes.acts import Act, ActInput, EmailField, SeatChoice, TurnField
from webapp.play.changes.public_change import PublicChange


class TurnChoice(msgspec.Struct, frozen=True, kw_only=True):
    """An earlier turn as a rewind offers it: whose it was and when, never what."""

    seq: int
    name: str
    at: datetime


class EmailChoice(msgspec.Struct, frozen=True, kw_only=True):
    """An email that was given up, and why."""

    id: int
    kind: str
    name: str
    reason: str
    at: datetime | None


class OfferLine(Redacted, frozen=True, kw_only=True):
    """An offer of a seat, as those who may offer it see it."""

    seat: int
    name: str
    """The person or the address, as the viewer typed it; empty for a link and for offers of others."""
    is_link: bool
    nonce: bytes | None
    """Of an open link that the viewer has made; the token derives from it."""
    at: datetime
    expires_at: datetime
    outcome: str
    """How it ended, or "open" or "expired"."""


class ActPage(msgspec.Struct, frozen=True, kw_only=True):
    """The page of an act; without a ``change`` the act was refused, or there is something to fill in first."""

    viewer: Person
    game: GameUnderModeration
    act: Act[Any]
    is_at_table: bool
    """Whether the viewer may see the game itself."""
    seats: tuple[SeatChoice, ...]
    turns: tuple[TurnChoice, ...] = ()
    emails: tuple[EmailChoice, ...] = ()
    offers: tuple[OfferLine, ...] = ()
    position: Position
    change: PublicChange | None = None
    described_as_act: Act[Any] | None = None
    """The act whose sentence tells the change: another one if an act is undone."""
    name: str = ""
    """The player that the change is about."""
    refusal: NotAllowed | FieldErrors | None = None


def act_page(
    tx: Tx,
    viewer: Person,
    slug: str,
    act: Act[Any],
    given: ActInput | int | None,
) -> ActPage:
    """Return the page of an act with a preview: of the input, of undoing this entry, or with None of nothing.

    Raises NotFound, and NotAllowed for a former player.
    """
    game = find_game_to_act_on(tx, viewer, slug, act.right)
    offers = _offers(tx, viewer, game) if act.shows_offers else ()
    page = _page_without_preview(tx, viewer, game, act, offers)
    return page if given is None else with_preview(tx, page, given)


def act_line(tx: Tx, viewer: Person, slug: str, act: Act[Any], given: ActInput) -> ActPage:
    """Return the preview of an act as one of several; a former player gets the refusal instead. Raises NotFound."""
    try:
        return act_page(tx, viewer, slug, act, given)
    except NotAllowed as refusal:
        game = games_under_moderation.find(tx, slug)
        assert game is not None
        return msgspec.structs.replace(
            _page_without_preview(tx, viewer, game, act), refusal=refusal
        )


def with_preview(tx: Tx, page: ActPage, given: ActInput | int) -> ActPage:
    """Return the page with a preview of the input, or of undoing the entry with this number."""
    try:
        if isinstance(given, int):
            act_preview = preview_undoing(tx, page.game, page.act, given, actor=page.viewer)
        else:
            act_preview = preview_act_on_game(tx, page.game, page.act, given, actor=page.viewer)
    except (NotAllowed, FieldErrors) as refusal:
        return msgspec.structs.replace(page, refusal=refusal)
    return msgspec.structs.replace(
        page,
        change=act_preview.change,
        described_as_act=act_preview.act,
        position=act_preview.position,
        name=(isinstance(given, ActInput) and given.new_name)
        or _affected_player_name(page, act_preview.change),
    )


def may_see_game_after(tx: Tx, viewer: Person, performed_act: PerformedAct) -> bool:
    """Return whether someone who has just acted may see the game itself."""
    game, change = performed_act
    if change is not None and viewer.id == change.before.account_id:
        # The act may have cost them their right to it.
        changed_game = games_under_moderation.find(tx, game.slug)
        assert changed_game is not None
        game = changed_game
    return _is_at_table(viewer, game)


def _is_at_table(viewer: Person, game: GameUnderModeration) -> bool:
    return game.public or viewer.id in game.people or viewer.id == game.host_id


def _page_without_preview(
    tx: Tx,
    viewer: Person,
    game: GameUnderModeration,
    act: Act[Any],
    offers: tuple[OfferLine, ...] = (),
) -> ActPage:
    asked_for = {type(field) for field in act.fields}
    return ActPage(
        viewer=viewer,
        game=game,
        act=act,
        is_at_table=_is_at_table(viewer, game),
        seats=_seat_choices(game, offers),
        turns=_turn_choices(tx, game) if TurnField in asked_for else (),
        emails=_email_choices(tx, viewer, game) if EmailField in asked_for else (),
        offers=offers,
        position=position_of(game),
    )


def _seat_choices(game: GameUnderModeration, offers: Iterable[OfferLine]) -> tuple[SeatChoice, ...]:
    offered_seats = {offer.seat for offer in offers if offer.outcome == "open"}
    return tuple(
        SeatChoice(
            number=seat.number,
            name=seat.shown_name,
            is_bot=seat.bot_name is not None,
            is_open=seat.is_open,
            is_host=seat.account_id == game.host_id,
            is_awaited=seat.number == game.awaiting,
            is_offered=seat.number in offered_seats,
            bot_level=seat.bot_level,
        )
        for seat in game.seats
    )


def _turn_choices(tx: Tx, game: GameUnderModeration) -> tuple[TurnChoice, ...]:
    names = {seat.number: seat.shown_name for seat in game.seats}
    return tuple(
        TurnChoice(
            seq=turn.seq,
            name="" if turn.seat is None else names[turn.seat],
            # To the second: fractions would reveal how long a bot thought, and so its role.
            at=turn.at.replace(microsecond=0),
        )
        for turn in public_turns.latest_turns(tx, game.id)
        if turn.seq < game.seq
    )


def _email_choices(tx: Tx, viewer: Person, game: GameUnderModeration) -> tuple[EmailChoice, ...]:
    may_read_addresses = has_site_right(SiteRight.VIEW_PERSON, site_relations(viewer))
    return tuple(
        EmailChoice(
            id=email.id,
            kind=email.kind,
            name=email.recipient or "",
            reason=(email.reason if may_read_addresses else redact_addresses(email.reason)) or "",
            at=email.settled_at,
        )
        for email in public_turns.unsent_emails(tx, game.id)
    )


def _offers(tx: Tx, viewer: Person, game: GameUnderModeration) -> tuple[OfferLine, ...]:
    return tuple(
        _offer_line(offer, game, is_own=offer.offered_by == viewer.id, now=tx.now)
        for offer in seat_offers.offers_of_game(tx, game.id)
    )


def _offer_line(
    offer: SeatOfferRow, game: GameUnderModeration, *, is_own: bool, now: datetime
) -> OfferLine:
    outcome = offer.ended_as or ("expired" if offer.expires_at <= now else "open")
    is_open = outcome == "open" and not game.status.is_over
    return OfferLine(
        seat=offer.seat,
        # Of a name only what was typed: whose address it is stays unknown.
        name=(offer.name or offer.address or "") if is_own else "",
        is_link=offer.is_link,
        nonce=offer.nonce if is_own and is_open and offer.is_link else None,
        at=offer.offered_at,
        expires_at=offer.expires_at,
        outcome=outcome if is_open or outcome != "open" else "filled",
    )


def _affected_player_name(page: ActPage, change: PublicChange) -> str:
    return next((seat.name for seat in page.seats if seat.number == change.seat), "")
