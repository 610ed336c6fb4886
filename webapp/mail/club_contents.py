"""The content of emails about clubs."""

from typing import Final

from webapp import urls
from webapp.mail.blocks import Button, EmailContent, Paragraph, Title
from webapp.mail.mime import one_line
from webapp.mail.sections import EmailLocale
from webapp.services.notifications.email_context import (
    ClubActContext,
    ClubAnnouncementContext,
    ClubInvitationContext,
)

_PREVIEW_LENGTH: Final = 120


def club_invitation(context: ClubInvitationContext, locale: EmailLocale) -> EmailContent:
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
            *_paragraphs(context.description),
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


def club_announcement(context: ClubAnnouncementContext, locale: EmailLocale) -> EmailContent:
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


def club_act(context: ClubActContext, locale: EmailLocale) -> EmailContent:
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


def _paragraphs(text: str) -> tuple[Paragraph, ...]:
    """Return what a member has written, line by line."""
    return tuple(Paragraph(line) for line in text.splitlines() if line)
