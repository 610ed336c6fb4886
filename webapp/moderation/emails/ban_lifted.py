"""The recipient may sign in and play again, before their ban would have ended."""

from webapp.clock.pace.calendar import lies_ahead
from webapp.kernel.email_outcomes import DropReason
from webapp.kernel.i18n import N_
from webapp.mail.email import Email, EmailSource, Superseded
from webapp.mail.envelope import EmailContext


class BanLiftedContext(EmailContext, frozen=True, kw_only=True):
    """Nothing but to whom it goes."""


class BanLifted(Email[None, BanLiftedContext]):
    kind = "ban-lifted"
    label = N_("Ban lifted")
    is_about_account = True

    def context(self, source: EmailSource[None]) -> BanLiftedContext:
        """Return what is sent. Raises Superseded if the recipient is banned again."""
        if lies_ahead(source.notification.banned_until, now=source.now):
            raise Superseded(DropReason.BANNED)
        return BanLiftedContext(envelope=self.envelope(source))


EMAIL = BanLifted()
