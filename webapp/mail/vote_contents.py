"""The content of emails about votes: that one is open, and how it ended. Neither says who voted for what."""

from webapp import urls
from webapp.mail.blocks import Button, EmailContent, Notice, Paragraph, Title
from webapp.mail.mime import one_line
from webapp.mail.sections import EmailLocale, player_footer
from webapp.mail.subjects import game_subject, until
from webapp.services.notifications.email_context import VoteContext
from webapp.wording import times
from webapp.wording.votes import effect_sentence, outcome_sentence, proposal_sentence


def vote_opened_content(context: VoteContext, locale: EmailLocale) -> EmailContent:
    """Return what is proposed, what it would do, and until when to answer."""
    language, vote = locale.language, context.vote
    proposal = proposal_sentence(vote, _proposer(context), language)
    expiry_text = times.absolute_time(
        vote.expires_at, now=locale.now, zone=locale.zone, language=language
    )
    return EmailContent(
        subject=game_subject(
            language.gettext("Please vote"),
            context.table,
            language,
            *until(vote.expires_at, locale),
        ),
        preview=proposal,
        blocks=(
            Title(language.gettext("A vote at your table")),
            Notice(proposal),
            Paragraph(effect_sentence(vote.kind, language)),
            Paragraph(
                language.gettext(
                    "It happens only if everyone who plays agrees by %(time)s. One no ends the vote, and so does no answer. We show how many agreed, but never who.",
                    time=expiry_text,
                )
            ),
            Button(language.gettext("Vote at the table"), _link(context, locale)),
        ),
        footer=player_footer(language),
    )


def vote_ended_content(context: VoteContext, locale: EmailLocale) -> EmailContent:
    """Return what was proposed and how the vote ended."""
    language, vote = locale.language, context.vote
    outcome = outcome_sentence(vote, language)
    return EmailContent(
        subject=game_subject(language.gettext("The vote is over"), context.table, language),
        preview=outcome,
        blocks=(
            Title(language.gettext("The vote is over")),
            Paragraph(proposal_sentence(vote, _proposer(context), language)),
            Notice(outcome),
            Button(language.gettext("Go to the table"), _link(context, locale)),
        ),
        footer=player_footer(language),
    )


def _proposer(context: VoteContext) -> str:
    return one_line(context.seats[context.vote.seat].name)


def _link(context: VoteContext, locale: EmailLocale) -> str:
    return urls.absolute_url(locale.base_url, urls.game(context.table.slug))
