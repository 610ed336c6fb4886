"""What emails with codes and links about an account have in common, and what those about a change of address do."""

from collections.abc import Mapping, Sequence

from webapp.accounts.queries.email_facts import CodeFacts, read_address_changes, read_codes
from webapp.clock.pace.calendar import has_passed
from webapp.kernel.email_outcomes import DropReason
from webapp.kernel.tx import Tx
from webapp.mail.email import ContextT, Email, EmailSource, Superseded
from webapp.mail.envelope import EmailContext
from webapp.mail.queries.email_facts import Addressee


class CodeEmail(Email[CodeFacts, ContextT]):
    """An email with a code or a link that works once and for a while."""

    is_about_account = True

    def read_facts(
        self, tx: Tx, sources: Sequence[EmailSource[CodeFacts]]
    ) -> Mapping[int, CodeFacts]:
        return read_codes(tx, [source.notification.id for source in sources])

    def addressee(self, facts: CodeFacts) -> Addressee:
        return facts.addressee

    def usable(self, source: EmailSource[CodeFacts]) -> CodeFacts:
        """Return the code or the link. Raises Superseded unless it still works."""
        facts = source.require_facts(DropReason.EXPIRED)
        if has_passed(facts.expires_at, now=source.now):
            raise Superseded(DropReason.EXPIRED)
        if facts.is_used:
            raise Superseded(DropReason.USED)
        return facts


class AddressEmail(CodeEmail[ContextT]):
    """An email to the old or to the new address of an account."""

    def read_facts(
        self, tx: Tx, sources: Sequence[EmailSource[CodeFacts]]
    ) -> Mapping[int, CodeFacts]:
        return read_address_changes(tx, [source.notification.id for source in sources])


class AddressNoticeContext(EmailContext, frozen=True, kw_only=True):
    """A notice to the old address."""
