"""The recipient, who asked to join a club, is a member now."""

from webapp.clubs.emails.club_email import ClubAnswerEmail
from webapp.kernel.i18n import N_


class ClubAdmitted(ClubAnswerEmail):
    kind = "club-admitted"
    label = N_("Request to a club accepted")
    is_yes = True


EMAIL = ClubAdmitted()
