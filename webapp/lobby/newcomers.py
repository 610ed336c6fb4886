"""Taking a seat with an invitation before one has a name, and, with an emailed invitation, before one has an account.

The link of an emailed invitation was sent to one address only, so it proves that address as an emailed sign-in link does.
It creates the account of a newcomer and nothing more: it never opens an account that exists, which takes a fresh email.
"""

import msgspec

from webapp.accounts.addresses import masked_address
from webapp.accounts.person import Person, Viewer, person_from
from webapp.accounts.profile import change_profile
from webapp.accounts.queries import accounts, sign_ins
from webapp.accounts.sessions import Device, OpenedSession, open_session
from webapp.accounts.sign_in import may_sign_in
from webapp.kernel.errors import DenialReason, NotAllowed
from webapp.kernel.keyring import RandomBytes, hash_of
from webapp.kernel.redacted import Redacted
from webapp.kernel.site_settings import SignUp
from webapp.kernel.tx import Tx
from webapp.lobby.invitations import InvitationPage, StartedGame, accept_invitation, invitation_page
from webapp.lobby.queries import invitations
from webapp.lobby.seats import ANY_SEAT, SeatWish


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
    """Where emails will go; empty for a person who is signed in."""


class SeatedNewcomer(Redacted, frozen=True, kw_only=True):
    """A person who has a name and a seat now, and the session of the account that was created for them."""

    slug: str
    person: Person
    session: OpenedSession | None


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


def seat_stranger(tx: Tx, token: str, stranger: Stranger, *, tokens: RandomBytes) -> SeatedNewcomer:
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
    account = accounts.find_or_create(
        tx, address, language=introduction.language, zone=introduction.zone
    )
    seated = seat_named_person(tx, token, person_from(account), introduction)
    session = open_session(tx, account, device=stranger.device, tokens=tokens)
    return msgspec.structs.replace(
        seated, session=OpenedSession(person=seated.person, token=session.token)
    )
