"""Forms of moderators that need something to be there first."""

import re
from collections.abc import Callable

from sqlalchemy import func, select

from tests.support.cast import BOB, MALLORY
from tests.support.html import Page
from tests.support.late_games import let_time_run_out, make_public, set_late_rules
from tests.support.moderation import execute
from tests.support.transactions import transaction
from tests.web.form_submissions import (
    FormContext,
    FormSubmission,
    PrepareForm,
    confirmed_form,
    shown_form,
)
from webapp.kernel import urls
from webapp.kernel.rights import GameRight
from webapp.lobby.emails.seat_offer import SeatOfferContext
from webapp.moderation.emails.sanction_email import SanctionContext
from webapp.moderation.schema import LedgerEntry

_ANNOUNCEMENT_FIELDS = {"announcement": "New pumps on Sunday.", "hours": "24"}
_REASON = "asked by email"


def _report_path(form_context: FormContext) -> str:
    """Report the host, and return the path of the report."""
    slug = form_context.populated_site.slugs["private"]
    form_context.visitor("player").post(
        urls.new_report(slug), seat="0", kind="unfair", complaint="She insults us"
    )
    return _first_report_path(form_context)


def _first_report_path(form_context: FormContext) -> str:
    page = form_context.moderator.page(urls.reports())
    return next(link.href for link in page.links if link.href.startswith("/moderation/reports/"))


def _removal_form(form_context: FormContext) -> FormSubmission:
    """Report what the player says, and return the form that removes it."""
    slug, player = form_context.populated_site.slugs["private"], form_context.visitor("player")
    shown_form(player, urls.game(slug), urls.messages(slug), message="You mole!").send()
    form_context.visitor("host").post(urls.new_report(slug), message="1", complaint="An insult")
    page = form_context.moderator.page(_first_report_path(form_context))
    form = page.form_named("remove")
    return FormSubmission(
        form_context.moderator, form.action, form.fields | {"removal-reason": _REASON}
    )


def _prepare_decision_form(decision: str) -> PrepareForm:
    def prepare(form_context: FormContext) -> FormSubmission:
        path = _report_path(form_context)
        fields = {"decision": decision, "reason": _REASON, "answer": "Thank you", "days": "7"}
        form = shown_form(form_context.moderator, path, path, **fields)
        return form if decision == "dismiss" else confirmed_form(form)

    return prepare


def _person_path(form_context: FormContext) -> str:
    """Return the path of the page of the player."""
    page = form_context.moderator.page(urls.moderation() + f"?search={BOB.address}")
    return next(link.href for link in page.links if link.href.startswith("/moderation/people/"))


def _prepare_sanction_form(kind: str) -> PrepareForm:
    def prepare(form_context: FormContext) -> FormSubmission:
        if kind == "unban":
            _prepare_sanction_form("ban")(form_context).send()
        path = f"{_person_path(form_context)}/{kind}"
        fields = {"reason": _REASON, "days": "7", "name": "Agate"}
        return confirmed_form(shown_form(form_context.moderator, path, path, **fields))

    return prepare


def _appeal_form(form_context: FormContext) -> FormSubmission:
    _prepare_sanction_form("warn")(form_context).send()
    path = urls.appeal(form_context.email(SanctionContext).appeal_token)
    return shown_form(form_context.site.signed_out(), path, path, complaint="Not so")


def _acknowledgement_form(form_context: FormContext) -> FormSubmission:
    _prepare_sanction_form("warn")(form_context).send()
    return shown_form(form_context.visitor("player"), urls.home(), urls.acknowledge_warning())


def _prepare_act_form(act: GameRight, **query: str) -> PrepareForm:
    def prepare(form_context: FormContext) -> FormSubmission:
        slug = form_context.populated_site.slugs["private"]
        _PREPARED_ACTS.get(act, lambda _scene, _slug: None)(form_context, slug)
        path = urls.moderated_act(slug, act)
        page = form_context.moderator.page(urls.moderated_act(slug, act, **query))
        form = next(form for form in page.forms if form.action == path and form.method == "post")
        return FormSubmission(form_context.moderator, path, form.fields | {"reason": _REASON})

    return prepare


def _pause_game(form_context: FormContext, _slug: str) -> None:
    _prepare_act_form(GameRight.PAUSE)(form_context).send()


def _play_neutral_action(form_context: FormContext, _slug: str) -> None:
    _prepare_act_form(GameRight.PLAY_NEUTRAL)(form_context).send()


def _offer_open_seat(form_context: FormContext, _slug: str) -> None:
    _prepare_act_form(GameRight.OFFER_SEAT, **_OPEN_SEAT_FIELDS, address=MALLORY.address)(
        form_context
    ).send()


def _offer_acceptance_form(form_context: FormContext) -> FormSubmission:
    _offer_open_seat(form_context, "")
    path = urls.seat_offer(form_context.email(SeatOfferContext).token)
    return shown_form(form_context.visitor("stranger"), path, path)


def _offer_refusal_form(form_context: FormContext) -> FormSubmission:
    _offer_open_seat(form_context, "")
    token = form_context.email(SeatOfferContext).token
    visitor = form_context.visitor("stranger")
    return shown_form(visitor, urls.seat_offer(token), urls.decline_seat_offer(token))


def _open_seat_form(form_context: FormContext) -> FormSubmission:
    slug = form_context.populated_site.slugs["private"]
    make_public(form_context.site.database, slug)
    set_late_rules(form_context.site.database, slug)
    let_time_run_out(form_context.site.database, slug, now=form_context.site.clock.now)
    path = urls.open_seat(slug)
    return shown_form(form_context.visitor("stranger"), path, path)


def _fail_emails(form_context: FormContext, _slug: str) -> None:
    execute(
        form_context.site.database,
        "UPDATE notification SET status = 'failed', reason = '550 no', settled_at = :at"
        " WHERE kind = 'your-turn'",
        at=form_context.site.clock.now,
    )


def _extension_undo_form(form_context: FormContext) -> FormSubmission:
    slug = form_context.populated_site.slugs["private"]
    _prepare_act_form(GameRight.EXTEND, length="1", unit="days")(form_context).send()
    with transaction(form_context.site.database) as tx:
        entry = tx.connection.scalars(select(func.max(LedgerEntry.id))).one()
    path = urls.moderated_act(slug, GameRight.EXTEND)
    extension_page = form_context.moderator.page(
        urls.moderated_act(slug, GameRight.EXTEND, undoes=entry)
    )
    form = next(
        form for form in extension_page.forms if form.method == "post" and form.action == path
    )
    return FormSubmission(form_context.moderator, path, form.fields | {"reason": "by mistake"})


def _bulk_pause_form(form_context: FormContext) -> FormSubmission:
    slugs = [form_context.populated_site.slugs[kind] for kind in ("private", "public")]
    path = urls.bulk_act(GameRight.PAUSE)
    html = form_context.moderator.get(path + "?" + "&".join(f"game={slug}" for slug in slugs)).text
    form = next(
        form for form in Page(html).forms if form.method == "post" and form.action.startswith(path)
    )
    values = re.findall(r'name="game"\s+value="([^"]+:[^"]+)"', html)
    assert len(values) == len(slugs)
    fields = form.fields | {"game": values, "reason": _REASON}
    return FormSubmission(form_context.moderator, path, fields)


def _announcement_form(form_context: FormContext) -> FormSubmission:
    path = urls.site_announcement()
    filled_form = shown_form(
        form_context.moderator, path, path, reason=_REASON, **_ANNOUNCEMENT_FIELDS
    )
    return confirmed_form(filled_form)


def _announcement_withdrawal_form(form_context: FormContext) -> FormSubmission:
    _announcement_form(form_context).send()
    action = urls.withdraw_announcement()
    return shown_form(form_context.moderator, urls.site_announcement(), action, reason=_REASON)


def _filter_deletion_form(form_context: FormContext) -> FormSubmission:
    mo = form_context.moderator
    mo.post(urls.saved_filters(), name="mine", search="bob")
    page = mo.page(urls.moderation())
    form = next(form for form in page.forms if form.action.startswith("/moderation/filters/"))
    return FormSubmission(mo, form.action, form.fields)


def _prepare_settings_form(**values: str) -> PrepareForm:
    def prepare(form_context: FormContext) -> FormSubmission:
        path = urls.site_settings()
        return shown_form(form_context.moderator, path, path, reason=_REASON, **values)

    return prepare


_PREPARED_ACTS: dict[GameRight, Callable[[FormContext, str], None]] = {
    GameRight.RESUME: _pause_game,
    GameRight.WITHDRAW_OFFER: _offer_open_seat,
    GameRight.REWIND: _play_neutral_action,
    GameRight.RESEND_EMAIL: _fail_emails,
}
_SEAT_OF_BOB_FIELDS = {"seat": "2"}
_OPEN_SEAT_FIELDS = {"seat": "4"}
"""Of the former player."""
_ACT_INPUT: dict[GameRight, dict[str, str]] = {
    GameRight.EXTEND: {"length": "1", "unit": "days"},
    GameRight.OPEN_SEAT: _SEAT_OF_BOB_FIELDS,
    GameRight.SEAT_BOT: _SEAT_OF_BOB_FIELDS,
    GameRight.OFFER_SEAT: _OPEN_SEAT_FIELDS | {"address": MALLORY.address},
    GameRight.WITHDRAW_OFFER: _OPEN_SEAT_FIELDS,
    GameRight.RENAME_SEAT: _SEAT_OF_BOB_FIELDS | {"name": "Agate"},
    GameRight.HAND_OVER_TABLE: _SEAT_OF_BOB_FIELDS,
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
MODERATION_FORMS: dict[str, PrepareForm] = {
    **{
        f"reports.decide_report:{kind}": _prepare_decision_form(kind)
        for kind in ("dismiss", "warn", "ban")
    },
    **{
        f"sanctions.apply_sanction:{kind}": _prepare_sanction_form(kind)
        for kind in ("warn", "ban", "unban", "rename")
    },
    "reports.remove_message": _removal_form,
    "complaints.send_appeal": _appeal_form,
    "complaints.acknowledge_warning": _acknowledgement_form,
    **{
        f"acts.perform_act:{act}": _prepare_act_form(act, **_ACT_INPUT.get(act, {}))
        for act in _ACTS
    },
    "acts.perform_act:undo": _extension_undo_form,
    "seat_offer.accept_seat_offer": _offer_acceptance_form,
    "seat_offer.decline_seat_offer": _offer_refusal_form,
    "open_seats.take_seat": _open_seat_form,
    "bulk_acts.perform_bulk_act": _bulk_pause_form,
    "site_announcement.announce_to_site": _announcement_form,
    "site_announcement.withdraw": _announcement_withdrawal_form,
    "moderation.delete_filter": _filter_deletion_form,
    "site_settings.change": _prepare_settings_form(site_name="Deep Mine", most_invited="20"),
}
