"""The content of emails about warnings, bans and decided reports."""

from webapp import urls
from webapp.i18n import Language
from webapp.mail.blocks import Block, Button, EmailContent, Paragraph, Title
from webapp.mail.mime import one_line
from webapp.mail.sections import EmailLocale
from webapp.services.notifications.email_context import (
    BanLiftedContext,
    ReportDecidedContext,
    SanctionContext,
)
from webapp.wording import times


def warning_content(context: SanctionContext, locale: EmailLocale) -> EmailContent:
    """Return the email about a warning, or about a name that a moderator changed."""
    language, name = locale.language, one_line(context.envelope.name)
    if context.is_rename:
        title = language.gettext("A moderator changed your name to %(name)s", name=name)
    else:
        title = language.gettext("A warning from the moderators")
    return _sanction_content(context, locale, title, ())


def ban_content(context: SanctionContext, locale: EmailLocale) -> EmailContent:
    """Return the email about a ban, with its end."""
    language = locale.language
    assert context.until is not None
    until_text = times.absolute_time(
        context.until, now=locale.now, zone=locale.zone, language=language
    )
    meanwhile_text = language.gettext(
        "Until %(until)s you can't sign in or play. Moderators may give your seats to others.",
        until=until_text,
    )
    return _sanction_content(
        context, locale, language.gettext("Your account is banned"), (Paragraph(meanwhile_text),)
    )


def ban_lifted_content(_context: BanLiftedContext, locale: EmailLocale) -> EmailContent:
    """Return that a ban has ended before its time."""
    language = locale.language
    title = language.gettext("Your account isn't banned any more")
    lifted_text = language.gettext(
        "A moderator has lifted your ban. You can sign in and play again."
    )
    return EmailContent(
        subject=title,
        preview=lifted_text,
        blocks=(
            Title(title),
            Paragraph(lifted_text),
            Paragraph(
                language.gettext(
                    "If your seat in a game was given to someone else, it stays theirs."
                )
            ),
            Button(language.gettext("Go to your games"), urls.absolute_url(locale.base_url, "/")),
        ),
        footer=_footer(language),
    )


def report_decided_content(context: ReportDecidedContext, locale: EmailLocale) -> EmailContent:
    """Return the answer to a report or to an appeal."""
    language = locale.language
    title = (
        language.gettext("We've looked at your appeal")
        if context.is_appeal
        else language.gettext("We've looked at your report")
    )
    answered_text = language.gettext("A moderator has answered:")
    return EmailContent(
        subject=title,
        preview=one_line(context.answer),
        blocks=(
            Title(title),
            Paragraph(answered_text),
            *_paragraphs(context.answer),
            Button(language.gettext("Go to your games"), urls.absolute_url(locale.base_url, "/")),
        ),
        footer=_footer(language),
    )


def _sanction_content(
    context: SanctionContext, locale: EmailLocale, title: str, more_blocks: tuple[Block, ...]
) -> EmailContent:
    language = locale.language
    return EmailContent(
        subject=title,
        preview=one_line(context.reason),
        blocks=(
            Title(title),
            *more_blocks,
            Paragraph(language.gettext("The moderator's reason:")),
            *_paragraphs(context.reason),
            Paragraph(
                language.gettext("If you think this is wrong, tell us. You don't need to sign in.")
            ),
            Button(
                language.gettext("Appeal"),
                urls.absolute_url(locale.base_url, urls.appeal(context.appeal_token)),
            ),
        ),
        footer=_footer(language),
    )


def _paragraphs(text: str) -> tuple[Paragraph, ...]:
    return tuple(Paragraph(line) for line in text.splitlines() if line)


def _footer(language: Language) -> str:
    return language.gettext(
        "You got this email because you have an account here. We can't read replies."
    )
