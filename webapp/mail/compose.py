"""Composes the message for a recipient's context: its content rendered as text and as HTML, under header fields."""

from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import datetime
from email.utils import format_datetime
from functools import cache, lru_cache
from typing import Final, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from webapp.kernel import colours, urls
from webapp.kernel.i18n import SUPPORTED_LANGUAGES, Language, language_for, zone_for
from webapp.kernel.resources import templates_folder
from webapp.kernel.site_settings import SiteSettings
from webapp.mail import mime
from webapp.mail.blocks import (
    Attachment,
    Block,
    Drawing,
    EmailContent,
    Hand,
    Heading,
    Paragraph,
    plain_text,
    wrap_sentences,
)
from webapp.mail.email import EmailLocale, emails_by_kind
from webapp.mail.envelope import EmailContext, Envelope, with_token
from webapp.mail.mime import HeaderField, MessageParts, TextFile, UndrawnPicture
from webapp.mail.templates import EmailTemplates

_CACHED_BLOCK_COUNT: Final = 512


class _Link(NamedTuple):
    label: str
    url: str


def _default_site_name() -> str:
    return SiteSettings().site_name


class Composer:
    """Composes the emails of one site. The templates are compiled once; threads may share it.

    ``base_url`` begins every link; ``mail_from`` is the address in From, and ``site_name`` returns the name beside it.
    """

    def __init__(
        self,
        *,
        base_url: str,
        mail_from: str,
        site_name: Callable[[], str] = _default_site_name,
    ) -> None:
        self._base_url = base_url
        self._mail_from = mail_from
        self._site_name = site_name
        self._templates = EmailTemplates()
        self._html_renderer = _HtmlRenderer()

    def compose(self, context: EmailContext, *, now: datetime) -> MessageParts:
        """Return the whole message but its pictures, which are drawn when it is sent. Raises BadHeader.

        The same context at the same instant gives the same message.
        """
        envelope = context.envelope
        language = language_for(envelope.language)
        locale = EmailLocale(
            language, zone_for(envelope.zone), now, self._base_url, site_name=self._site_name()
        )
        content = self._templates.content_of(context, locale)
        opt_outs = tuple(self._opt_out_links(envelope, language))
        marker = _reply_marker(language) if envelope.reply_to else ""
        return MessageParts(
            html=self._html_renderer.render(content, opt_outs, language, marker=marker),
            text=_text_of(content, opt_outs, marker),
            fields=tuple(self._header_fields(envelope, content.subject, now)),
            boundary=_boundary_of(envelope),
            pictures=_pictures_of(content),
            files=tuple(
                TextFile(block.name, block.content)
                for block in content.blocks
                if isinstance(block, Attachment)
            ),
        )

    def _opt_out_links(self, envelope: Envelope, language: Language) -> Iterator[_Link]:
        """Yield the links with which the recipient stops such emails, the narrowest scope first."""
        tokens = envelope.unsubscribe
        if tokens.reminders:
            yield _Link(language.gettext("Stop reminders"), self._opt_out_url(tokens.reminders))
        if tokens.game:
            label = language.gettext("Stop emails about this table")
            yield _Link(label, self._opt_out_url(tokens.game))
        if tokens.club:
            label = language.gettext("Stop announcements of this club")
            yield _Link(label, self._opt_out_url(tokens.club))
        if tokens.requests:
            label = language.gettext("Stop emails about requests to join this club")
            yield _Link(label, self._opt_out_url(tokens.requests))
        if tokens.seats:
            label = language.gettext("Stop emails about open seats")
            yield _Link(label, self._opt_out_url(tokens.seats))
        if tokens.everything:
            yield _Link(language.gettext("Stop all email"), self._opt_out_url(tokens.everything))

    def _opt_out_url(self, token: str) -> str:
        return urls.absolute_url(self._base_url, urls.unsubscribe(token))

    def _header_fields(
        self, envelope: Envelope, subject: str, now: datetime
    ) -> Iterator[HeaderField]:
        yield mime.mailbox_field("From", self._mail_from, display_name=self._site_name())
        yield mime.mailbox_field("To", envelope.address, display_name=envelope.name)
        yield mime.text_field("Subject", subject)
        yield mime.ascii_field("Date", format_datetime(now))
        yield mime.ascii_field("Message-ID", envelope.message_id)
        if envelope.root_id:
            yield mime.ascii_field("In-Reply-To", envelope.root_id)
            yield mime.ascii_field("References", envelope.root_id)
        if envelope.reply_to:
            yield mime.mailbox_field("Reply-To", envelope.reply_to, display_name=self._site_name())
        yield from self._mailing_list_fields(envelope)
        yield "Auto-Submitted", emails_by_kind()[envelope.kind].auto_submitted
        yield "X-Auto-Response-Suppress", "All"
        yield mime.ascii_field("Feedback-ID", f"{envelope.kind}:emails:lodepost")
        yield "Content-Language", language_for(envelope.language).code
        yield "MIME-Version", "1.0"

    def _mailing_list_fields(self, envelope: Envelope) -> Iterator[HeaderField]:
        """Yield the fields of RFC 2919 and RFC 8058; by email (RFC 2369 3.2) emails are stopped where answers are read."""
        if envelope.list_id:
            yield mime.ascii_field("List-Id", f"<{envelope.list_id}>")
        token = _one_click_unsubscribe_token(envelope)
        if token:
            links = [f"<{self._opt_out_url(token)}>"]
            if envelope.reply_address:
                address = with_token(envelope.reply_address, token)
                links.append(f"<mailto:{address}?subject=unsubscribe>")
            yield mime.ascii_field("List-Unsubscribe", ", ".join(links))
            yield "List-Unsubscribe-Post", "List-Unsubscribe=One-Click"


class _HtmlRenderer:
    """Renders content with the macros of `email/blocks.html`, one for each class of block, inside `email/email.html`."""

    def __init__(self) -> None:
        environment = Environment(
            autoescape=select_autoescape(("html",)),
            auto_reload=False,
            loader=FileSystemLoader(templates_folder()),
            lstrip_blocks=True,
            trim_blocks=True,
            undefined=StrictUndefined,
        )
        environment.filters["wrapped"] = wrap_sentences
        environment.globals.update(
            light=colours.LIGHT_COLOURS,
            dark=colours.DARK_COLOURS,
            player_colours=tuple(
                zip(
                    colours.LIGHT_PLAYER_COLOURS,
                    colours.DARK_PLAYER_COLOURS,
                    strict=True,
                )
            ),
            initials_colours=(colours.LIGHT_INITIALS, colours.DARK_INITIALS),
        )
        self._page_template = environment.get_template("email/email.html")
        self._macros = vars(environment.get_template("email/blocks.html").module)
        # Most headings and paragraphs recur in email after email.
        self._render_cached_block = lru_cache(maxsize=_CACHED_BLOCK_COUNT)(self._render_block)

    def render(
        self, content: EmailContent, opt_outs: Sequence[_Link], language: Language, *, marker: str
    ) -> str:
        """Return the HTML document; ``marker`` is the line above which answers are read, if they are."""
        blocks = Markup().join(
            self._render_cached_block(block)
            if isinstance(block, Heading | Paragraph)
            else self._render_block(block)
            for block in content.blocks
        )
        return self._page_template.render(
            content=content, blocks=blocks, opt_outs=opt_outs, language=language, marker=marker
        )

    def _render_block(self, block: Block) -> Markup:
        html: Markup = self._macros[type(block).__name__](block)
        return html


def _pictures_of(content: EmailContent) -> tuple[UndrawnPicture, ...]:
    """Return each picture once, though a hand may have the same card twice."""
    pictures = (
        picture
        for block in content.blocks
        if isinstance(block, Drawing | Hand)
        for picture in block.pictures
    )
    named_pictures = {picture.name: picture for picture in pictures}.values()
    return tuple(UndrawnPicture(each.name, each.svg, each.width) for each in named_pictures)


def _text_of(content: EmailContent, opt_outs: Sequence[_Link], marker: str) -> str:
    """Return the plain text; programs show what follows the line of two dashes as a signature."""
    links = "".join(f"{link.label}: {link.url}\n" for link in opt_outs)
    beginning = f"--- {marker} ---\n\n" if marker else ""
    footer = wrap_sentences(content.footer)
    parts = [beginning, plain_text(content.blocks), "-- \n", footer, "\n"]
    return "".join((*parts, "\n", links) if links else parts)


def _boundary_of(envelope: Envelope) -> str:
    """Return the line between the bodies. It comes from the Message-ID, a keyed hash: no player's name can contain it."""
    local_part = envelope.message_id.partition("@")[0]
    return "=_" + "".join(filter(str.isalnum, local_part))[:40]


def _one_click_unsubscribe_token(envelope: Envelope) -> str | None:
    """Return what one click in the mail program stops.

    Reminders for a reminder, else the emails about the game, the club or open seats, else everything.
    """
    tokens = envelope.unsubscribe
    reminder_token = tokens.reminders if envelope.kind == "reminder" else None
    narrow_tokens = (reminder_token, tokens.game, tokens.club, tokens.requests, tokens.seats)
    return next(filter(None, narrow_tokens), tokens.everything)


def _reply_marker(language: Language) -> str:
    """Return the line above which answers are read, in the language of an email."""
    return language.gettext("Reply above this line")


@cache
def reply_markers() -> Collection[str]:
    """Return that line in every language in which an email may contain it."""
    return frozenset(_reply_marker(language_for(code)) for code in SUPPORTED_LANGUAGES)
