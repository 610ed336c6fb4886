"""The contents of emails about tables before the deal that wait for players or for answers, and about seats that were freed there."""

from webapp import urls
from webapp.mail.blocks import Button, EmailContent, Notice, Paragraph, Title
from webapp.mail.sections import (
    EmailLocale,
    fairness_section,
    player_footer,
    table_settings_and_players,
)
from webapp.mail.subjects import game_subject, until
from webapp.services.notifications.email_context import ReadyCheckContext
from webapp.services.notifications.lobby_contexts import SeatFreedContext, TableWaitingContext
from webapp.wording import times


def ready_check_content(context: ReadyCheckContext, locale: EmailLocale) -> EmailContent:
    language = locale.language
    deal_sentence = language.gettext("The cards are dealt once everyone is ready.")
    return EmailContent(
        subject=game_subject(
            language.gettext("Say you're ready"),
            context.table,
            language,
            *until(context.answer_by, locale),
        ),
        preview=deal_sentence,
        blocks=(
            Title(language.gettext("Everyone's here. Are you ready?")),
            Paragraph(deal_sentence),
            Notice(_answer_sentence(context, locale)),
            Paragraph(
                language.gettext(
                    "We suggest some random words to you, and you can type your own instead. They go into the shuffle, so no one can arrange the cards in advance."
                )
            ),
            Button(language.gettext("Get ready"), _game_link(context, locale)),
            *table_settings_and_players(context.table, context.seats, language),
            *fairness_section(context.commitments, language),
        ),
        footer=player_footer(language),
    )


def _answer_sentence(context: ReadyCheckContext, locale: EmailLocale) -> str:
    """Return by when the recipient has to confirm."""
    time = times.absolute_time(
        context.answer_by, now=locale.now, zone=locale.zone, language=locale.language
    )
    return locale.language.gettext(
        "Please confirm by %(time)s. After that, your seat is free for others.", time=time
    )


def table_waiting_content(context: TableWaitingContext, locale: EmailLocale) -> EmailContent:
    """Return that a table closes soon unless more people join, to someone who has a seat there or hosts it."""
    language = locale.language
    closing_time = times.absolute_time(
        context.closes_at, now=locale.now, zone=locale.zone, language=language
    )
    waiting_sentence = language.gettext("No one has joined or left this table for two weeks.")
    return EmailContent(
        subject=game_subject(
            language.gettext("Still waiting for players"), context.table, language
        ),
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
            Button(language.gettext("Go to the table"), _game_link(context, locale)),
            *table_settings_and_players(context.table, context.seats, language),
        ),
        footer=player_footer(language),
    )


def ready_check_over_content(context: TableWaitingContext, locale: EmailLocale) -> EmailContent:
    """Return that a table waits for players again, to someone who has a seat there or hosts it."""
    language = locale.language
    free_seats_sentence = language.gettext(
        "Not everyone confirmed in time. Those who didn't have lost their seats, so the table waits for players again."
    )
    return EmailContent(
        subject=game_subject(language.gettext("More players needed"), context.table, language),
        preview=free_seats_sentence,
        blocks=(
            Title(language.gettext("Your table needs more players")),
            Paragraph(free_seats_sentence),
            Paragraph(
                language.gettext(
                    "Once all seats are taken, we'll ask everyone again if they're ready."
                )
            ),
            Button(language.gettext("Go to the table"), _game_link(context, locale)),
            *table_settings_and_players(context.table, context.seats, language),
        ),
        footer=player_footer(language),
    )


def ready_check_missed_content(context: SeatFreedContext, locale: EmailLocale) -> EmailContent:
    """Return that someone has lost their seat because they did not confirm in time."""
    language = locale.language
    return _seat_freed_content(
        context,
        locale,
        situation=language.gettext("You've lost your seat"),
        title=language.gettext("You've lost your seat"),
        reason=language.gettext(
            "All seats were taken, and you didn't confirm in time that you're ready. Your seat is free for others now."
        ),
    )


def player_removed_content(context: SeatFreedContext, locale: EmailLocale) -> EmailContent:
    """Return that the host has removed someone from a table before the deal."""
    language = locale.language
    return _seat_freed_content(
        context,
        locale,
        situation=language.gettext("You've been removed"),
        title=language.gettext("The host has removed you from the table"),
        reason=language.gettext(
            "The cards weren't dealt yet. Your seat is free for others now, and you don't have to do anything."
        ),
    )


def _seat_freed_content(
    context: SeatFreedContext, locale: EmailLocale, *, situation: str, title: str, reason: str
) -> EmailContent:
    language = locale.language
    way_back = language.gettext(
        "If you'd still like to play there, you can take a seat again as long as one is free."
    )
    button = Button(language.gettext("Go to the table"), _game_link(context, locale))
    if not context.may_see_table:
        home_link = urls.absolute_url(locale.base_url, urls.home())
        button = Button(language.gettext("Go to %(site)s", site=locale.site_name), home_link)
        way_back = language.gettext(
            "If you'd still like to play there, use your invitation or the table's link again as long as a seat is free."
        )
    return EmailContent(
        subject=game_subject(situation, context.table, language),
        preview=reason,
        blocks=(
            Title(title),
            Paragraph(reason),
            *([Paragraph(way_back)] if context.can_return else []),
            button,
        ),
        footer=language.gettext(
            "You got this email because you had a seat at this table. We can't read replies."
        ),
    )


def _game_link(
    context: ReadyCheckContext | SeatFreedContext | TableWaitingContext, locale: EmailLocale
) -> str:
    return urls.absolute_url(locale.base_url, urls.game(context.table.slug))
