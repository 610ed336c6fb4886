"""Whether an address has an account or an invitation, for sites where not everyone may create an account."""

from sqlalchemy import Connection, func, or_, select

from webapp.store.schema.accounts import Account
from webapp.store.schema.clubs import ClubInvitation
from webapp.store.schema.lobby import Invitation, SeatOffer


def has_account(connection: Connection, address: str) -> bool:
    account = select(Account.id).where(func.lower(Account.address) == address.lower())
    return connection.execute(select(account.exists())).scalar_one()


def is_invited(connection: Connection, address: str, token_hash: bytes | None) -> bool:
    """Return whether the address was invited to a table or a club or offered a seat, or the token is that of such a link."""
    invitations = [
        select(table.id).where(
            or_(func.lower(table.address) == address.lower(), table.token_hash == token_hash)
        )
        for table in (Invitation, ClubInvitation, SeatOffer)
    ]
    is_invited_to_any = or_(*(invitation.exists() for invitation in invitations))
    return connection.execute(select(is_invited_to_any)).scalar_one()
