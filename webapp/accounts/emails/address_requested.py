"""An email to the old address of an account: someone has asked for another one."""

from webapp.accounts.emails.code_email import AddressEmail, AddressNoticeContext
from webapp.accounts.queries.email_facts import CodeFacts
from webapp.kernel.i18n import N_
from webapp.mail.email import EmailSource


class AddressRequested(AddressEmail[AddressNoticeContext]):
    kind = "address-requested"
    label = N_("Notice of a requested address")

    def context(self, source: EmailSource[CodeFacts]) -> AddressNoticeContext:
        self.usable(source)
        return AddressNoticeContext(envelope=self.envelope(source))


EMAIL = AddressRequested()
