"""A moderator has banned the recipient for a while."""

from webapp.kernel.i18n import N_
from webapp.moderation.emails.sanction_email import SanctionEmail


class Ban(SanctionEmail):
    kind = "ban"
    label = N_("Ban")


EMAIL = Ban()
