"""The content of the email about open seats, to people who have asked for it: one for all seats that they may take."""

from webapp import urls
from webapp.mail.blocks import Button, EmailContent, Link, Paragraph, Title
from webapp.mail.mime import one_line
from webapp.mail.sections import EmailLocale
from webapp.services.notifications.email_context import OpenSeatsContext
from webapp.wording.rulebooks import rulebook_name
from webapp.wording.tables import table_title


def open_seats_content(context: OpenSeatsContext, locale: EmailLocale) -> EmailContent:
    """Return the games with an open seat, with a link to each; it doesn't say who left them, or why."""
    language, name = locale.language, one_line(context.envelope.name)
    sentence = language.ngettext(
        "%(num)s game needs a player.", "%(num)s games need a player.", len(context.seats)
    )
    first_come = language.gettext("The first person to step in gets the seat.")
    return EmailContent(
        subject=sentence.rstrip("."),
        preview=f"{sentence} {first_come}",
        blocks=(
            Title(language.gettext("Would you like to step in, %(name)s?", name=name)),
            Paragraph(f"{sentence} {first_come}"),
            Button(
                language.gettext("See games that need a player"),
                urls.absolute_url(locale.base_url, urls.open_seats()),
            ),
            *_links(context, locale),
            Paragraph(
                language.gettext(
                    "Each link shows the game and who plays. Nothing happens until you take the seat there."
                )
            ),
        ),
        footer=language.gettext(
            "You got this email because you asked us to tell you when a seat opens, at most once a day. We can't read replies."
        ),
    )


def _links(context: OpenSeatsContext, locale: EmailLocale) -> tuple[Link, ...]:
    language = locale.language
    return tuple(
        Link(
            language.gettext(
                "%(table)s for %(seats)s, round %(round)s, %(rulebook)s",
                table=one_line(table_title(seat.host_name, seat.table_name, language)),
                seats=seat.seat_count,
                round=seat.round,
                rulebook=rulebook_name(seat.rulebook, language),
            ),
            urls.absolute_url(locale.base_url, urls.open_seat(seat.slug)),
        )
        for seat in context.seats
    )
