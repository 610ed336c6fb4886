"""Forms of moderators that need something to be there first."""

import re
from collections.abc import Callable

from sqlalchemy import func, select

from tests.pages.form_scene import Preparation, PressedForm, Scene, confirmed_form, shown_form
from tests.support.cast import BOB, MALLORY
from tests.support.html import Page
from tests.support.late_games import let_time_run_out, set_late_rules
from tests.support.moderation import execute
from webapp import urls
from webapp.rights import GameRight
from webapp.services.notifications.email_context import (
    SanctionContext,
    SeatOfferContext,
)
from webapp.services.tx import transaction
from webapp.store.schema.moderation import LedgerEntry

_ANNOUNCEMENT_FIELDS = {"announcement": "New pumps on Sunday.", "hours": "24"}
_REASON = "asked by email"


def _report_path(scene: Scene) -> str:
    """Report the host, and return the path of the report."""
    slug = scene.populated_site.slugs["private"]
    scene.visitor("player").post(
        urls.new_report(slug), seat="0", kind="unfair", complaint="She insults us"
    )
    page = scene.moderator.page(urls.reports())
    return next(link.href for link in page.links if link.href.startswith("/moderation/reports/"))


def _decision(decision: str) -> Preparation:
    def prepare(scene: Scene) -> PressedForm:
        path = _report_path(scene)
        fields = {"decision": decision, "reason": _REASON, "answer": "Thank you", "days": "7"}
        form = shown_form(scene.moderator, path, path, **fields)
        return form if decision == "dismiss" else confirmed_form(form)

    return prepare


def _person(scene: Scene) -> str:
    """Return the path of the page of the player."""
    page = scene.moderator.page(urls.moderation() + f"?search={BOB.address}")
    return next(link.href for link in page.links if link.href.startswith("/moderation/people/"))


def _sanction(kind: str) -> Preparation:
    def prepare(scene: Scene) -> PressedForm:
        if kind == "unban":
            _sanction("ban")(scene).send()
        path = f"{_person(scene)}/{kind}"
        fields = {"reason": _REASON, "days": "7", "name": "Agate"}
        return confirmed_form(shown_form(scene.moderator, path, path, **fields))

    return prepare


def _appeal(scene: Scene) -> PressedForm:
    _sanction("warn")(scene).send()
    path = urls.appeal(scene.email(SanctionContext).appeal_token)
    return shown_form(scene.site.signed_out(), path, path, complaint="Not so")


def _acknowledgement_form(scene: Scene) -> PressedForm:
    _sanction("warn")(scene).send()
    return shown_form(scene.visitor("player"), urls.home(), urls.acknowledge_warning())


def _act(act: GameRight, **query: str) -> Preparation:
    def prepare(scene: Scene) -> PressedForm:
        slug = scene.populated_site.slugs["private"]
        _PREPARED_ACTS.get(act, lambda _scene, _slug: None)(scene, slug)
        path = urls.moderated_act(slug, act)
        page = scene.moderator.page(urls.moderated_act(slug, act, **query))
        form = next(form for form in page.forms if form.action == path and form.method == "post")
        return PressedForm(scene.moderator, path, form.fields | {"reason": _REASON})

    return prepare


def _pause(scene: Scene, _slug: str) -> None:
    _act(GameRight.PAUSE)(scene).send()


def _play_turn(scene: Scene, _slug: str) -> None:
    _act(GameRight.PLAY_NEUTRAL)(scene).send()


def _offer(scene: Scene, _slug: str) -> None:
    _act(GameRight.OFFER_SEAT, **_OPEN_SEAT, address=MALLORY.address)(scene).send()


def _accepted_offer(scene: Scene) -> PressedForm:
    _offer(scene, "")
    path = urls.seat_offer(scene.email(SeatOfferContext).token)
    return shown_form(scene.visitor("stranger"), path, path)


def _declined_offer(scene: Scene) -> PressedForm:
    _offer(scene, "")
    token = scene.email(SeatOfferContext).token
    visitor = scene.visitor("stranger")
    return shown_form(visitor, urls.seat_offer(token), urls.decline_seat_offer(token))


def _open_seat(scene: Scene) -> PressedForm:
    slug = scene.populated_site.slugs["private"]
    set_late_rules(scene.site.database, slug)
    let_time_run_out(scene.site.database, slug, now=scene.site.clock.now)
    path = urls.open_seat(slug)
    return shown_form(scene.visitor("stranger"), path, path)


def _fail_emails(scene: Scene, _slug: str) -> None:
    execute(
        scene.site.database,
        "UPDATE notification SET status = 'failed', reason = '550 no', settled_at = :at"
        " WHERE kind = 'your-turn'",
        at=scene.site.clock.now,
    )


def _undone_extension(scene: Scene) -> PressedForm:
    slug = scene.populated_site.slugs["private"]
    _act(GameRight.EXTEND, length="1", unit="days")(scene).send()
    with transaction(scene.site.database) as tx:
        entry = tx.connection.scalars(select(func.max(LedgerEntry.id))).one()
    path = urls.moderated_act(slug, GameRight.EXTEND)
    extension_page = scene.moderator.page(urls.moderated_act(slug, GameRight.EXTEND, undoes=entry))
    form = next(
        form for form in extension_page.forms if form.method == "post" and form.action == path
    )
    return PressedForm(scene.moderator, path, form.fields | {"reason": "by mistake"})


def _bulk_pause(scene: Scene) -> PressedForm:
    slugs = [scene.populated_site.slugs[kind] for kind in ("private", "public")]
    path = urls.bulk_act(GameRight.PAUSE)
    html = scene.moderator.get(path + "?" + "&".join(f"game={slug}" for slug in slugs)).text
    form = next(
        form for form in Page(html).forms if form.method == "post" and form.action.startswith(path)
    )
    values = re.findall(r'name="game"\s+value="([^"]+:[^"]+)"', html)
    assert len(values) == len(slugs)
    fields = form.fields | {"game": values, "reason": _REASON}
    return PressedForm(scene.moderator, path, fields)


def _announcement(scene: Scene) -> PressedForm:
    path = urls.site_announcement()
    filled_form = shown_form(scene.moderator, path, path, reason=_REASON, **_ANNOUNCEMENT_FIELDS)
    return confirmed_form(filled_form)


def _withdrawn_announcement(scene: Scene) -> PressedForm:
    _announcement(scene).send()
    action = urls.withdraw_announcement()
    return shown_form(scene.moderator, urls.site_announcement(), action, reason=_REASON)


def _deleted_filter(scene: Scene) -> PressedForm:
    mo = scene.moderator
    mo.post(urls.saved_filters(), name="mine", search="bob")
    page = mo.page(urls.moderation())
    form = next(form for form in page.forms if form.action.startswith("/moderation/filters/"))
    return PressedForm(mo, form.action, form.fields)


def _setting(**values: str) -> Preparation:
    def prepare(scene: Scene) -> PressedForm:
        path = urls.site_settings()
        return shown_form(scene.moderator, path, path, reason=_REASON, **values)

    return prepare


_PREPARED_ACTS: dict[GameRight, Callable[[Scene, str], None]] = {
    GameRight.RESUME: _pause,
    GameRight.WITHDRAW_OFFER: _offer,
    GameRight.REWIND: _play_turn,
    GameRight.RESEND_EMAIL: _fail_emails,
}
_SEAT_OF_BOB = {"seat": "2"}
_OPEN_SEAT = {"seat": "4"}
"""Of the former player."""
_ACT_INPUT: dict[GameRight, dict[str, str]] = {
    GameRight.EXTEND: {"length": "1", "unit": "days"},
    GameRight.OPEN_SEAT: _SEAT_OF_BOB,
    GameRight.SEAT_BOT: _SEAT_OF_BOB,
    GameRight.OFFER_SEAT: _OPEN_SEAT | {"address": MALLORY.address},
    GameRight.WITHDRAW_OFFER: _OPEN_SEAT,
    GameRight.RENAME_SEAT: _SEAT_OF_BOB | {"name": "Agate"},
    GameRight.HAND_OVER_TABLE: _SEAT_OF_BOB,
}
_ACTS = (
    GameRight.NUDGE,
    GameRight.EXTEND,
    GameRight.PAUSE,
    GameRight.RESUME,
    GameRight.PLAY_NEUTRAL,
    GameRight.OPEN_SEAT,
    GameRight.OFFER_SEAT,
    GameRight.WITHDRAW_OFFER,
    GameRight.SEAT_BOT,
    GameRight.REWIND,
    GameRight.CANCEL_GAME,
    GameRight.RENAME_SEAT,
    GameRight.HAND_OVER_TABLE,
    GameRight.ANNOUNCE_TO_TABLE,
    GameRight.RESEND_EMAIL,
)
MODERATION_FORMS: dict[str, Preparation] = {
    **{f"reports.decide_report:{kind}": _decision(kind) for kind in ("dismiss", "warn", "ban")},
    **{
        f"sanctions.apply_sanction:{kind}": _sanction(kind)
        for kind in ("warn", "ban", "unban", "rename")
    },
    "complaints.send_appeal": _appeal,
    "complaints.acknowledge_warning": _acknowledgement_form,
    **{f"acts.perform_act:{act}": _act(act, **_ACT_INPUT.get(act, {})) for act in _ACTS},
    "acts.perform_act:undo": _undone_extension,
    "seat_offer.accept_seat_offer": _accepted_offer,
    "seat_offer.decline_seat_offer": _declined_offer,
    "open_seats.take_seat": _open_seat,
    "bulk_acts.perform_bulk_act": _bulk_pause,
    "site_announcement.announce_to_site": _announcement,
    "site_announcement.withdraw": _withdrawn_announcement,
    "moderation.delete_filter": _deleted_filter,
    "site_settings.change": _setting(site_name="Deep Mine", most_invited="20"),
}
