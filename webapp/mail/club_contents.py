"""The content of emails about clubs."""

from typing import Final

from webapp import urls
from webapp.mail.blocks import BulletList, Button, EmailContent, Paragraph, Title
from webapp.mail.mime import one_line
from webapp.mail.sections import EmailLocale
from webapp.services.notifications.email_context import (
    ClubActContext,
    ClubAnnouncementContext,
    ClubAnswerContext,
    ClubInvitationContext,
    ClubRequestContext,
)

_PREVIEW_LENGTH: Final = 120


def club_invitation_content(context: ClubInvitationContext, locale: EmailLocale) -> EmailContent:
    """Return who invites, and to what, without the club's own description: a stranger's text, to someone who did not ask for it."""
    language, club, inviter = locale.language, one_line(context.club), one_line(context.inviter)
    link = urls.absolute_url(locale.base_url, urls.club_invitation(context.token))
    invitation_sentence = language.gettext(
        "%(inviter)s invites you to the club %(club)s", inviter=inviter, club=club
    )
    return EmailContent(
        subject=language.gettext("Invitation to the club %(club)s", club=club),
        preview=invitation_sentence,
        blocks=(
            Title(invitation_sentence),
            Paragraph(
                language.gettext(
                    "The club plays Saboteur on %(site)s: a card game for 3 to 10 players, one turn at a time. Members can join all of the club's tables, and we'll email you when it's your turn.",
                    site=locale.site_name,
                )
            ),
            Button(language.gettext("See the invitation"), link),
        ),
        footer=language.gettext(
            "%(inviter)s gave us your address for this invitation. If you ignore it, we won't write again. Replies to this email aren't read.",
            inviter=inviter,
        ),
    )


def club_announcement_content(
    context: ClubAnnouncementContext, locale: EmailLocale
) -> EmailContent:
    language, club = locale.language, one_line(context.club)
    author = one_line(context.author) or language.gettext("a former member")
    link = urls.absolute_url(locale.base_url, urls.club(context.slug))
    return EmailContent(
        subject=language.gettext("News from the club %(club)s", club=club),
        preview=one_line(context.text)[:_PREVIEW_LENGTH],
        blocks=(
            Title(
                language.gettext("%(author)s writes to the club %(club)s", author=author, club=club)
            ),
            *_paragraphs(context.text),
            Button(language.gettext("Go to the club"), link),
        ),
        footer=language.gettext(
            "You got this email because you're a member of this club. We can't read replies."
        ),
    )


def club_act_content(context: ClubActContext, locale: EmailLocale) -> EmailContent:
    """Return what a site moderator did to the club, and why."""
    language, club = locale.language, one_line(context.club)
    if context.is_closed:
        act_text = language.gettext(
            "A moderator of this site has closed the club %(club)s. Its games continue.", club=club
        )
    else:
        act_text = language.gettext(
            "A moderator of this site has made another member the founder of the club %(club)s.",
            club=club,
        )
    reason = language.gettext("Reason: %(reason)s", reason=one_line(context.reason))
    link = urls.absolute_url(locale.base_url, urls.club(context.slug))
    return EmailContent(
        subject=language.gettext("News from the club %(club)s", club=club),
        preview=act_text,
        blocks=(
            Title(language.gettext("News from the club %(club)s", club=club)),
            Paragraph(act_text),
            Paragraph(reason),
            Button(language.gettext("Go to the club"), link),
        ),
        footer=language.gettext(
            "You got this email because you're a member of this club. We can't read replies."
        ),
    )


def club_request_content(context: ClubRequestContext, locale: EmailLocale) -> EmailContent:
    """Return who asks to join a club."""
    language, club = locale.language, one_line(context.club)
    request_text = language.ngettext(
        "%(num)s person asks to join the club %(club)s",
        "%(num)s people ask to join the club %(club)s",
        context.count,
        club=club,
    )
    link = urls.absolute_url(locale.base_url, urls.club_members(context.slug))
    unlisted_count = context.count - len(context.names)
    return EmailContent(
        subject=language.gettext("Requests to join the club %(club)s", club=club),
        preview=request_text,
        blocks=(
            Title(request_text),
            BulletList(tuple(map(one_line, context.names))),
            *(
                [
                    Paragraph(
                        language.ngettext("And %(num)s more.", "And %(num)s more.", unlisted_count)
                    )
                ]
                if unlisted_count
                else []
            ),
            Paragraph(language.gettext("They can join once you or another moderator says yes.")),
            Button(language.gettext("Answer them"), link),
        ),
        footer=language.gettext(
            "You got this email because you moderate this club. You get at most one a day. We can't read replies."
        ),
    )


def club_admitted_content(context: ClubAnswerContext, locale: EmailLocale) -> EmailContent:
    """Return that the recipient is a member now."""
    language = locale.language
    title = language.gettext("You're in the club %(club)s", club=one_line(context.club))
    consequence = language.gettext(
        "A moderator has said yes. You can join the club's tables and see its games and members."
    )
    return _answer_content(context, locale, title, consequence)


def club_declined_content(context: ClubAnswerContext, locale: EmailLocale) -> EmailContent:
    """Return that the recipient's request was declined."""
    language, club = locale.language, one_line(context.club)
    title = language.gettext("Your request to join the club %(club)s was declined", club=club)
    consequence = language.gettext(
        "A moderator of the club decided this. Your games and your other clubs stay as they are."
    )
    return _answer_content(context, locale, title, consequence)


def _answer_content(
    context: ClubAnswerContext, locale: EmailLocale, title: str, consequence: str
) -> EmailContent:
    language = locale.language
    link = urls.absolute_url(locale.base_url, urls.club(context.slug))
    return EmailContent(
        subject=title,
        preview=consequence,
        blocks=(
            Title(title),
            Paragraph(consequence),
            Button(language.gettext("Go to the club"), link),
        ),
        footer=language.gettext(
            "You got this email because you asked to join this club. We can't read replies."
        ),
    )


def _paragraphs(text: str) -> tuple[Paragraph, ...]:
    """Return what a member has written, line by line."""
    return tuple(Paragraph(line) for line in text.splitlines() if line)
