"""The content of emails about missed turns, and about seats that are open because of them."""

from webapp import urls
from webapp.i18n import Language
from webapp.mail.blocks import Button, EmailContent, Link, Notice, Paragraph, Title
from webapp.mail.game_news import former_player_footer, game_news_content
from webapp.mail.sections import EmailLocale, recipient_perspective
from webapp.mail.subjects import game_subject
from webapp.services.notifications.email_context import SeatOpenedContext, TurnMissedContext
from webapp.wording.history import narrate
from webapp.wording.late_players import strikes_sentence


def turn_missed_content(context: TurnMissedContext, locale: EmailLocale) -> EmailContent:
    """Return what was played for the recipient, how many turns they have missed, and what happens next."""
    language = locale.language
    perspective = recipient_perspective(context.seats, language)
    turn_text = " ".join(
        sentence for entry in context.entries for sentence in narrate(entry, perspective)
    )
    news = turn_text or language.gettext("Your time ran out.")
    strikes_text = strikes_sentence(
        context.strikes, limit=context.strikes_until_open, language=language
    )
    away_text = language.gettext(
        "Can't play for a while? Tell us when you're away, and your clock stops unless this table has chosen otherwise."
    )
    return game_news_content(
        context.table,
        locale,
        title=language.gettext("You missed a turn"),
        news=news,
        details=[Paragraph(strikes_text)] if strikes_text else [],
        advice=[
            Paragraph(away_text),
            Link(
                language.gettext("Say when you're away"),
                urls.absolute_url(locale.base_url, urls.time_away()),
            ),
        ],
    )


def seat_opened_content(context: SeatOpenedContext, locale: EmailLocale) -> EmailContent:
    """Return that the recipient's seat is open, and how they take it back."""
    language = locale.language
    opened_text = _opened_sentence(context, language)
    link = urls.absolute_url(locale.base_url, urls.open_seat(context.table.slug))
    return EmailContent(
        subject=game_subject(language.gettext("Your seat is open"), context.table, language),
        preview=opened_text,
        blocks=(
            Title(language.gettext("Your seat is open")),
            Notice(opened_text),
            Paragraph(
                language.gettext(
                    "You can take it back until someone else does. Until then, its turns are played when time runs out."
                )
            ),
            Paragraph(_replacement_sentence(context, language)),
            Button(language.gettext("Take your seat back"), link),
        ),
        footer=former_player_footer(language),
    )


def _opened_sentence(context: SeatOpenedContext, language: Language) -> str:
    if context.was_unreachable:
        return language.gettext(
            "We couldn't reach you by email about your turn, so your seat is open for someone else."
        )
    return language.ngettext(
        "You missed %(num)s turn, so your seat is open for someone else.",
        "You missed %(num)s turns, so your seat is open for someone else.",
        context.strikes,
    )


def _replacement_sentence(context: SeatOpenedContext, language: Language) -> str:
    if context.is_for_volunteers:
        return language.gettext("The first person who steps in gets the seat.")
    return language.gettext("The host can offer the seat to someone else.")
