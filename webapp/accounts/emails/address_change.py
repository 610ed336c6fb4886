"""An email to a new address with the link that confirms it; without the link if another account has the address."""

from datetime import datetime

from webapp.accounts.address_change import change_token
from webapp.accounts.emails.code_email import AddressEmail
from webapp.accounts.queries.email_facts import CodeFacts
from webapp.kernel.i18n import N_
from webapp.mail.email import EmailSource
from webapp.mail.envelope import EmailContext


class AddressChangeContext(EmailContext, frozen=True, kw_only=True):
    """The link; None if the new address belongs to another account."""

    link_token: str | None
    expires_at: datetime


class AddressChange(AddressEmail[AddressChangeContext]):
    kind = "address-change"
    label = N_("Link to a new address")

    def context(self, source: EmailSource[CodeFacts]) -> AddressChangeContext:
        facts = self.usable(source)
        is_taken = source.notification.recipient_id is not None
        return AddressChangeContext(
            envelope=self.envelope(source),
            link_token=None if is_taken else change_token(facts.nonce, source.keys),
            expires_at=facts.expires_at,
        )


EMAIL = AddressChange()
