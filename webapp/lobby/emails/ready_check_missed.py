"""The recipient did not confirm in time that they are ready, and has lost their seat."""

from webapp.kernel.i18n import N_
from webapp.lobby.emails.seat_freed_email import SeatFreedEmail


class ReadyCheckMissed(SeatFreedEmail):
    kind = "ready-check-missed"
    label = N_("Seat lost in the ready check")


EMAIL = ReadyCheckMissed()
