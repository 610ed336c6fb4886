"""A digest becomes a message: header, text and HTML, as the bytes that go over the wire."""

import re
from collections.abc import Iterator
from datetime import datetime
from email.utils import format_datetime
from typing import Any, Final, NamedTuple, get_args

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template, select_autoescape

from webapp import urls
from webapp.i18n import Language, language_for, zone_for
from webapp.mail import bodies, headers
from webapp.mail.contents import contents_of
from webapp.mail.headers import Field, one_line
from webapp.mail.parts import Parts
from webapp.mail.wrapping import wrapped
from webapp.resources import templates_folder
from webapp.services.email_kinds import NotificationKind
from webapp.services.notifications.email_context import (
    EmailContext,
    Envelope,
    InvitationContext,
    SignInContext,
)
from webapp.templating import prepare

KINDS: Final[tuple[NotificationKind, ...]] = get_args(NotificationKind)
_BLANKS: Final = re.compile(r"\n{3,}")
_STAYS: Final = "\0"
"""Marks an empty line of a drawing until the text is tidy. No value can hold it: control characters go before that."""


class _Templates(NamedTuple):
    """The three of one kind, compiled."""

    subject: Template
    text: Template
    html: Template


class Composer:
    """Composes letters for one site. Everything is compiled when it is made; threads may share it.

    ``base_url`` stands before every link; ``mail_from`` is the address in From.
    """

    def __init__(self, *, base_url: str, mail_from: str) -> None:
        self._base_url = base_url
        self._from = headers.mailbox("From", mail_from, called="Lodepost")
        environment = _environment()
        self._templates = {kind: _compiled(environment, kind) for kind in KINDS}
        self._text_parts = Parts(environment.get_template("email/_base/parts.txt"))
        self._html_parts = Parts(environment.get_template("email/_base/parts.html"))

    def compose(self, digest: EmailContext, *, now: datetime) -> bytes:
        """The whole message; the same digest at the same instant gives the same bytes. Raises BadHeader."""
        templates = self._templates[digest.envelope.kind]
        context = self._context(digest, now)
        context["subject"] = one_line(templates.subject.render(context))
        text = templates.text.render(context, part=self._text_parts)
        html = templates.html.render(context, part=self._html_parts)
        boundary = _boundary_of(digest.envelope)
        fields = (
            *self._fields(digest.envelope, context["subject"], now),
            ("Content-Type", bodies.content_type(boundary)),
        )
        return headers.written(fields) + bodies.alternatives(_tidy(text), html, boundary=boundary)

    def _context(self, digest: EmailContext, now: datetime) -> dict[str, Any]:
        envelope = digest.envelope
        language = language_for(envelope.language)
        return {
            "language": language,
            "zone": zone_for(envelope.zone),
            "now": now,
            "digest": digest,
            "name": one_line(envelope.name),
            "link": urls.absolute(self._base_url, _path_of(digest)),
            "ends": tuple(self._ends(envelope, language)),
            **contents_of(digest, language),
        }

    def _ends(self, envelope: Envelope, language: Language) -> Iterator[tuple[str, str]]:
        """Where the recipient ends letters such as this one, the narrowest first."""
        tokens = envelope.unsubscribe
        if tokens.reminders:
            yield language.gettext("No more reminders"), self._end(tokens.reminders)
        if tokens.game:
            yield language.gettext("No more letters about this table"), self._end(tokens.game)
        if tokens.everything:
            yield language.gettext("No more letters at all"), self._end(tokens.everything)

    def _end(self, token: str) -> str:
        return urls.absolute(self._base_url, urls.unsubscribe(token))

    def _fields(self, envelope: Envelope, subject: str, now: datetime) -> Iterator[Field]:
        yield self._from
        yield headers.mailbox("To", envelope.address, called=envelope.name)
        yield headers.text("Subject", subject)
        yield headers.token("Date", format_datetime(now))
        yield headers.token("Message-ID", envelope.message_id)
        yield from _thread(envelope)
        yield from self._list(envelope)
        yield "Auto-Submitted", "auto-generated"
        yield "X-Auto-Response-Suppress", "All"
        yield headers.token("Feedback-ID", f"{envelope.kind}:letters:lodepost")
        yield "Content-Language", language_for(envelope.language).code
        yield "MIME-Version", "1.0"

    def _list(self, envelope: Envelope) -> Iterator[Field]:
        """RFC 2919 and RFC 8058. There is no mailto: nothing here receives mail yet."""
        if envelope.list_id:
            yield headers.token("List-Id", f"<{envelope.list_id}>")
        token = _one_click(envelope)
        if token:
            yield headers.token("List-Unsubscribe", f"<{self._end(token)}>")
            yield "List-Unsubscribe-Post", "List-Unsubscribe=One-Click"


def _boundary_of(envelope: Envelope) -> str:
    """What stands between the bodies. The id is a keyed hash: no name at the table can have been made to look like it."""
    digits = (sign for sign in envelope.message_id.partition("@")[0] if sign.isalnum())
    return "=_" + "".join(digits)[:40]


def _tidy(text: str) -> str:
    """One empty line is enough between two paragraphs; in a drawing there may be more."""
    return _BLANKS.sub("\n\n", text).replace(_STAYS, "").strip() + "\n"


def _drawn(drawing: str) -> str:
    return drawing.replace("\n\n", f"\n{_STAYS}\n")


def _thread(envelope: Envelope) -> Iterator[Field]:
    if envelope.root_id:
        yield headers.token("In-Reply-To", envelope.root_id)
        yield headers.token("References", envelope.root_id)


def _one_click(envelope: Envelope) -> str | None:
    """What one press in the mail program ends: reminders from a reminder, else the game, else everything."""
    tokens = envelope.unsubscribe
    narrow = tokens.reminders if envelope.kind == "reminder" else None
    return narrow or tokens.game or tokens.everything


def _path_of(digest: EmailContext) -> str:
    match digest:
        case SignInContext():
            return urls.sign_in_link(digest.link_token)
        case InvitationContext():
            return urls.invitation(digest.token)
    return urls.game(digest.table.slug)


def _environment() -> Environment:
    environment = Environment(
        autoescape=select_autoescape(("html",)),
        auto_reload=False,
        loader=FileSystemLoader(templates_folder()),
        keep_trailing_newline=True,
        lstrip_blocks=True,
        trim_blocks=True,
        undefined=StrictUndefined,
    )
    prepare(environment)
    environment.filters["wrapped"] = wrapped
    environment.filters["drawn"] = _drawn
    return environment


def _compiled(environment: Environment, kind: NotificationKind) -> _Templates:
    names = ("subject.txt", "body.txt", "body.html")
    return _Templates(*(environment.get_template(f"email/{kind}/{name}") for name in names))
