"""The content of the email that offers a seat in a running game.

Only names are in it that others have chosen: a free text
would let anyone send what they like to any address.
"""

from webapp import urls
from webapp.i18n import Language
from webapp.mail.blocks import Button, EmailContent, Notice, Paragraph, Title
from webapp.mail.mime import one_line
from webapp.mail.sections import EmailLocale, table_settings_and_players
from webapp.mail.subjects import game_subject, until
from webapp.services.notifications.email_context import SeatOfferContext
from webapp.wording import times


def seat_offer_content(context: SeatOfferContext, locale: EmailLocale) -> EmailContent:
    """Return who asks the recipient to take over which seat, and until when."""
    language = locale.language
    offer_text = _offer_sentence(context, language)
    expires_at = times.absolute_time(
        context.expires_at, now=locale.now, zone=locale.zone, language=language
    )
    link = urls.absolute_url(locale.base_url, urls.seat_offer(context.token))
    return EmailContent(
        subject=game_subject(
            language.gettext("A seat for you"),
            context.table,
            language,
            *until(context.expires_at, locale),
        ),
        preview=offer_text,
        blocks=(
            Title(offer_text),
            Paragraph(
                language.gettext(
                    "The game is in progress. Look at the table first: you take the seat only if you accept, and then you see its cards."
                )
            ),
            Notice(language.gettext("You can accept until %(until)s.", until=expires_at)),
            Button(language.gettext("Look at the seat"), link),
            *table_settings_and_players(context.table, context.seats, language),
        ),
        footer=_footer(context, language),
    )


def _offer_sentence(context: SeatOfferContext, language: Language) -> str:
    player = one_line(context.seats[context.seat].name)
    seat, offerer = context.seat + 1, one_line(context.offerer)
    if not offerer:
        return language.gettext(
            "You're asked to take over seat %(seat)s, where %(player)s played",
            seat=seat,
            player=player,
        )
    return language.gettext(
        "%(offerer)s asks you to take over seat %(seat)s, where %(player)s played",
        offerer=offerer,
        seat=seat,
        player=player,
    )


def _footer(context: SeatOfferContext, language: Language) -> str:
    if not context.offerer:
        return language.gettext(
            "The operator of this site sent you this offer. If you ignore it, we won't write again. We can't read replies."
        )
    return language.gettext(
        "%(offerer)s asked us to send you this offer. If you ignore it, we won't write again. We can't read replies.",
        offerer=one_line(context.offerer),
    )
