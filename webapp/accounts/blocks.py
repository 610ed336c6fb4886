"""Blocks and mutes: people block those whom they do not want to meet, and mute those whom they do not want to read.

Blocked and muted people are never shown it, and refusals look like any other. Invitations by a blocked person are
accepted like all others, but no email is sent, and the blocked person gets no seat at a table that the other hosts.
Messages of a muted person are left out of all that the other reads: tables, history and emails. Nothing says that one
is missing.
"""

from collections.abc import Collection, Sized
from typing import Final

from webapp.accounts.person import Person
from webapp.accounts.queries import blocks
from webapp.accounts.queries.blocks import BlockRow, MuteRow
from webapp.kernel.database import is_storable
from webapp.kernel.keyring import random_token
from webapp.kernel.refusals import FieldError, FieldErrors
from webapp.kernel.tx import Tx

MAX_PEOPLE: Final = 500
"""How many people a person may block, and how many they may mute."""
_REF_SIZE: Final = 9


def block_account(tx: Tx, person: Person, account_id: int, *, name: str) -> None:
    """Block the owner of this account, whom the person knows under this name. Raises FieldErrors for too many."""
    ref = _ref_of_one_more(tx, blocks_made_by(tx, person))
    blocks.add_block(tx, person.id, account_id, ref=ref, name=name)


def mute_account(tx: Tx, person: Person, account_id: int, *, name: str) -> None:
    """Mute the owner of this account, who wrote under this name. Raises FieldErrors for too many."""
    ref = _ref_of_one_more(tx, mutes_made_by(tx, person))
    blocks.add_mute(tx, person.id, account_id, ref=ref, name=name)


def _ref_of_one_more(tx: Tx, people: Sized) -> str:
    """Return what identifies one more block or mute. Raises FieldErrors if there are too many."""
    if len(people) >= MAX_PEOPLE:
        raise FieldErrors(FieldError("name", "too-many", {"max": MAX_PEOPLE}))
    return random_token(tx.tokens.random_bytes, _REF_SIZE)


def blocks_made_by(tx: Tx, person: Person) -> tuple[BlockRow, ...]:
    """Return the people whom the person has blocked, newest first."""
    return blocks.blocks_of_account(tx, person.id)


def mutes_made_by(tx: Tx, person: Person) -> tuple[MuteRow, ...]:
    """Return the people whom the person has muted, newest first."""
    return blocks.mutes_of_account(tx, person.id)


def unblock(tx: Tx, person: Person, ref: str) -> None:
    """Delete one of the person's blocks. Deleting it twice changes nothing, and neither does another person's block."""
    if is_storable(ref):
        blocks.delete_block(tx, person.id, ref)


def unmute(tx: Tx, person: Person, ref: str) -> None:
    """Delete one of the person's mutes. Deleting it twice changes nothing, and neither does another person's mute."""
    if is_storable(ref):
        blocks.delete_mute(tx, person.id, ref)


def may_sit_with(tx: Tx, host_id: int, account_id: int) -> bool:
    """Return whether the host of a table has not blocked this account."""
    return not blocks.is_blocked(tx, blocker_id=host_id, blocked_id=account_id)


def is_invitation_sent(
    tx: Tx, address: str, inviter: Person, earlier_inviters: Collection[int]
) -> bool:
    """Return whether an invitation is emailed: not if its addressee has blocked the inviter, or got one from another.

    Earlier invitations by people whom the addressee has blocked do not count, because they were not sent either.
    """
    blocked_ids = blocks.account_ids_blocked_by_address(tx, address)
    return inviter.id not in blocked_ids and blocked_ids.issuperset(earlier_inviters)
