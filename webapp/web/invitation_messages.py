"""Error messages about invitations by email, and about names that the emails show."""

from typing import Final

from webapp.i18n import N_

INVITATION_FIELD_TEXTS: Final[dict[tuple[str, str], str]] = {
    ("address", "too-many"): N_(
        "This table has sent all of its %(max)s invitations. Share its link instead."
    ),
    ("address", "too-many-in-club"): N_(
        "This club has sent all of its %(max)s invitations. Share its link instead."
    ),
    ("address", "too-many-today"): N_(
        "You've sent all of your %(max)s club invitations for today. Share the club's link instead."
    ),
    ("address", "unanswered"): N_(
        "You've already invited this person and they haven't answered yet. You can share the table's link with them."
    ),
    ("address", "newcomer"): N_(
        "Until you've finished a game with other people you can send %(max)s invitations a day. Share the link instead."
    ),
    ("name", "link"): N_("Names can't contain web or email addresses, or slashes."),
    ("name", "brackets"): N_("Names can't contain brackets."),
    ("name", "reserved"): N_(
        "This name could be mistaken for someone who runs this site. Please choose another."
    ),
    ("name", "club-taken"): N_(
        "That looks too much like the name of another club. Please choose a different name."
    ),
    ("table_name", "required"): N_("Please type a name, not only punctuation."),
    ("table_name", "link"): N_("Names can't contain web or email addresses, or slashes."),
    ("table_name", "brackets"): N_("Names can't contain brackets."),
    ("table_name", "reserved"): N_(
        "This name could be mistaken for a message from this site. Please choose another."
    ),
    ("season_name", "link"): N_("Names can't contain web or email addresses, or slashes."),
    ("season_name", "brackets"): N_("Names can't contain brackets."),
}
