"""The addresses of all pages: pages are registered under their rules, pages and emails build them: ``urls.game(slug)``.

An address is a path on this server; ``absolute_url`` adds the server's own. Nothing here needs a request or Flask.
"""

from functools import cached_property, lru_cache
from typing import Final
from urllib.parse import quote, urlencode

from werkzeug.routing import BaseConverter, Map, Rule, UnicodeConverter

from engine.actions import Action, Discard, card_of

_MAX_PATH_LENGTH: Final = 1000


class _TextConverter(UnicodeConverter):
    """Any text without a slash."""

    def to_url(self, value: str) -> str:
        return quote(value, safe="")


class _SlugConverter(BaseConverter):
    """The slug of a game or a club; any other text is not found without a query."""

    regex = "[a-z0-9]{1,32}"
    to_url = _TextConverter.to_url


class _TokenConverter(BaseConverter):
    """A token, or the reference of a person, a session or a passkey."""

    regex = "[A-Za-z0-9_=-]{1,128}"
    to_url = _TextConverter.to_url


CONVERTERS: Final = {"default": _TextConverter, "slug": _SlugConverter, "token": _TokenConverter}
_BUILT_RULES: Final = Map(converters=CONVERTERS)


class Address:
    """The address of a page: its ``rule`` registers the page, a call builds the path."""

    def __init__(self, rule: str) -> None:
        self.rule = rule

    def __call__(self, *parts: str | int, **query: str | int | None) -> str:
        """Return the path with these parts, and a query of the parameters that are not None."""
        path = self._path(*parts)
        parameters = {name: value for name, value in query.items() if value is not None}
        return f"{path}?{urlencode(parameters)}" if parameters else path

    # A page has the same few addresses again and again.
    @lru_cache(maxsize=2048)  # noqa: B019 - addresses live as long as the process
    def _path(self, *parts: str | int) -> str:
        built = self._compiled_rule.build(
            dict(zip(self._part_names, parts, strict=True)), append_unknown=False
        )
        assert built is not None
        return built[1]

    @cached_property
    def _compiled_rule(self) -> Rule:
        # Compiled when it is first built: a process builds few of all addresses, and each takes a millisecond.
        rule = Rule(self.rule, build_only=True)
        _BUILT_RULES.add(rule)
        return rule

    @cached_property
    def _part_names(self) -> list[str]:
        arguments = self._compiled_rule.arguments
        return sorted(arguments, key=lambda name: self.rule.index(f"{name}>"))


# Signing in, and everyone's own account.
sign_in = Address("/sign-in")
sign_in_code = Address("/sign-in/code")
sign_in_pause = Address("/sign-in/not-me/<token:link>")
"""Where sign-in emails are stopped for a day by a person who has requested none."""
sign_in_link = Address("/sign-in/link/<token:link>")
sign_out = Address("/sign-out")
passkey_sign_in = Address("/sign-in/passkey")
passkey_sign_in_options = Address("/sign-in/passkey/options")
profile = Address("/account")
profile_emails = Address("/account/emails")
"""Where stopped emails are switched on again."""
account_security = Address("/account/security")
"""The address, the passkeys and the browsers of an account."""
session = Address("/account/sessions/<token:ref>")
other_sessions = Address("/account/sessions")
account_address = Address("/account/address")
withdraw_address = Address("/account/address/withdraw")
resume_emails = Address("/account/address/emails")
"""Where emails are sent again to an address from which they came back."""
address_link = Address("/account/address/<token:link>")
new_passkey = Address("/account/passkeys/new")
new_passkey_options = Address("/account/passkeys/options")
remove_passkey = Address("/account/passkeys/<token:ref>/remove")
identity = Address("/account/confirm")
"""The page on which people prove who they are before a dangerous act."""
identity_code = Address("/account/confirm/email")
identity_passkey = Address("/account/confirm/passkey")
identity_passkey_options = Address("/account/confirm/passkey/options")
account_data = Address("/account/data")
account_export = Address("/account/export")
account_deletion = Address("/account/delete")
blocked_people = Address("/account/blocked")
unblock = Address("/account/blocked/<token:ref>")
muted_people = Address("/account/muted")
unmute = Address("/account/muted/<token:ref>")

# The clock: absences, reminders and quiet hours of an account, and open seats of games.
time_away = Address("/account/away")
start_holiday = Address("/account/away/now")
absence = Address("/account/away/<int(max=999999999):number>")
end_absence = Address("/account/away/<int(max=999999999):number>/end")
reminders = Address("/account/away/reminders")
quiet_hours = Address("/account/away/quiet-hours")
open_seat_emails = Address("/account/away/open-seats")
open_seats = Address("/games/open-seats")
open_seat = Address("/games/<slug:slug>/open-seat")
"""A seat whose player missed too many turns; ``link`` invites to a private table."""
briefing = Address("/games/<slug:slug>/briefing")
"""What the seat knows that a player takes over."""

# New tables, and tables before the deal. The page of a table has the address of its game.
tables = Address("/games")
new_game = Address("/games/new")
bot_game = Address("/games/quick")
lobby_action = Address("/games/<slug:slug>/<verb>")
invitation = Address("/invitations/<token:link>")
invited_name = Address("/invitations/<token:link>/name")
seat_offer = Address("/seat-offers/<token:link>")
decline_seat_offer = Address("/seat-offers/<token:link>/decline")

# Games.
game = Address("/games/<slug:slug>")
"""The page of a game, its lobby before the deal. The query has what the viewer has picked: ``card``, ``cell`` ..."""
move = Address("/m/<token:link>")
"""The preview of the move ``do`` from an email; without it, where the move is played."""
turns = Address("/games/<slug:slug>/turns")
choice = Address("/games/<slug:slug>/choice")
"""What the page of a game changes for a choice, for its script. The query is that of the page."""
page_version = Address("/games/<slug:slug>/version")
"""Where a browser with an open page of the game asks whether anything is new."""
history = Address("/games/<slug:slug>/history")
"""The history with the mine after turn ``until``, of one ``seat``, with the beliefs of a ``bot`` once the game is over."""
rematch = Address("/games/<slug:slug>/rematch")
share = Address("/games/<slug:slug>/share")
withdraw_share = Address("/games/<slug:slug>/share/withdraw")
shared_game = Address("/shared/<token:link>")
shared_picture = Address("/shared/<token:link>/picture.png")
round_result = Address("/games/<slug:slug>/rounds/<int(max=9):number>")
fairness = Address("/games/<slug:slug>/fairness")
export = Address("/games/<slug:slug>/export")
deadlines = Address("/games/<slug:slug>/deadlines")
deadline = Address("/games/<slug:slug>/deadlines/<int(max=999999999):seq>")
"""Explains the deadline that began at a position of the game, or the last one before it."""
players = Address("/games/<slug:slug>/players")
block = Address("/games/<slug:slug>/players/<int:seat>/block")
votes = Address("/games/<slug:slug>/votes")
vote = Address("/games/<slug:slug>/votes/<int(max=999999999):vote_id>")
messages = Address("/games/<slug:slug>/messages")
message = Address("/games/<slug:slug>/messages/<int(max=999999999):number>")
delete_message = Address("/games/<slug:slug>/messages/<int(max=999999999):number>/delete")
mute_author = Address("/games/<slug:slug>/messages/<int(max=999999999):number>/mute")
notes = Address("/games/<slug:slug>/notes")
"""Where a player saves their private note, and marks others."""
nudge = Address("/games/<slug:slug>/nudge")
seen_announcements = Address("/games/<slug:slug>/announcements/seen")
plan = Address("/games/<slug:slug>/plan")
discard_plan = Address("/games/<slug:slug>/plan/discard")
withdraw_turn = Address("/games/<slug:slug>/held-turn/withdraw")
play_held_turn = Address("/games/<slug:slug>/held-turn/play")

# Clubs.
clubs = Address("/clubs")
new_club = Address("/clubs/new")
club = Address("/clubs/<slug:slug>")
"""The page of a club; ``season`` is the id of a season, 0 for all games."""
club_members = Address("/clubs/<slug:slug>/members")
club_settings = Address("/clubs/<slug:slug>/settings")
club_action = Address("/clubs/<slug:slug>/<verb>")
club_member_action = Address(
    "/clubs/<slug:slug>/members/<int(max=999999999):member>/<any(approve, refuse, remove, promote, demote, 'hand-over'):verb>"
)
club_season = Address("/clubs/<slug:slug>/seasons/<int(max=999999999):season>/delete")
club_invitation = Address("/club-invitations/<token:link>")

# Moderators, reports and appeals.
moderation = Address("/moderation")
moderated_game = Address("/moderation/games/<slug:slug>")
moderated_person = Address("/moderation/people/<token:ref>")
moderated_act = Address("/moderation/games/<slug:slug>/acts/<act>")
"""The form of an act on a game; the query fills it in, and the page shows a preview."""
bulk_act = Address("/moderation/acts/<act>")
"""The form of an act on several games: the query and the form name each as ``game=SLUG:SEQ``; ``back`` is their list."""
sanction = Address("/moderation/people/<token:ref>/<kind>")
reports = Address("/moderation/reports")
report = Address("/moderation/reports/<int(max=999999999):number>")
remove_message = Address("/moderation/reports/<int(max=999999999):number>/remove-message")
new_report = Address("/games/<slug:slug>/report")
appeal = Address("/appeals/<token:token>")
acknowledge_warning = Address("/profile/warning")
saved_filters = Address("/moderation/filters")
saved_filter = Address("/moderation/filters/<int(max=999999999):number>")
peek = Address("/moderation/games/<slug:slug>/peek")
"""Asks a moderator before they look at the secrets of a game."""
peeked_game = Address("/moderation/games/<slug:slug>/peek/open")
site_settings = Address("/moderation/settings")
security_log = Address("/moderation/security")
ledger = Address("/moderation/ledger")
site_announcement = Address("/moderation/announcement")
withdraw_announcement = Address("/moderation/announcement/withdraw")
dismiss_hints = Address("/account/hints/dismiss")
dismiss_announcement = Address("/announcements/<int(max=999999999999):number>/dismiss")
statistics = Address("/moderation/statistics")

# The home page, the rules, and pages about this site.
home = Address("/")
next_game = Address("/next")
"""Redirects to the game that waits for the viewer with the least time left, or to the one ``after`` a game left for later."""
archive = Address("/archive")
how_to_play = Address("/how-to-play")
rules = Address("/rules")
rulebook = Address("/rules/<key>")
about = Address("/about")
legal_page = Address("/legal/<name>")
privacy = Address("/privacy")
rights = Address("/rights")
security_txt = Address("/.well-known/security.txt")

# Opting out of emails, the mailbox of a server without a relay, mail providers and monitoring.
unsubscribe = Address("/u/<token:link>")
resubscribe = Address("/u/<token:link>/resubscribe")
mailbox = Address("/mailbox")
style = Address("/style")
mailbox_email = Address("/mailbox/<name>")
mailbox_email_html = Address("/mailbox/<name>/html")
mailbox_answer = Address("/mailbox/<name>/answer")
email_reports = Address("/email-reports")
health = Address("/healthz")
readiness_probe = Address("/readyz")
metrics = Address("/metrics")


def absolute_url(base_url: str, path: str) -> str:
    """Return the full URL of a path, for emails and for links to share."""
    return base_url.rstrip("/") + path


def game_with_action(slug: str, action: Action) -> str:
    """Return the page of a game with this action picked: its player sees it on the mine, and presses once to play it."""
    turned = getattr(action, "turned", None)
    return game(
        slug,
        card=card_of(action),
        cell=getattr(action, "cell", None),
        seat=getattr(action, "seat", None),
        tool=getattr(action, "tool", None),
        turned=None if turned is None else int(turned),
        discard=1 if isinstance(action, Discard) else None,
    )


def dashboard_or_none(path: str) -> str | None:
    """Return a path that came with a form if it is the dashboard's, with any filter; None for every other text."""
    base = moderation()
    is_dashboard = path == base or path.startswith(f"{base}?")
    return path if is_dashboard and path.isprintable() and len(path) <= _MAX_PATH_LENGTH else None
