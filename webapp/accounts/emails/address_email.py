"""What the emails about a change of an address have in common."""

from collections.abc import Mapping, Sequence

from webapp.accounts.emails.code_email import CodeEmail
from webapp.mail.email import ContextT, EmailSource
from webapp.mail.envelope import EmailContext
from webapp.services.tx import Tx
from webapp.store.notifications.account_facts import CodeFacts, read_address_changes


class AddressEmail(CodeEmail[ContextT]):
    """An email to the old or to the new address of an account."""

    def read_facts(
        self, tx: Tx, sources: Sequence[EmailSource[CodeFacts]]
    ) -> Mapping[int, CodeFacts]:
        return read_address_changes(tx.connection, [source.notification.id for source in sources])


class AddressNoticeContext(EmailContext, frozen=True, kw_only=True):
    """A notice to the old address."""
