"""Invite people to a table, and give them a seat with an invitation, also before they have a name or an account.

The tokens of links are derived from a nonce and a key, so that the row of an invitation lets no one in.

The link of an emailed invitation was sent to one address only, so it proves that address as an emailed sign-in link does.
It creates the account of a newcomer and nothing more: it never opens an account that exists, which takes a fresh email.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

import msgspec

from webapp.accounts.addresses import masked_address, other_recipient, parse_address, same_mailbox
from webapp.accounts.blocks import is_invitation_sent
from webapp.accounts.person import Person, Viewer
from webapp.accounts.profile import change_profile
from webapp.accounts.queries import accounts, sign_ins
from webapp.accounts.recipient_limits import (
    check_newcomer_limit,
    check_unanswered,
    lock_invitations,
    may_be_emailed,
)
from webapp.accounts.sessions import Device, OpenedSession, open_session
from webapp.accounts.sign_in import may_sign_in
from webapp.clock.queries.reliability import Reliability
from webapp.clock.reliability import reliability_by_seat
from webapp.kernel.database import is_storable
from webapp.kernel.keyring import Keyring, hash_of
from webapp.kernel.redacted import Redacted
from webapp.kernel.refusals import DenialReason, FieldError, FieldErrors, NotAllowed, NotFound
from webapp.kernel.site_settings import SignUp
from webapp.kernel.tx import Tx
from webapp.lobby.queries import invitations
from webapp.lobby.queries.invitations import InvitationRow, NewInvitation
from webapp.lobby.ready_check import require_before_deal
from webapp.lobby.seats import ANY_SEAT, SeatWish, take_seat
from webapp.mail.queries import outbox
from webapp.mail.queries.outbox import NewNotification
from webapp.play.access import GameAccess, LoadedGame, find_game, may_view
from webapp.play.queries.games import AccessMode
from webapp.play.summaries import SeatSummary, TableSummary, name_of, seat_summaries, table_summary
from webapp.site.current_settings import limit_of

_PURPOSE: Final = "invitation"
_SLUG_OF_NO_GAME: Final = "no-game"


class Invitee(Redacted, frozen=True):
    """The person whom an invitation is for; with a name, the inviter is shown that and never the address."""

    address: str
    name: str | None = None


class InvitationTooLate(NotFound):
    """The cards were dealt before the person who was invited by email answered; ``inviter`` is the name of who invited them."""

    def __init__(self, inviter: str) -> None:
        super().__init__()
        self.inviter = inviter


class StartedGame(Redacted, frozen=True):
    """The invitation is to a game that is past its lobby, and that the viewer may see: its page says all."""

    slug: str


class InvitationPage(Redacted, frozen=True, kw_only=True):
    """The table before the deal, as anyone with the invitation's link may see it."""

    me: Person | None
    table: TableSummary
    seats: tuple[SeatSummary, ...]
    reliability: dict[int, Reliability]
    """How reliably the people in the seats take their turns, by seat; empty for visitors."""
    is_used: bool
    """Another person has accepted it."""
    is_seated: bool
    """The viewer already has a seat at this table."""
    sent_to: str | None
    """The recipient, unless that is the viewer who is signed in: a name, or a masked address."""
    removals: int
    """How many people the host has removed: part of the form that takes a seat."""


class Introduction(Redacted, frozen=True, kw_only=True):
    """What a newcomer says of themselves, or their browser for them."""

    name: str
    language: str
    zone: str


class Stranger(Redacted, frozen=True, kw_only=True):
    """A person without an account who has the link of an emailed invitation."""

    introduction: Introduction
    device: Device
    sign_up: SignUp
    """Who may create an account."""


class InvitedNewcomer(Redacted, frozen=True, kw_only=True):
    """The page on which an invited person chooses a name."""

    invitation: InvitationPage
    masked_address: str
    """The address to which emails will go; empty for a person who is signed in."""


class SeatedNewcomer(Redacted, frozen=True, kw_only=True):
    """A person who has a name and a seat now, and the session of the account that was created for them."""

    slug: str
    person: Person
    session: OpenedSession | None


def invite(tx: Tx, game: LoadedGame, person: Person, *, address: str) -> None:
    """Email an invitation to this address. Needs the game locked; only seated people and the host may.

    Raises FieldErrors for an address that is invalid, that is their own although they sit there, that this person has
    invited before, or that exceeds a limit; NotAllowed while no seat is free. An address that only others invited is
    accepted like any other, so that their invitations stay private, but gets no second email. Nor does one whose owner
    has blocked this person, or has had enough invitations today.
    """
    _require_may_invite(game, person)
    parsed_address = parse_address(address)
    if parsed_address.lower() == person.address.lower() and game.seat_of(person) is not None:
        raise FieldErrors(FieldError("address", "own"))
    lock_invitations(tx, person, parsed_address)
    inviters = _other_inviters(tx, game, person, parsed_address)
    check_unanswered(tx, person, parsed_address)
    check_daily_limit(tx, person)
    check_newcomer_limit(tx, person)
    invitation_id = add_invitation(tx, game.row.id, person, invitee=Invitee(parsed_address))
    # In any case, so that nothing shows whether an email is sent.
    tx.nudges.add("emails")
    is_sent = is_invitation_sent(tx, parsed_address, person, inviters)
    if is_sent and may_be_emailed(tx, parsed_address):
        queue_invitation_email(tx, game.row.id, invitation_id)


def invitation_page(tx: Tx, token: str, viewer: Viewer) -> InvitationPage | StartedGame:
    """Return what the link of an invitation shows; opening it accepts nothing.

    After the deal, or once the table is cancelled, the link is unknown to all who may not see the game anyway. Raises NotFound.
    """
    invitation, (game, seat, me) = _invitation_and_game(tx, token, viewer, mode="read")
    if not game.status.is_before_deal:
        return StartedGame(game.slug)
    return InvitationPage(
        me=me,
        table=table_summary(game.row),
        seats=seat_summaries(game.row, me=seat),
        reliability=reliability_by_seat(tx, game.row.seats, me),
        is_used=_is_used_by_another(invitation, me),
        is_seated=seat is not None,
        sent_to=_other_invitee(invitation, me),
        removals=game.row.removal_count,
    )


def accept_invitation(tx: Tx, token: str, person: Person, *, wish: SeatWish = ANY_SEAT) -> str:
    """Give the person a seat at the table and return its slug, also that of a game that has begun with them.

    Raises NotFound, and what ``take_seat`` raises.
    """
    _, (game, own_seat, _) = _invitation_and_game(tx, token, person, mode="change")
    if own_seat is not None and not game.status.is_before_deal:
        return game.slug
    # Read again under the lock, because an emailed invitation seats one person.
    invitation = _find_invitation(tx, token)
    if _is_used_by_another(invitation, person):
        raise NotAllowed(DenialReason.INVITATION_USED)
    take_seat(tx, game, person, wish=wish)
    if invitation.address is not None:
        invitations.mark_accepted(tx, invitation.id, person.id)
    return game.slug


def is_invited(tx: Tx, slug: str, token: str, person: Person | None) -> bool:
    """Return whether this is the token of an invitation to this table that no other person has used."""
    if not token or not is_storable(token):
        return False
    found_invitation = invitations.find_by_token(tx, hash_of(token))
    if found_invitation is None or found_invitation[1] != slug:
        return False
    return not _is_used_by_another(found_invitation[0], person)


def check_daily_limit(tx: Tx, person: Person) -> None:
    """Raise FieldErrors if the person has invited as many people as they may in a day."""
    since = tx.now - timedelta(days=1)
    max_invited = limit_of(tx, "most_invited_a_day")
    if invitations.count_emailed(tx, person.id, since=since) >= max_invited:
        raise FieldErrors(FieldError("address", "too-many", {"max": max_invited}))


def add_invitation(
    tx: Tx,
    game_id: int,
    inviter: Person,
    *,
    invitee: Invitee | None,
) -> int:
    """Store an invitation for one person, or with None the table link for everyone who has it; return its id."""
    link = tx.tokens.new_link(_PURPOSE)
    invitation = NewInvitation(
        game_id=game_id,
        nonce=link.nonce,
        token_hash=link.token_hash,
        address=None if invitee is None else invitee.address,
        name=None if invitee is None else invitee.name,
        invited_by=inviter.id,
        invited_at=tx.now,
    )
    return invitations.add_invitation(tx, invitation)


def queue_invitation_email(tx: Tx, game_id: int, invitation_id: int) -> None:
    notification = NewNotification(
        kind="invitation",
        game_id=game_id,
        account_id=None,
        dedup_key=invitation_id,
        due_at=tx.now,
    )
    outbox.enqueue(tx, [notification])


def invitation_token(nonce: bytes, keys: Keyring) -> str:
    """Return the token in the link of an invitation."""
    return keys.link_token(_PURPOSE, nonce)


def link_of_invitation(tx: Tx, invitation_id: int) -> str | None:
    """Return the token of an invitation's link; None if there is no such invitation any more, or its key is no longer known."""
    nonce = invitations.nonce_of(tx, invitation_id)
    if nonce is None or not tx.keys.has_key_of(nonce):
        return None
    return invitation_token(nonce, tx.keys)


def table_link_token(rows: Sequence[InvitationRow], keys: Keyring) -> str | None:
    """Return the token of a table's own link; None if it has none, or one of a key that is no longer known."""
    tokens = (
        invitation_token(row.nonce, keys)
        for row in rows
        if row.address is None and keys.has_key_of(row.nonce)
    )
    return next(tokens, None)


def _require_may_invite(game: LoadedGame, person: Person) -> None:
    if game.seat_of(person) is None and not game.is_hosted_by(person):
        raise NotAllowed(DenialReason.NOT_SEATED)
    require_before_deal(game)
    if not any(seat.is_free for seat in game.row.seats):
        raise NotAllowed(DenialReason.TABLE_FULL)


def _other_inviters(tx: Tx, game: LoadedGame, person: Person, address: str) -> frozenset[int]:
    """Return everyone with an open invitation to this address. Raises FieldErrors if this person has typed it before.

    An invitation to a rematch does not raise: its sender would learn whose address they typed.
    """
    sent_invitations = [
        row for row in invitations.invitations_of_game(tx, game.row.id) if row.address
    ]
    open_invitations = [row for row in sent_invitations if _is_open_for(row, address)]
    if any(row.invited_by == person.id and row.name is None for row in open_invitations):
        raise FieldErrors(FieldError("address", "duplicate"))
    max_invited = limit_of(tx, "most_invited")
    if len(sent_invitations) >= max_invited:
        raise FieldErrors(FieldError("address", "too-many", {"max": max_invited}))
    return frozenset(row.invited_by for row in open_invitations)


def _is_open_for(row: InvitationRow, address: str) -> bool:
    """Return whether the invitation still seats its addressee; if another person used it, they may be invited again."""
    return row.accepted_by is None and same_mailbox(row.address or "", address)


def _invitation_and_game(
    tx: Tx, token: str, viewer: Viewer, *, mode: AccessMode
) -> tuple[InvitationRow, GameAccess]:
    """Return the invitation and its game, which is before the deal or one that the viewer may see. Raises NotFound.

    An unknown link takes the same statements as one to a game that the viewer may not see.
    """
    found_invitation = invitations.find_by_token(tx, hash_of(token))
    slug = _SLUG_OF_NO_GAME if found_invitation is None else found_invitation[1]
    access = find_game(tx, slug, viewer, mode=mode)
    is_shown = access.game.status.is_before_deal or may_view(access.game, access.person)
    if found_invitation is None:
        raise NotFound
    if not is_shown:
        raise _gone_invitation(found_invitation[0], access.game)
    return found_invitation[0], access


def _gone_invitation(invitation: InvitationRow, game: LoadedGame) -> NotFound:
    """Return why an invitation leads nowhere: to one person, that the cards were dealt without them, and by whom they were invited.

    The link of a table says nothing to those who cannot see its game, and no one reads who has taken a seat.
    """
    is_personal = invitation.address is not None and invitation.accepted_by is None
    if not is_personal or not game.is_dealt:
        return NotFound()
    inviter = game.row.seat_of(invitation.invited_by)
    return InvitationTooLate(game.row.host_name if inviter is None else name_of(inviter))


def _other_invitee(invitation: InvitationRow, me: Person | None) -> str | None:
    masked_address = other_recipient(invitation.address, None if me is None else me.address)
    return masked_address and (invitation.name or masked_address)


def _find_invitation(tx: Tx, token: str) -> InvitationRow:
    found_invitation = invitations.find_by_token(tx, hash_of(token))
    if found_invitation is None:
        raise NotFound
    return found_invitation[0]


def _is_used_by_another(invitation: InvitationRow, person: Person | None) -> bool:
    """Return whether another person accepted it; the person who accepted it may leave and come back."""
    accepted_by = invitation.accepted_by
    return accepted_by is not None and (person is None or accepted_by != person.id)


def invited_newcomer(
    tx: Tx, token: str, viewer: Viewer, *, sign_up: SignUp
) -> InvitedNewcomer | StartedGame | None:
    """Return the page on which the viewer chooses a name; None if they have to sign in first. Raises NotFound."""
    page = invitation_page(tx, token, viewer)
    if isinstance(page, StartedGame):
        return page
    if page.me is not None:
        return InvitedNewcomer(invitation=page, masked_address="")
    address = proved_address(tx, token, sign_up)
    if address is None:
        return None
    return InvitedNewcomer(invitation=page, masked_address=masked_address(address))


def proved_address(tx: Tx, token: str, sign_up: SignUp) -> str | None:
    """Return the address that this link proves, if it may create an account and has none yet."""
    found_invitation = invitations.find_by_token(tx, hash_of(token))
    if found_invitation is None:
        return None
    invitation, _ = found_invitation
    if invitation.address is None or invitation.accepted_by is not None:
        return None
    if accounts.has_account(tx, invitation.address):
        return None
    is_admitted = may_sign_in(tx, invitation.address, sign_up, return_path="")
    return invitation.address if is_admitted else None


def seat_named_person(
    tx: Tx,
    token: str,
    person: Person,
    introduction: Introduction,
    *,
    wish: SeatWish = ANY_SEAT,
) -> SeatedNewcomer:
    """Give a signed-in person without a name a name and a seat, or neither. Raises what ``accept_invitation`` raises, and FieldErrors."""
    named_person = change_profile(
        tx,
        person,
        name=introduction.name,
        language=introduction.language,
        zone=introduction.zone,
        picks_gold=person.picks_gold,
    )
    slug = accept_invitation(tx, token, named_person, wish=wish)
    return SeatedNewcomer(slug=slug, person=named_person, session=None)


def seat_stranger(tx: Tx, token: str, stranger: Stranger) -> SeatedNewcomer:
    """Create the account of an invited stranger, with a name, a seat and a session, or nothing of it.

    Raises NotFound, NotAllowed, also if the address has an account by now, and FieldErrors.
    """
    invitation_page(tx, token, None)
    address, introduction = proved_address(tx, token, stranger.sign_up), stranger.introduction
    if address is None:
        raise NotAllowed(DenialReason.INVITATION_USED)
    # Two requests at the same time: the second one finds the account and opens nothing.
    sign_ins.lock_address(tx, address)
    if accounts.has_account(tx, address):
        raise NotAllowed(DenialReason.INVITATION_USED)
    person = accounts.find_or_create(
        tx, address, language=introduction.language, zone=introduction.zone
    )
    seated = seat_named_person(tx, token, person, introduction)
    session = open_session(tx, person, device=stranger.device)
    return msgspec.structs.replace(
        seated, session=OpenedSession(person=seated.person, token=session.token)
    )
