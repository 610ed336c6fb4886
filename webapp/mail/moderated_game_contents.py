"""The content of emails about what moderators do, and about tables and people that are gone: to everyone at a table."""

from collections.abc import Iterator, Sequence

from webapp import urls
from webapp.i18n import Language
from webapp.mail.blocks import Block, Button, EmailContent, Heading, Notice, Paragraph, Title
from webapp.mail.game_news import former_player_footer, game_news_content
from webapp.mail.mime import one_line
from webapp.mail.sections import EmailLocale, player_footer
from webapp.mail.subjects import game_subject
from webapp.rights import GameRight
from webapp.services.notifications.email_context import (
    ModeratorActContext,
    PlayerLeftContext,
    TableCancelledContext,
)
from webapp.services.play.shown_acts import ShownAct
from webapp.wording import times
from webapp.wording.acts import ActFacts, ActLocale, act_sentence, actor_sentence, reason_sentence


def moderator_act_content(context: ModeratorActContext, locale: EmailLocale) -> EmailContent:
    """Return who did what to the game, and why; of a message to the table only the message."""
    language, act = locale.language, context.act
    act_text = _sentence(act, locale)
    return EmailContent(
        subject=game_subject(language.gettext("News about your game"), context.table, language),
        preview=act_text,
        blocks=(
            Title(language.gettext("News about your game")),
            *_body_blocks(act, act_text, language),
            Paragraph(language.gettext("By: %(actor)s", actor=act_actor(act, language))),
            *_way_on(context, locale),
            *peeks_section(context.peeks, locale),
        ),
        footer=player_footer(language) if context.may_see_game else former_player_footer(language),
    )


def _way_on(context: ModeratorActContext, locale: EmailLocale) -> Iterator[Block]:
    """Yield the way to the table; for someone who has lost their seat, what they can still do."""
    language, slug = locale.language, context.table.slug
    if context.may_see_game:
        yield Button(
            language.gettext("Go to the table"),
            urls.absolute_url(locale.base_url, urls.game(slug)),
        )
        return
    yield Paragraph(
        language.gettext(
            "You no longer have a seat in this game. You can see it again when it's over. If something wasn't right, tell the moderators."
        )
    )
    yield Button(
        language.gettext("Report to the moderators"),
        urls.absolute_url(locale.base_url, urls.new_report(slug)),
    )


def player_left_content(context: PlayerLeftContext, locale: EmailLocale) -> EmailContent:
    """Return that a player has left for good, and what happens to their seat."""
    language, seat = locale.language, context.seat + 1
    leaving_text = language.gettext(
        "The player in seat %(seat)s has deleted their account and left the game.", seat=seat
    )
    seat_text = language.gettext(
        "The seat is open. Until someone takes it over, its turns are played when time runs out. The host or a moderator can give it to another person or a bot."
    )
    new_host = context.new_host
    return game_news_content(
        context.table,
        locale,
        title=language.gettext("A player has left your game"),
        news=leaving_text,
        details=[
            *([] if new_host is None else [Paragraph(_sentence(new_host, locale))]),
            Paragraph(seat_text),
        ],
    )


def table_cancelled_content(context: TableCancelledContext, locale: EmailLocale) -> EmailContent:
    """Return that a table won't be played, to someone who had a seat or an invitation there."""
    language = locale.language
    if context.is_unfilled:
        cancelled_text = language.gettext(
            "This table was closed because its seats weren't all taken within three weeks. No cards were dealt."
        )
    else:
        cancelled_text = language.gettext(
            "The host has cancelled this table before the cards were dealt."
        )
    if context.is_seated:
        consequence = language.gettext("You don't have to do anything. Your seat is gone.")
        footer = player_footer(language)
    else:
        consequence = language.gettext("Your invitation doesn't work any more.")
        footer = language.gettext(
            "You got this email because someone invited you to this table. We can't read replies."
        )
    return EmailContent(
        subject=game_subject(language.gettext("Table cancelled"), context.table, language),
        preview=cancelled_text,
        blocks=(
            Title(language.gettext("This table is cancelled")),
            Paragraph(cancelled_text),
            Paragraph(consequence),
            Button(
                language.gettext("Go to %(site)s", site=locale.site_name),
                urls.absolute_url(locale.base_url, urls.home()),
            ),
        ),
        footer=footer,
    )


def peeks_section(peeks: Sequence[ShownAct], locale: EmailLocale) -> Iterator[Block]:
    """Yield who looked at all roles and cards, when and why; nothing if no one did."""
    language, zone = locale.language, locale.zone
    if peeks:
        yield Heading(language.gettext("A moderator looked at all roles and cards"))
    for act in peeks:
        act_time = times.absolute_time(act.at, now=locale.now, zone=zone, language=language)
        yield Paragraph(f"{act_actor(act, language)}, {act_time}: {one_line(act.reason)}")


def act_actor(act: ShownAct, language: Language) -> str:
    """Return who acted, and as what."""
    name = None if act.actor_name is None else one_line(act.actor_name)
    return actor_sentence(name, act.acted_as, language)


def _sentence(act: ShownAct, locale: EmailLocale) -> str:
    offerer = None if act.offerer_name is None else one_line(act.offerer_name)
    facts = ActFacts(act.act, act.seat, one_line(act.name), act.before, act.after, offerer)
    return act_sentence(facts, ActLocale(locale.language, locale.zone, locale.now))


def _body_blocks(act: ShownAct, act_text: str, language: Language) -> tuple[Block, ...]:
    reason = reason_sentence(one_line(act.reason), act.acted_as, language)
    if act.act == GameRight.ANNOUNCE_TO_TABLE:
        return Paragraph(act_text), Notice(reason)
    return Notice(act_text), Paragraph(language.gettext("Reason: %(reason)s", reason=reason))
