"""Short emails that tell one thing about a game, with a link to its table."""

from collections.abc import Iterable

from webapp import urls
from webapp.i18n import Language
from webapp.mail.blocks import Block, Button, EmailContent, Notice, Title
from webapp.mail.sections import EmailLocale, player_footer
from webapp.mail.subjects import game_subject
from webapp.services.play.summaries import TableSummary


def game_news_content(
    table: TableSummary,
    locale: EmailLocale,
    *,
    title: str,
    news: str,
    details: Iterable[Block],
    advice: Iterable[Block] = (),
) -> EmailContent:
    """Return an email to a player that says the news first, then the details, links to the table, and ends with advice."""
    language = locale.language
    link = urls.absolute_url(locale.base_url, urls.game(table.slug))
    return EmailContent(
        subject=game_subject(title, table, language),
        preview=news,
        blocks=(
            Title(title),
            Notice(news),
            *details,
            Button(language.gettext("Go to the table"), link),
            *advice,
        ),
        footer=player_footer(language),
    )


def former_player_footer(language: Language) -> str:
    """Return why someone gets an email who no longer plays at the table."""
    return language.gettext(
        "You got this email because you played at this table. We can't read replies."
    )
