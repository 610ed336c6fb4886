"""The emails about the end of a round and of a game, in the words of their pages."""

from webapp import urls
from webapp.mail import proof_sections
from webapp.mail.blocks import Button, EmailContent, Heading, NumberedList, Paragraph, Title
from webapp.mail.moderated_game_contents import peeks_section
from webapp.mail.result_sections import awards_section, ranking_table, share_table
from webapp.mail.sections import (
    EmailLocale,
    mine_section,
    perspective_with_absences,
    player_footer,
    position_section,
    recipient_perspective,
)
from webapp.mail.subjects import game_subject
from webapp.mail.talk_section import news_sections
from webapp.services.notifications.email_context import GameOverContext, RoundOverContext
from webapp.wording.people import awaiting_sentence, round_sentence
from webapp.wording.perspective import Perspective
from webapp.wording.results import ending_sentence, game_headline, round_headline


def round_over_content(context: RoundOverContext, locale: EmailLocale) -> EmailContent:
    language, result, view = locale.language, context.result, context.view
    perspective = perspective_with_absences(context.seats, locale)
    page_url = urls.round_result(context.table.slug, result.round)
    return EmailContent(
        subject=game_subject(
            language.gettext("Round %(round)s is over", round=result.round),
            context.table,
            language,
        ),
        preview=round_sentence(result, perspective),
        blocks=(
            Title(round_headline(result, language)),
            Paragraph(ending_sentence(result, language)),
            share_table(result, perspective),
            Button(
                language.gettext("See the mine and the winning path")
                if result.ending == "treasure"
                else language.gettext("See the mine as it ended"),
                urls.absolute_url(locale.base_url, page_url),
            ),
            Paragraph(_next_step_sentence(context, perspective)),
            *news_sections(context, perspective),
            *position_section(view, context.seats, perspective),
        ),
        footer=player_footer(language),
    )


def game_over_content(context: GameOverContext, locale: EmailLocale) -> EmailContent:
    language, view = locale.language, context.view
    perspective = recipient_perspective(context.seats, language)
    headline = game_headline(view, perspective)
    rounds = tuple(round_sentence(result, perspective) for result in view.results)
    page_url = urls.absolute_url(locale.base_url, urls.game(context.table.slug))
    return EmailContent(
        subject=game_subject(language.gettext("Game over"), context.table, language),
        preview=headline,
        blocks=(
            Title(headline),
            ranking_table(view, perspective),
            *awards_section(context.awards, perspective),
            Button(language.gettext("See the results"), page_url),
            Heading(language.gettext("Rounds")),
            NumberedList(rounds),
            *peeks_section(context.peeks, locale),
            *news_sections(context, perspective),
            *mine_section(view, language),
            *proof_sections.all_turns_section(context, locale),
        ),
        footer=player_footer(language),
    )


def _next_step_sentence(context: RoundOverContext, perspective: Perspective) -> str:
    """Return whose turn it is; and that the next round is dealt, unless it is already over as well."""
    view = context.view
    awaiting = awaiting_sentence(view, perspective)
    if len(view.results) == view.round:
        return awaiting
    return perspective.language.gettext(
        "Round %(round)s has been dealt. %(awaiting)s", round=view.round, awaiting=awaiting
    )
