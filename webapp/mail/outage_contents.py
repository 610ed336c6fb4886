"""The content of the email about deadlines that moved after a maintenance or an outage: one for all games of its recipient."""

from webapp import urls
from webapp.mail.blocks import BulletList, Button, EmailContent, Notice, Paragraph, Title
from webapp.mail.mime import one_line
from webapp.mail.sections import EmailLocale
from webapp.services.notifications.email_context import DeadlinesMovedContext
from webapp.wording import times
from webapp.wording.tables import table_title


def deadlines_moved_content(context: DeadlinesMovedContext, locale: EmailLocale) -> EmailContent:
    """Return what happened, and by when the recipient has to play in each game that waits for them."""
    language, name = locale.language, one_line(context.envelope.name)
    sentence = _sentence_about_stop(context, locale)
    link = urls.absolute_url(locale.base_url, urls.next_game())
    return EmailContent(
        subject=language.gettext("You have more time for your turn"),
        preview=sentence,
        blocks=(
            Title(language.gettext("You have more time, %(name)s", name=name)),
            Notice(sentence),
            Button(language.gettext("Take your turn"), link),
            Paragraph(
                language.gettext(
                    "You get back the time that was lost. These games are waiting for you:"
                )
            ),
            BulletList(_game_lines(context, locale)),
        ),
        footer=language.gettext(
            "You got this email because it's your turn in a game whose deadline has moved. We can't read replies. Please play on the website."
        ),
    )


def _sentence_about_stop(context: DeadlinesMovedContext, locale: EmailLocale) -> str:
    language = locale.language
    start, end = (
        times.absolute_time(at, now=locale.now, zone=locale.zone, language=language)
        for at in (context.began_at, context.ended_at)
    )
    if context.cause == "server":
        return language.gettext(
            "Our server was down from %(start)s to %(end)s. Sorry about that.", start=start, end=end
        )
    if context.cause == "email":
        return language.gettext(
            "We couldn't send any email from %(start)s to %(end)s. Sorry about that.",
            start=start,
            end=end,
        )
    return language.gettext(
        "Lodepost was closed for maintenance from %(start)s to %(end)s.", start=start, end=end
    )


def _game_lines(context: DeadlinesMovedContext, locale: EmailLocale) -> tuple[str, ...]:
    language = locale.language
    return tuple(
        language.gettext(
            "%(table)s [%(slug)s]: %(deadline)s",
            table=one_line(table_title(game.host_name, game.table_name, language)),
            slug=game.slug,
            deadline=times.deadline(
                game.deadline_at, now=locale.now, zone=locale.zone, language=language
            ),
        )
        for game in context.games
    )
