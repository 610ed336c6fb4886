"""The page about personal data, with the periods that housekeeping applies."""

from typing import Final

from flask import Blueprint
from flask.typing import ResponseReturnValue

from webapp.kernel import urls
from webapp.kernel.i18n import N_
from webapp.privacy.retention import RETENTION_RULES, KeptData
from webapp.web.layout import PagePosition, render_page
from webapp.web.session import locale_of

pages = Blueprint("privacy", __name__)
_KEPT_TEXTS: Final[dict[KeptData, str]] = {
    "sign-ins": N_(
        "Requests for codes and links, with the browser and its network: they limit how often someone can ask and guess"
    ),
    "sessions": N_("Where you're signed in: so that you stay signed in, and can see and end it"),
    "network-addresses": N_("The network address of a sign-in: so that misuse can be noticed"),
    "address-changes": N_("Changes of your address: so that you can find out what happened"),
    "seat-offers": N_(
        "Offers of seats in games: so that the person can answer, and misuse be noticed"
    ),
    "absences": N_("When you were away: so that deadlines can be explained"),
    "clubs-without-games": N_(
        "Clubs that were closed and never had a game, with everything in them"
    ),
    "passkey-challenges": N_("What a passkey has to sign next"),
    "event-network-addresses": N_(
        "The network address of an event such as a sign-in: so that misuse can be noticed"
    ),
    "security-events": N_(
        "Events such as sign-ins, without the network address: so that misuse can be cleared up"
    ),
    "health-samples": N_("How well the server runs, in figures that name no one"),
    "heartbeats": N_("Which parts of the server are running"),
    "emails": N_(
        "That an email was sent to you, and what became of it; about a game, from its end on"
    ),
    "deadlines": N_(
        "When each turn of a game began, was due and ended, from the end of the game on; a player's reliability is counted from it"
    ),
    "answers-by-email": N_("The commands in emails that players send, and what became of them"),
    "reported-messages": N_(
        "What a reported message said, once a moderator has decided: so that the decision can be explained"
    ),
    "reply-addresses": N_("The addresses to which players answer, once their game is over"),
}


@pages.get(urls.privacy.rule)
def show_privacy() -> ResponseReturnValue:
    """Show what is kept, for how long and why."""
    language = locale_of(None).language
    kept_data = [
        (language.gettext(_KEPT_TEXTS[rule.data]), rule.period) for rule in RETENTION_RULES
    ]
    return render_page(
        "site/privacy.html",
        viewer=None,
        nav_position=PagePosition(urls.privacy()),
        kept=kept_data,
    )
