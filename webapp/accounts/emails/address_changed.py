"""An email to the old address of an account: the account has another one."""

from webapp.accounts.emails.code_email import AddressEmail, AddressNoticeContext
from webapp.accounts.queries.email_facts import CodeFacts
from webapp.kernel.i18n import N_
from webapp.mail.email import EmailSource


class AddressChanged(AddressEmail[AddressNoticeContext]):
    kind = "address-changed"
    label = N_("Notice of a changed address")

    def context(self, source: EmailSource[CodeFacts]) -> AddressNoticeContext:
        return AddressNoticeContext(envelope=self.envelope(source))


EMAIL = AddressChanged()
