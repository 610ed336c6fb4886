"""The content of an invitation to a rematch: to someone who has played, from someone who does not know their address."""

from webapp import urls
from webapp.mail.blocks import Button, EmailContent, Paragraph, Title
from webapp.mail.mime import one_line
from webapp.mail.sections import EmailLocale, fairness_section, table_settings_and_players
from webapp.mail.subjects import game_subject
from webapp.services.notifications.email_context import InvitationContext


def rematch_content(context: InvitationContext, locale: EmailLocale) -> EmailContent:
    """Return that a player of a finished game would like to play again, with the link to the new table."""
    language, inviter = locale.language, one_line(context.host)
    title = language.gettext("%(inviter)s would like a rematch", inviter=inviter)
    sentence = language.gettext("Same people, same rules, same pace. There's a seat for you.")
    return EmailContent(
        subject=game_subject(title, context.table, language),
        preview=sentence,
        blocks=(
            Title(title),
            Paragraph(sentence),
            Button(
                language.gettext("Take your seat"),
                urls.absolute_url(locale.base_url, urls.invitation(context.token)),
            ),
            *table_settings_and_players(context.table, context.seats, language),
            *fairness_section(context.commitments, language),
        ),
        footer=language.gettext(
            "You got this email because you've finished a game with %(inviter)s, who can't see your address. If you ignore it, we won't write again. Replies to this email aren't read.",
            inviter=inviter,
        ),
    )
