"""The code that lets someone who is signed in confirm who they are."""

from datetime import datetime

from webapp.accounts.emails.code_email import CodeEmail
from webapp.accounts.queries.email_facts import CodeFacts
from webapp.kernel.i18n import N_
from webapp.mail.email import EmailSource
from webapp.mail.envelope import EmailContext


class IdentityCodeContext(EmailContext, frozen=True, kw_only=True):
    """A code."""

    code: str
    expires_at: datetime


class IdentityCode(CodeEmail[IdentityCodeContext]):
    kind = "identity-code"
    label = N_("Code to confirm who they are")

    def context(self, source: EmailSource[CodeFacts]) -> IdentityCodeContext:
        facts = self.usable(source)
        return IdentityCodeContext(
            envelope=self.envelope(source),
            code=source.keys.code(facts.nonce),
            expires_at=facts.expires_at,
        )


EMAIL = IdentityCode()
