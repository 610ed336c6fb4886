"""Forms of accounts, tables and clubs that need something to be there first."""

from tests.pages.form_scene import Preparation, PressedForm, Scene, shown_form
from tests.pages.populated_site import NORA
from tests.support.cast import BOB, MALLORY
from tests.support.html import Page
from tests.support.visitors import Visitor, open_table, table_link
from webapp import urls
from webapp.services.notifications.email_context import (
    AddressChangeContext,
    ClubInvitationContext,
    IdentityCodeContext,
    SignInContext,
)

_NEW_ADDRESS = "new@example.test"


def _sign_in_code(scene: Scene) -> PressedForm:
    visitor = scene.site.signed_out()
    visitor.post(urls.sign_in(), address=MALLORY.address)
    code = scene.email(SignInContext).code
    return shown_form(visitor, urls.sign_in_code(), urls.sign_in_code(), code=code)


def _sign_in_link(scene: Scene) -> PressedForm:
    visitor = scene.site.signed_out()
    visitor.post(urls.sign_in(), address=MALLORY.address)
    path = urls.sign_in_link(scene.email(SignInContext).link_token)
    return shown_form(visitor, path, path)


def _sign_out_browser(scene: Scene) -> PressedForm:
    scene.site.signed_in(MALLORY)
    visitor = scene.visitor("stranger")
    page = visitor.page(urls.account_security())
    form = next(form for form in page.forms if form.action.startswith("/account/sessions/"))
    return PressedForm(visitor, form.action, form.fields)


def _identity_code(scene: Scene) -> PressedForm:
    visitor = scene.visitor("stranger")
    visitor.post(urls.identity_code())
    code = scene.email(IdentityCodeContext).code
    return shown_form(visitor, urls.identity(), urls.identity(), code=code)


def _deleted_account(scene: Scene) -> PressedForm:
    page = urls.account_deletion()
    return shown_form(scene.visitor("player"), page, page, address=BOB.address)


def _address_change(scene: Scene) -> PressedForm:
    visitor = scene.visitor("stranger")
    visitor.post(urls.account_address(), address=_NEW_ADDRESS)
    path = urls.address_link(scene.email(AddressChangeContext).link_token)
    return shown_form(visitor, path, path)


def _withdrawn_address_change(scene: Scene) -> PressedForm:
    visitor = scene.visitor("stranger")
    visitor.post(urls.account_address(), address=_NEW_ADDRESS)
    return shown_form(visitor, urls.account_security(), urls.withdraw_address())


def _unblock_form(scene: Scene) -> PressedForm:
    visitor = scene.visitor("host")
    visitor.post(urls.block(scene.populated_site.slugs["private"], 1))
    page = visitor.page(urls.blocked_people())
    form = next(form for form in page.forms if form.action.startswith(urls.blocked_people()))
    return PressedForm(visitor, form.action, form.fields)


def _absence(ending: str) -> Preparation:
    """Plan time away, then change or remove it."""

    def prepare(scene: Scene) -> PressedForm:
        visitor = scene.visitor("stranger")
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


def _table(scene: Scene) -> tuple[Visitor, str]:
    """Return the host and the slug of a new public table for three."""
    host = scene.visitor("host")
    return host, open_table(host, seats="3", audience="public")


def _accepted_invitation(scene: Scene) -> PressedForm:
    host, slug = _table(scene)
    path = urls.invitation(table_link(host, slug))
    return shown_form(scene.visitor("stranger"), path, path)


def _seat(scene: Scene) -> PressedForm:
    _, slug = _table(scene)
    action = urls.lobby_action(slug, "sit")
    return shown_form(scene.visitor("stranger"), urls.game(slug), action)


def _ready_form(scene: Scene) -> PressedForm:
    """Be the last one who is ready: the cards are dealt."""
    host, slug = _table(scene)
    guest, action = scene.visitor("stranger"), urls.lobby_action(slug, "sit")
    guest.send(guest.page(urls.game(slug)).form(action))
    fill_path = urls.lobby_action(slug, "fill")
    host.send(host.page(urls.game(slug)).form(fill_path))
    return shown_form(guest, urls.game(slug), urls.lobby_action(slug, "ready"))


def _club_invitation(scene: Scene) -> PressedForm:
    slug, moderator = scene.populated_site.clubs["private"], scene.visitor("club-moderator")
    action = urls.club_action(slug, "invite")
    shown_form(moderator, urls.club_members(slug), action, address=MALLORY.address).send()
    path = urls.club_invitation(scene.email(ClubInvitationContext).token)
    return shown_form(scene.visitor("stranger"), path, path)


def _member(verb: str, *, founder: bool = False) -> Preparation:
    def prepare(scene: Scene) -> PressedForm:
        slug = scene.populated_site.clubs["public"]
        scene.visitor("stranger").post(urls.club_action(slug, "ask"))
        if verb == "demote":
            _member("promote", founder=True)(scene).send()
        visitor = scene.site.signed_in(NORA) if founder else scene.visitor("club-moderator")
        page = visitor.page(urls.club_members(slug))
        form = next(form for form in page.forms if form.action.endswith(f"/{verb}"))
        return PressedForm(visitor, form.action, form.fields)

    return prepare


def _unsubscribe_form(scene: Scene) -> PressedForm:
    scene.visitor("host").post(urls.account_address(), address=_NEW_ADDRESS)
    emails = scene.site.deliver_emails()
    token = next(filter(None, (email.envelope.unsubscribe.everything for email in emails)))
    path = urls.unsubscribe(token)
    return shown_form(scene.site.signed_out(), path, path)


def _resubscribe_form(scene: Scene) -> PressedForm:
    form = _unsubscribe_form(scene)
    page = Page(form.send().text)
    [resubscribing_form] = [
        page_form for page_form in page.forms if page_form.action.endswith("/resubscribe")
    ]
    return PressedForm(form.visitor, resubscribing_form.action, resubscribing_form.fields)


def _left_seat(scene: Scene) -> PressedForm:
    slug = scene.populated_site.slugs["lobby"]
    return shown_form(scene.visitor("player"), urls.game(slug), urls.lobby_action(slug, "leave"))


def _new_table(scene: Scene) -> PressedForm:
    return shown_form(scene.visitor("stranger"), urls.new_game(), urls.tables())


def _bot_game(scene: Scene) -> PressedForm:
    return shown_form(scene.visitor("stranger"), urls.home(), urls.bot_game())


def _new_club(scene: Scene) -> PressedForm:
    return shown_form(scene.visitor("stranger"), urls.new_club(), urls.clubs(), name="Late shift")


ACCOUNT_FORMS: dict[str, Preparation] = {
    "sign_in.sign_in_with_code": _sign_in_code,
    "sign_in.sign_in_with_link": _sign_in_link,
    "sessions.sign_out_browser": _sign_out_browser,
    "identity.confirm_identity": _identity_code,
    "data.delete_account": _deleted_account,
    "address.confirm_change": _address_change,
    "address.withdraw_change": _withdrawn_address_change,
    "blocked.unblock": _unblock_form,
    "time_away.change_absence": _absence(""),
    "time_away.end_absence": _absence("/end"),
    "invitation.accept_invitation": _accepted_invitation,
    "lobby.take_seat": _seat,
    "lobby.confirm_ready": _ready_form,
    "lobby.leave": _left_seat,
    "new_table.open_table": _new_table,
    "new_table.open_bot_game": _bot_game,
    "clubs.found_club": _new_club,
    "club_invitation.accept_club_invitation": _club_invitation,
    "club_members.decide:approve": _member("approve"),
    "club_members.decide:refuse": _member("refuse"),
    "club_members.decide:remove": _member("remove"),
    "club_members.decide:promote": _member("promote", founder=True),
    "club_members.decide:demote": _member("demote", founder=True),
    "unsubscribe.unsubscribe": _unsubscribe_form,
    "unsubscribe.resubscribe": _resubscribe_form,
}
