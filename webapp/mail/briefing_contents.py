"""The content of the email to someone who has taken over a seat of a game."""

from collections.abc import Iterator

from webapp import urls
from webapp.i18n import Language
from webapp.mail.blocks import (
    Block,
    BulletList,
    Button,
    EmailContent,
    Heading,
    Notice,
    Paragraph,
    Title,
)
from webapp.mail.mime import one_line
from webapp.mail.sections import (
    EmailLocale,
    perspective_with_absences,
    player_footer,
    position_section,
)
from webapp.mail.subjects import game_subject
from webapp.services.notifications.email_context import BriefingContext
from webapp.wording import times
from webapp.wording.cards import card_name
from webapp.wording.people import awaiting_sentence


def briefing_content(context: BriefingContext, locale: EmailLocale) -> EmailContent:
    """Return what the seat has seen, whose turn it is, and the link to the briefing page."""
    language, view = locale.language, context.view
    perspective = perspective_with_absences(context.seats, locale)
    awaiting_text = awaiting_sentence(view, perspective)
    link = urls.absolute_url(locale.base_url, urls.briefing(context.table.slug))
    return EmailContent(
        subject=game_subject(language.gettext("Your new seat"), context.table, language),
        preview=awaiting_text,
        blocks=(
            Title(
                language.gettext(
                    "Welcome to the game, %(name)s", name=one_line(context.envelope.name)
                )
            ),
            Paragraph(_seat_sentence(context, language)),
            Notice(awaiting_text),
            *_deadline_block(context, locale),
            Button(language.gettext("Read your briefing"), link),
            *position_section(view, context.seats, perspective),
            Heading(language.gettext("Discarded from this seat in this round")),
            BulletList(
                tuple(card_name(card, language) for card in context.discards)
                or (language.gettext("Nothing."),)
            ),
        ),
        footer=player_footer(language),
    )


def _seat_sentence(context: BriefingContext, language: Language) -> str:
    number = next(seat.number for seat in context.seats if seat.is_me)
    return language.gettext(
        "You've taken over seat %(seat)s. This is everything that has been seen from there. Your record starts fresh: turns that were missed before don't count against you.",
        seat=number + 1,
    )


def _deadline_block(context: BriefingContext, locale: EmailLocale) -> Iterator[Block]:
    """Yield the deadline if it is the recipient's turn."""
    awaited = context.view.awaiting
    if context.deadline_at is None or awaited is None or not context.seats[awaited.seat].is_me:
        return
    yield Paragraph(
        times.deadline(
            context.deadline_at, now=locale.now, zone=locale.zone, language=locale.language
        )
    )
