"""What is wrong with a field of a pace or of the rules for late players."""

from typing import Final

from webapp.i18n import N_

PACE_FIELD_TEXTS: Final[dict[tuple[str, str], str]] = {
    ("lowest_reliability", "above-own"): N_(
        "You take %(percent)s%% of your turns in time, so you couldn't join this table yourself. Please choose a lower share."
    ),
    ("bank", "out-of-range"): N_("A time bank has at most %(high)s hours."),
    ("bank", "below-refill"): N_(
        "The bank can't be smaller than what every turn puts back into it."
    ),
    ("refill", "out-of-range"): N_("Please enter how many hours every turn puts back."),
    ("weekdays", "empty"): N_("Please choose at least one playing day."),
    ("weekdays", "unknown"): N_("Please choose from the days listed."),
    ("weekdays", "too-slow"): N_(
        "With so few playing days and hours a turn could take more than a year. Please allow more of them, or less time."
    ),
    ("opens", "missing"): N_("Please say from when the clock runs, or leave both times empty."),
    ("closes", "missing"): N_("Please say until when the clock runs, or leave both times empty."),
    ("closes", "no-length"): N_(
        "The clock would never run. To let it run all day, leave both times empty."
    ),
    ("closes", "too-short"): N_("Please let the clock run for at least an hour a day."),
    ("pace", "unknown"): N_("Please choose one of the paces listed."),
}
