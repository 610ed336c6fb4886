"""The code and the link that sign someone in."""

from collections.abc import Mapping
from datetime import datetime

from webapp.accounts.emailed_codes import pause_token
from webapp.accounts.emails.code_email import CodeEmail
from webapp.accounts.queries.email_facts import CodeFacts
from webapp.accounts.sign_in import sign_in_token
from webapp.kernel.i18n import N_
from webapp.mail.email import EmailLocale, EmailSource
from webapp.mail.envelope import EmailContext
from webapp.wording.security import user_agent_name


class SignInContext(EmailContext, frozen=True, kw_only=True):
    """A code and a link, and the browser that requested them."""

    code: str
    link_token: str
    expires_at: datetime
    pause_token: str
    user_agent: str


class SignIn(CodeEmail[SignInContext]):
    kind = "sign-in"
    label = N_("Sign-in")

    def context(self, source: EmailSource[CodeFacts]) -> SignInContext:
        facts, keys = self.usable(source), source.keys
        return SignInContext(
            envelope=self.envelope(source),
            code=keys.code(facts.nonce),
            link_token=sign_in_token(facts.nonce, keys),
            expires_at=facts.expires_at,
            user_agent=facts.user_agent or "",
            pause_token=pause_token(facts.nonce, keys),
        )

    def variables(self, context: SignInContext, locale: EmailLocale) -> Mapping[str, object]:
        return {"browser": user_agent_name(context.user_agent, locale.language)}


EMAIL = SignIn()
