"""The content of the email about a table that has waited for players for a long time."""

from webapp import urls
from webapp.mail.blocks import Button, EmailContent, Paragraph, Title
from webapp.mail.sections import (
    EmailLocale,
    game_subject,
    player_footer,
    table_settings_and_players,
)
from webapp.services.notifications.email_context import TableWaitingContext
from webapp.wording import times


def table_waiting_content(context: TableWaitingContext, locale: EmailLocale) -> EmailContent:
    """Return that a table closes soon unless more people join, to someone who has a seat there or hosts it."""
    language = locale.language
    link = urls.absolute_url(locale.base_url, urls.game(context.table.slug))
    closing_time = times.absolute_time(
        context.closes_at, now=locale.now, zone=locale.zone, language=language
    )
    waiting_sentence = language.gettext("No one has joined or left this table for two weeks.")
    return EmailContent(
        subject=game_subject(context.table, language),
        preview=waiting_sentence,
        blocks=(
            Title(language.gettext("Your table is still waiting for players")),
            Paragraph(waiting_sentence),
            Paragraph(
                language.gettext(
                    "Invite more people, let bots take the free seats, or cancel the table. If nothing changes, it closes on %(time)s.",
                    time=closing_time,
                )
            ),
            Button(language.gettext("Go to the table"), link),
            *table_settings_and_players(context.table, context.seats, language),
        ),
        footer=player_footer(language),
    )
