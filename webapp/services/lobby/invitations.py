"""Ways to a seat: a link in a mail for one person, or the table's own link for everybody who has it."""

from datetime import datetime, timedelta
from typing import Final

from webapp.services.accounts.addresses import parse_address
from webapp.services.accounts.person import Person, Viewer
from webapp.services.errors import Denied, FieldError, FieldErrors, NotAllowed, NotFound
from webapp.services.keys import Keyring, Tokens, hash_of
from webapp.services.lobby.invitation_links import open_way
from webapp.services.lobby.tables import sit_down
from webapp.services.play.access import LoadedGame, find_game
from webapp.services.play.page_data import InvitationPage
from webapp.services.play.showing import commitments_of, seat_cards, table_card
from webapp.services.tx import Tx
from webapp.store.lobby import invitations
from webapp.store.lobby.invitations import InvitationRow
from webapp.store.notifications import outbox
from webapp.store.notifications.outbox import NewNotification

MOST_INVITED: Final = 30
"""Addresses invited to one table."""
MOST_INVITED_A_DAY: Final = 100
"""Addresses that one person invites in a day: a server of games is no means to write to everybody."""


def invite(
    tx: Tx,
    game: LoadedGame,
    person: Person,
    *,
    address: str,
    keys: Keyring,
    tokens: Tokens,
    now: datetime,
) -> None:
    """Write to somebody that there is a seat. Wants the game locked; only those at the table and the host may.

    Raises FieldErrors for an address that cannot be, that this person invited before, or that is one too many; NotAllowed
    while no seat is free. Whom others invited is not told: such an address is taken like any other, and gets no second letter.
    """
    _require_may_invite(game, person)
    wanted = parse_address(address)
    inviters = _require_new(tx, game, person, wanted)
    _require_few(tx, person, now)
    number = open_way(tx, game.row.id, person, address=wanted, keys=keys, tokens=tokens, now=now)
    tx.nudges.add("emails")
    if inviters:
        return
    letter = NewNotification(
        kind="invitation", game_id=game.row.id, account_id=None, occasion=number, now=now
    )
    outbox.owe(tx.connection, [letter])


def invitation_page(tx: Tx, token: str, viewer: Viewer, *, now: datetime) -> InvitationPage:
    """What somebody sees who opens an invitation; nothing is accepted by looking. Raises NotFound."""
    invitation, slug = _find(tx, token)
    game, seat, me = find_game(tx, slug, viewer, now=now, mode="read")
    return InvitationPage(
        me=me,
        table=table_card(game.row),
        seats=seat_cards(game.row, me=seat),
        used=_is_used(invitation, me),
        seated=seat is not None,
        commitments=commitments_of(game.row),
    )


def accept(
    tx: Tx,
    token: str,
    person: Person,
    *,
    seat: int | None = None,
    name: str = "",
    now: datetime,
) -> str:
    """Sit down where one was invited; the slug of the game. Raises NotFound, and what ``sit_down`` raises."""
    _, slug = _find(tx, token)
    game = find_game(tx, slug, person, now=now, mode="change").game
    # Again, now that nobody else can take it: a mailed invitation seats one person.
    invitation, _ = _find(tx, token)
    if _is_used(invitation, person):
        raise NotAllowed(Denied.INVITATION_USED)
    sit_down(tx, game, person, seat=seat, name=name, now=now)
    if invitation.address is not None:
        invitations.accept(tx.connection, invitation.id, person.id)
    return slug


def _require_may_invite(game: LoadedGame, person: Person) -> None:
    if game.seat_of(person) is None and not game.is_hosted_by(person):
        raise NotAllowed(Denied.NOT_SEATED)
    if not game.status.is_before_deal:
        raise NotAllowed(Denied.NOT_OPEN)
    if not any(seat.is_free for seat in game.row.seats):
        raise NotAllowed(Denied.TABLE_FULL)


def _require_new(tx: Tx, game: LoadedGame, person: Person, address: str) -> frozenset[int]:
    """Refuse what this person invited before and nobody has used; the others who invited the address."""
    sent = [row for row in invitations.of_game(tx.connection, game.row.id) if row.address]
    inviters = {row.invited_by for row in sent if _still_invites(row, address)}
    if person.id in inviters:
        raise FieldErrors(FieldError("address", "duplicate"))
    if len(sent) >= MOST_INVITED:
        raise FieldErrors(FieldError("address", "too-many", {"max": MOST_INVITED}))
    return frozenset(inviters)


def _still_invites(row: InvitationRow, address: str) -> bool:
    """One that somebody has used seats nobody else: whoever it was meant for may be invited anew."""
    return row.accepted_by is None and (row.address or "").lower() == address.lower()


def _require_few(tx: Tx, person: Person, now: datetime) -> None:
    since = now - timedelta(days=1)
    if invitations.count_mailed(tx.connection, person.id, since=since) >= MOST_INVITED_A_DAY:
        raise FieldErrors(FieldError("address", "too-many", {"max": MOST_INVITED_A_DAY}))


def _find(tx: Tx, token: str) -> tuple[InvitationRow, str]:
    found = invitations.find(tx.connection, hash_of(token))
    if found is None:
        raise NotFound
    return found


def _is_used(invitation: InvitationRow, person: Person | None) -> bool:
    """Whether somebody else accepted it; whoever accepted may stand up and come back."""
    by = invitation.accepted_by
    return by is not None and (person is None or by != person.id)
