"""The content of emails about an account: codes, links and changes of its address."""

from datetime import datetime

from webapp import urls
from webapp.mail.blocks import Button, EmailContent, Link, Paragraph, SignInCode, Title
from webapp.mail.sections import EmailLocale
from webapp.services.notifications.email_context import (
    AddressChangeContext,
    AddressNoticeContext,
    IdentityCodeContext,
    SignInContext,
)
from webapp.wording import times
from webapp.wording.browsers import user_agent_name


def sign_in_content(context: SignInContext, locale: EmailLocale) -> EmailContent:
    language = locale.language
    expiry_text = language.gettext(
        "The code and the link work once and expire %(how_long)s, on %(when)s.",
        **_expiry_values(context.expires_at, locale),
    )
    enter_code_text = language.gettext("Enter this code on the page where you asked for it:")
    link = urls.absolute_url(locale.base_url, urls.sign_in_link(context.link_token))
    return EmailContent(
        subject=language.gettext("Sign in to %(site)s", site=locale.site_name),
        preview=f"{enter_code_text} {context.code}",
        blocks=(
            Title(language.gettext("Sign in to %(site)s", site=locale.site_name)),
            Paragraph(enter_code_text),
            SignInCode(context.code),
            Paragraph(language.gettext("Or open this link in the same browser:")),
            Button(language.gettext("Sign in"), link),
            Paragraph(expiry_text),
            Paragraph(
                language.gettext(
                    "The request came from this browser: %(browser)s.",
                    browser=user_agent_name(context.user_agent, language),
                )
            ),
            Paragraph(_never_share_sentence(locale)),
            Link(language.gettext("This wasn't me"), _pause_link(context, locale)),
        ),
        footer=language.gettext(
            "You got this email because a sign-in was requested for this address. If that wasn't you, you can ignore it: no one can sign in without the code or the link."
        ),
    )


def identity_code_content(context: IdentityCodeContext, locale: EmailLocale) -> EmailContent:
    language = locale.language
    title = language.gettext("Confirm it's you")
    enter_code_text = language.gettext("Enter this code on the page where you asked for it:")
    expiry_text = language.gettext(
        "The code works once and expires %(how_long)s, on %(when)s.",
        **_expiry_values(context.expires_at, locale),
    )
    return EmailContent(
        subject=title,
        preview=f"{enter_code_text} {context.code}",
        blocks=(
            Title(title),
            Paragraph(enter_code_text),
            SignInCode(context.code),
            Paragraph(expiry_text),
            Paragraph(_never_share_sentence(locale)),
            Paragraph(
                language.gettext(
                    "You didn't ask for it? Then someone else is signed in to your account. Sign out all other browsers:"
                )
            ),
            _security_button(locale),
        ),
        footer=language.gettext(
            "You got this email because someone who is signed in to your account asked for this code. We can't read replies."
        ),
    )


def address_change_content(context: AddressChangeContext, locale: EmailLocale) -> EmailContent:
    """Return what the new address gets: the link, or that the address already has an account."""
    if context.link_token is None:
        return _address_taken_content(locale)
    language = locale.language
    title = language.gettext("Confirm your new address")
    confirm_text = language.gettext(
        "Confirm that %(site)s should send your emails to this address.", site=locale.site_name
    )
    link = urls.absolute_url(locale.base_url, urls.address_link(context.link_token))
    expiry_text = language.gettext(
        "The link works once, in a browser where you're signed in. It expires %(how_long)s, on %(when)s.",
        **_expiry_values(context.expires_at, locale),
    )
    return EmailContent(
        subject=title,
        preview=confirm_text,
        blocks=(
            Title(title),
            Paragraph(confirm_text),
            Button(language.gettext("Confirm this address"), link),
            Paragraph(expiry_text),
        ),
        footer=_address_entered_footer(locale),
    )


def address_requested_content(_: AddressNoticeContext, locale: EmailLocale) -> EmailContent:
    gettext = locale.language.gettext
    return _notice_content(
        gettext("Your address is about to change"),
        gettext(
            "Someone who is signed in to your account asked us to send your emails to another address. It changes once that address is confirmed."
        ),
        gettext(
            "If that was you, there's nothing to do here. If it wasn't, withdraw the change and sign out all other browsers:"
        ),
        button=_security_button(locale),
        footer=_account_footer(locale),
    )


def address_changed_content(_: AddressNoticeContext, locale: EmailLocale) -> EmailContent:
    gettext = locale.language.gettext
    return _notice_content(
        gettext("Your address has changed"),
        gettext(
            "Your account now uses another address. This is the last email we send to this one."
        ),
        gettext(
            "If that wasn't you, use a browser where you're still signed in to change it back and to sign out all others. If there's none, write to the people who run this site."
        ),
        button=_security_button(locale),
        footer=_account_footer(locale),
    )


def _address_taken_content(locale: EmailLocale) -> EmailContent:
    gettext = locale.language.gettext
    return _notice_content(
        gettext("This address already has an account"),
        gettext(
            "Someone asked to use this address for their account, but it already belongs to one. Nothing has changed."
        ),
        gettext(
            "If that was you, you have two accounts. Sign in with this address to use this one. To use this address for the other one, delete this account first."
        ),
        button=Button(gettext("Sign in"), urls.absolute_url(locale.base_url, urls.sign_in())),
        footer=_address_entered_footer(locale),
    )


def _notice_content(
    title: str, text: str, advice: str, *, button: Button, footer: str
) -> EmailContent:
    """Return an email that says what happened to an account, and what to do if that is unexpected."""
    return EmailContent(
        subject=title,
        preview=text,
        blocks=(Title(title), Paragraph(text), Paragraph(advice), button),
        footer=footer,
    )


def _security_button(locale: EmailLocale) -> Button:
    label = locale.language.gettext("Check your account")
    return Button(label, urls.absolute_url(locale.base_url, urls.account_security()))


def _never_share_sentence(locale: EmailLocale) -> str:
    return locale.language.gettext(
        "Never share the code with anyone: we never ask for it by email or chat."
    )


def _pause_link(context: SignInContext, locale: EmailLocale) -> str:
    return urls.absolute_url(locale.base_url, urls.sign_in_pause(context.pause_token))


def _address_entered_footer(locale: EmailLocale) -> str:
    return locale.language.gettext(
        "You got this email because someone entered this address on their account page. If that wasn't you, ignore it: nothing happens."
    )


def _account_footer(locale: EmailLocale) -> str:
    return locale.language.gettext(
        "You got this email because it's about your account. We can't read replies."
    )


def _expiry_values(expires_at: datetime, locale: EmailLocale) -> dict[str, str]:
    """Return the values of a sentence about how long something works."""
    language = locale.language
    return {
        "how_long": times.relative_time(expires_at, now=locale.now, language=language),
        "when": times.absolute_time(
            expires_at, now=locale.now, zone=locale.zone, language=language
        ),
    }
