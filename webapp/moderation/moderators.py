"""Granting and removing the rights of a site moderator, which only the operator does, with a command."""

import secrets

from webapp.accounts import security_log
from webapp.accounts.addresses import parse_address
from webapp.accounts.queries import accounts
from webapp.kernel.i18n import SUPPORTED_LANGUAGES
from webapp.kernel.refusals import NotFound, checked_reason
from webapp.kernel.rights import OPERATOR
from webapp.kernel.tx import Tx
from webapp.moderation.queries import moderators
from webapp.moderation.queries.ledger import NewLedgerEntry
from webapp.moderation.queries.moderators import ChangedModerator, ModeratorRow


def add_moderator(tx: Tx, address: str, *, reason: str) -> bool:
    """Make the owner of an address a site moderator; return whether they were not one already.

    Creates the account if there is none, so that an operator can do this before signing in for the first time. Raises
    FieldErrors for ``address`` and ``reason``.
    """
    parsed_address, stated_reason = parse_address(address), checked_reason(reason)
    accounts.find_or_create(tx, parsed_address, language=SUPPORTED_LANGUAGES[0], zone="UTC")
    changed_moderator = moderators.set_moderator(tx, parsed_address, is_moderator=True)
    assert changed_moderator is not None
    return _record_change(tx, "moderator-add", changed_moderator, reason=stated_reason)


def remove_moderator(tx: Tx, address: str, *, reason: str) -> bool:
    """Take the rights of a site moderator away; return whether the person had them.

    Raises NotFound if there is no such account, and FieldErrors for ``address`` and ``reason``.
    """
    parsed_address, stated_reason = parse_address(address), checked_reason(reason)
    changed_moderator = moderators.set_moderator(tx, parsed_address, is_moderator=False)
    if changed_moderator is None:
        raise NotFound
    return _record_change(tx, "moderator-remove", changed_moderator, reason=stated_reason)


def site_moderators(tx: Tx) -> tuple[ModeratorRow, ...]:
    """Return everyone who moderates the site, by address."""
    return moderators.all_moderators(tx)


def _record_change(tx: Tx, act: str, changed_moderator: ChangedModerator, *, reason: str) -> bool:
    if not changed_moderator.has_changed:
        return False
    is_moderator = act == "moderator-add"
    entry = NewLedgerEntry(
        act=act,
        actor_id=None,
        acted_as=OPERATOR,
        account_id=changed_moderator.id,
        before={"moderator": not is_moderator},
        after={"moderator": is_moderator},
        reason=reason,
        form_id=secrets.token_urlsafe(),
        at=tx.now,
    )
    return security_log.record_act(tx, entry) is not None
