"""The content of emails about missed turns, and about seats that are open because of them."""

from webapp import urls
from webapp.i18n import Language
from webapp.mail.blocks import Button, EmailContent, Notice, Paragraph, Title
from webapp.mail.mime import one_line
from webapp.mail.sections import EmailLocale, game_subject, perspective_of, player_footer
from webapp.services.notifications.email_context import SeatOpenedContext, TurnMissedContext
from webapp.wording.history import narrate
from webapp.wording.late_players import strikes_sentence


def turn_missed_content(context: TurnMissedContext, locale: EmailLocale) -> EmailContent:
    """Return what was played for the recipient, how many turns they have missed, and what happens next."""
    language = locale.language
    perspective = perspective_of(context.seats, language)
    turn_text = " ".join(
        sentence for entry in context.entries for sentence in narrate(entry, perspective)
    )
    preview = turn_text or language.gettext("Your time ran out.")
    strikes_text = strikes_sentence(
        context.strikes, limit=context.strikes_until_open, language=language
    )
    link = urls.absolute_url(locale.base_url, urls.game(context.table.slug))
    return EmailContent(
        subject=game_subject(context.table, language),
        preview=preview,
        blocks=(
            Title(
                language.gettext(
                    "You missed a turn, %(name)s", name=one_line(context.envelope.name)
                )
            ),
            Notice(preview),
            *([Paragraph(strikes_text)] if strikes_text else []),
            Paragraph(
                language.gettext(
                    "If you can't play for a while, tell us on your account page when you're away."
                )
            ),
            Button(language.gettext("Go to the table"), link),
        ),
        footer=player_footer(language),
    )


def seat_opened_content(context: SeatOpenedContext, locale: EmailLocale) -> EmailContent:
    """Return that the recipient's seat is open, and how they take it back."""
    language = locale.language
    opened_text = language.ngettext(
        "You missed %(num)s turn in a game, so your seat is open for someone else.",
        "You missed %(num)s turns in a game, so your seat is open for someone else.",
        context.strikes,
    )
    link = urls.absolute_url(locale.base_url, urls.open_seat(context.table.slug))
    return EmailContent(
        subject=game_subject(context.table, language),
        preview=opened_text,
        blocks=(
            Title(language.gettext("Your seat is open")),
            Notice(opened_text),
            Paragraph(
                language.gettext(
                    "You can come back with one press until someone takes the seat. Until then its turns are played when time runs out."
                )
            ),
            Paragraph(_who_steps_in(context, language)),
            Button(language.gettext("Come back to the game"), link),
        ),
        footer=_former_player_footer(language),
    )


def _who_steps_in(context: SeatOpenedContext, language: Language) -> str:
    if context.is_for_volunteers:
        return language.gettext("Anyone can step in for you.")
    return language.gettext("The host can offer the seat to someone else.")


def _former_player_footer(language: Language) -> str:
    return language.gettext(
        "You got this email because you played at this table. We can't read replies."
    )
