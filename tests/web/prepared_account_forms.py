"""Forms of accounts, tables and clubs that need something to be there first."""

from tests.support.cast import ALICE, BOB, CAROL, MALLORY
from tests.support.factories import stored_game
from tests.support.html import Page
from tests.support.visitors import Visitor, open_table, table_link
from tests.web.form_submissions import FormContext, FormSubmission, PrepareForm, shown_form
from tests.web.populated_site import NORA
from webapp.accounts.emails.address_change import AddressChangeContext
from webapp.accounts.emails.identity_code import IdentityCodeContext
from webapp.accounts.emails.sign_in import SignInContext
from webapp.clubs.emails.club_invitation import ClubInvitationContext
from webapp.kernel import urls
from webapp.lobby.emails.invitation import InvitationContext
from webapp.play.emails.turn_email import TurnContext

_NEW_ADDRESS = "new@example.test"


def _sign_in_code_form(form_context: FormContext) -> FormSubmission:
    visitor = form_context.site.signed_out()
    visitor.post(urls.sign_in(), address=MALLORY.address)
    code = form_context.email(SignInContext).code
    return shown_form(visitor, urls.sign_in_code(), urls.sign_in_code(), code=code)


def _sign_in_link_form(form_context: FormContext) -> FormSubmission:
    visitor = form_context.site.signed_out()
    visitor.post(urls.sign_in(), address=MALLORY.address)
    path = urls.sign_in_link(form_context.email(SignInContext).link_token)
    return shown_form(visitor, path, path)


def _sign_in_pause_form(form_context: FormContext) -> FormSubmission:
    visitor = form_context.site.signed_out()
    visitor.post(urls.sign_in(), address=MALLORY.address)
    path = urls.sign_in_pause(form_context.email(SignInContext).pause_token)
    return shown_form(visitor, path, path)


def _sign_out_browser_form(form_context: FormContext) -> FormSubmission:
    form_context.site.signed_in(MALLORY)
    visitor = form_context.visitor("stranger")
    page = visitor.page(urls.account_security())
    form = next(form for form in page.forms if form.action.startswith("/account/sessions/"))
    return FormSubmission(visitor, form.action, form.fields)


def _identity_code_form(form_context: FormContext) -> FormSubmission:
    visitor = form_context.visitor("stranger")
    visitor.post(urls.identity_code())
    code = form_context.email(IdentityCodeContext).code
    return shown_form(visitor, urls.identity(), urls.identity(), code=code)


def _account_deletion_form(form_context: FormContext) -> FormSubmission:
    page = urls.account_deletion()
    return shown_form(form_context.visitor("player"), page, page, address=BOB.address)


def _address_change_form(form_context: FormContext) -> FormSubmission:
    visitor = form_context.visitor("stranger")
    visitor.post(urls.account_address(), address=_NEW_ADDRESS)
    path = urls.address_link(form_context.email(AddressChangeContext).link_token)
    return shown_form(visitor, path, path)


def _address_change_withdrawal_form(form_context: FormContext) -> FormSubmission:
    visitor = form_context.visitor("stranger")
    visitor.post(urls.account_address(), address=_NEW_ADDRESS)
    return shown_form(visitor, urls.account_security(), urls.withdraw_address())


def _unblock_form(form_context: FormContext) -> FormSubmission:
    visitor = form_context.visitor("host")
    visitor.post(urls.block(form_context.populated_site.slugs["private"], 1))
    page = visitor.page(urls.blocked_people())
    form = next(form for form in page.forms if form.action.startswith(urls.blocked_people()))
    return FormSubmission(visitor, form.action, form.fields)


def _prepare_absence_form(ending: str) -> PrepareForm:
    """Plan time away, then change or remove it."""

    def prepare(form_context: FormContext) -> FormSubmission:
        visitor = form_context.visitor("stranger")
        page = visitor.page(urls.time_away())
        days = {"first_day": "2026-03-24", "last_day": "2026-03-26"}
        visitor.send(page.form(urls.time_away()), **days)
        page = visitor.page(urls.time_away())
        removal = next(form for form in page.forms if form.action.endswith("/end"))
        path = removal.action.removesuffix("/end")
        return shown_form(
            visitor, path, path + ending, **({} if ending else {"last_time": "12:00"})
        )

    return prepare


def _open_public_table(form_context: FormContext) -> tuple[Visitor, str]:
    """Return the host and the slug of a new public table for three."""
    host = form_context.visitor("host")
    return host, open_table(host, seats="3", audience="public")


def _invitation_acceptance_form(form_context: FormContext) -> FormSubmission:
    host, slug = _open_public_table(form_context)
    path = urls.invitation(table_link(host, slug))
    return shown_form(form_context.visitor("stranger"), path, path)


def _invited_name_form(form_context: FormContext) -> FormSubmission:
    """Get an account, a name and a seat with an emailed invitation."""
    host, slug = _open_public_table(form_context)
    host.post(urls.lobby_action(slug, "invite"), address="new@example.test")
    path = urls.invited_name(form_context.email(InvitationContext).token)
    return shown_form(form_context.site.signed_out(), path, path, name="Newcomer")


def _take_seat_form(form_context: FormContext) -> FormSubmission:
    _, slug = _open_public_table(form_context)
    action = urls.lobby_action(slug, "sit")
    return shown_form(form_context.visitor("stranger"), urls.game(slug), action)


def _ready_form(form_context: FormContext) -> FormSubmission:
    """Be the last one who is ready: the cards are dealt."""
    host, slug = _open_public_table(form_context)
    guest, action = form_context.visitor("stranger"), urls.lobby_action(slug, "sit")
    guest.send(guest.page(urls.game(slug)).form(action))
    fill_path = urls.lobby_action(slug, "fill")
    host.send(host.page(urls.game(slug)).form(fill_path))
    return shown_form(guest, urls.game(slug), urls.lobby_action(slug, "ready"))


def _club_invitation_acceptance_form(form_context: FormContext) -> FormSubmission:
    slug, moderator = (
        form_context.populated_site.clubs["private"],
        form_context.visitor("club-moderator"),
    )
    action = urls.club_action(slug, "invite")
    shown_form(moderator, urls.club_members(slug), action, address=MALLORY.address).send()
    path = urls.club_invitation(form_context.email(ClubInvitationContext).token)
    return shown_form(form_context.visitor("stranger"), path, path)


def _prepare_member_form(verb: str, *, founder: bool = False) -> PrepareForm:
    def prepare(form_context: FormContext) -> FormSubmission:
        slug = form_context.populated_site.clubs["public"]
        form_context.visitor("stranger").post(urls.club_action(slug, "ask"))
        if verb == "demote":
            _prepare_member_form("promote", founder=True)(form_context).send()
        visitor = (
            form_context.site.signed_in(NORA) if founder else form_context.visitor("club-moderator")
        )
        page = visitor.page(urls.club_members(slug))
        form = next(form for form in page.forms if form.action.endswith(f"/{verb}"))
        return FormSubmission(visitor, form.action, form.fields)

    return prepare


def _unsubscribe_form(form_context: FormContext) -> FormSubmission:
    form_context.visitor("host").post(urls.account_address(), address=_NEW_ADDRESS)
    emails = form_context.site.deliver_emails()
    token = next(filter(None, (email.envelope.unsubscribe.everything for email in emails)))
    path = urls.unsubscribe(token)
    return shown_form(form_context.site.signed_out(), path, path)


def _move_form(form_context: FormContext) -> FormSubmission:
    """Return the form behind a link to a move in the email about a turn."""
    site = form_context.site
    game = site.dealt_game(ALICE, BOB, CAROL, seed="a move by email")
    emails = [email for email in site.deliver_emails() if isinstance(email, TurnContext)]
    token = next(email.envelope.move_token for email in emails if email.table.slug == game.slug)
    assert token is not None
    card = stored_game(site.database, game.slug, game.guests[0]).view(0).hand[0]
    return shown_form(site.signed_out(), urls.move(token, do=f"discard {card}"), urls.move(token))


def _resubscribe_form(form_context: FormContext) -> FormSubmission:
    form = _unsubscribe_form(form_context)
    page = Page(form.send().text)
    [resubscribing_form] = [
        page_form for page_form in page.forms if page_form.action.endswith("/resubscribe")
    ]
    return FormSubmission(form.visitor, resubscribing_form.action, resubscribing_form.fields)


def _removal_form(form_context: FormContext) -> FormSubmission:
    slug = form_context.populated_site.slugs["lobby"]
    return shown_form(
        form_context.visitor("host"), urls.game(slug), urls.lobby_action(slug, "remove")
    )


def _leave_seat_form(form_context: FormContext) -> FormSubmission:
    slug = form_context.populated_site.slugs["lobby"]
    return shown_form(
        form_context.visitor("player"), urls.game(slug), urls.lobby_action(slug, "leave")
    )


def _new_table_form(form_context: FormContext) -> FormSubmission:
    return shown_form(form_context.visitor("stranger"), urls.new_game(), urls.tables())


def _bot_game_form(form_context: FormContext) -> FormSubmission:
    return shown_form(form_context.visitor("stranger"), urls.home(), urls.bot_game())


def _new_club_form(form_context: FormContext) -> FormSubmission:
    return shown_form(
        form_context.visitor("stranger"), urls.new_club(), urls.clubs(), name="Late shift"
    )


ACCOUNT_FORMS: dict[str, PrepareForm] = {
    "sign_in.sign_in_with_code": _sign_in_code_form,
    "sign_in.sign_in_with_link": _sign_in_link_form,
    "sign_in_pause.pause": _sign_in_pause_form,
    "sessions.sign_out_browser": _sign_out_browser_form,
    "identity.confirm_identity": _identity_code_form,
    "data.delete_account": _account_deletion_form,
    "address.confirm_change": _address_change_form,
    "address.withdraw_change": _address_change_withdrawal_form,
    "blocked.unblock": _unblock_form,
    "time_away.change_absence": _prepare_absence_form(""),
    "time_away.end_absence": _prepare_absence_form("/end"),
    "invitation.accept_invitation": _invitation_acceptance_form,
    "invitation.take_named_seat": _invited_name_form,
    "lobby.take_seat": _take_seat_form,
    "lobby.confirm_ready": _ready_form,
    "lobby.leave": _leave_seat_form,
    "lobby.remove_player": _removal_form,
    "new_table.open_table": _new_table_form,
    "new_table.open_bot_game": _bot_game_form,
    "clubs.found_club": _new_club_form,
    "club_members.accept_club_invitation": _club_invitation_acceptance_form,
    "club_members.decide:approve": _prepare_member_form("approve"),
    "club_members.decide:refuse": _prepare_member_form("refuse"),
    "club_members.decide:remove": _prepare_member_form("remove"),
    "club_members.decide:promote": _prepare_member_form("promote", founder=True),
    "club_members.decide:demote": _prepare_member_form("demote", founder=True),
    "unsubscribe.unsubscribe": _unsubscribe_form,
    "email_moves.play_move": _move_form,
    "unsubscribe.resubscribe": _resubscribe_form,
}
