"""What the table page offers besides playing: the acts on its game that its viewer may perform now, and those that they can undo."""

from datetime import datetime
from typing import Any, Final

from webapp.kernel.game_status import GameStatus
from webapp.kernel.public_acts import ShownAct
from webapp.kernel.rights import GameRight, Relation, is_stronger, strongest
from webapp.play.changes.acts import Act, Need, acts_by_name
from webapp.play.changes.game_changes import NUDGE_INTERVAL
from webapp.play.summaries import SeatSummary
from webapp.play.views.table_page import BoardPage, TablePage

_ACTS_THAT_END_OFFERS: Final = frozenset(
    {GameRight.WITHDRAW_OFFER, GameRight.SEAT_PERSON, GameRight.SEAT_BOT}
)


def offered_acts(page: TablePage, *, now: datetime) -> list[Act[Any]]:
    """Return the acts to which the page links, in the order of the table of rights."""
    met_needs = _met_needs(page, now) | {None}
    return [
        act
        for act in acts_by_name().values()
        if act.has_page and act.right in page.permitted_rights
        if page.table.status in act.statuses and act.needs in met_needs
    ]


def undoable_ids(page: TablePage) -> frozenset[int]:
    """Return the acts that the viewer may undo, if what they changed still is as they left it."""
    return frozenset(act.id for act in page.acts if _is_undoable(page, act))


def can_be_nudged(page: BoardPage, *, now: datetime) -> bool:
    """Return whether a person is on turn who has not been reminded by anyone within a day."""
    awaiting = page.view.awaiting
    if awaiting is None or not _has_person(page.seats[awaiting.seat]):
        return False
    return not any(
        act.act == GameRight.NUDGE and act.seat == awaiting.seat and act.at > now - NUDGE_INTERVAL
        for act in page.acts
    )


def _is_undoable(page: TablePage, shown_act: ShownAct) -> bool:
    act = acts_by_name().get(shown_act.act)
    if act is None or act.undone_as is None or shown_act.is_undone or shown_act.is_undoing:
        return False
    return act.right in page.permitted_rights and not _is_by_someone_stronger(
        shown_act, page.permitted_rights[act.right]
    )


def _is_by_someone_stronger(act: ShownAct | None, relation: Relation) -> bool:
    return act is not None and is_stronger(act.acted_as, relation)


def _met_needs(page: TablePage, now: datetime) -> frozenset[Need]:
    """Return what there is to act on. Emails are on the page for moderators alone, which offers to send them again."""
    acts_as = strongest(page.permitted_rights.values())
    if acts_as is None:
        return frozenset()
    is_running, awaiting = page.table.status == GameStatus.RUNNING, page.view.awaiting
    is_own_turn = awaiting is not None and awaiting.seat == page.seat
    waits_for_seat = awaiting is not None and not page.seats[awaiting.seat].is_bot
    people = {seat.number for seat in page.seats if _has_person(seat)}
    takes_bots = _is_open if acts_as is Relation.HOST else _is_without_bot
    offers = _open_offers(page, now)
    stronger_offers = {
        seat for seat, act in offers.items() if _is_by_someone_stronger(act, acts_as)
    }
    needs: dict[Need, bool] = {
        "a running game": is_running,
        "a paused game": not is_running and not _is_by_someone_stronger(page.pause_act, acts_as),
        "a deadline": page.deadline_at is not None and not is_own_turn,
        "a turn to play": waits_for_seat,
        # Players have a button for it.
        "someone to nudge": page.seat is None and can_be_nudged(page, now=now),
        "a person": bool(people),
        "a person who is not the host": bool(people - {page.host_seat}),
        "a seat for a bot": any(map(takes_bots, page.seats)),
        "a seat to offer": any(
            seat.number not in people | stronger_offers and not seat.is_gone for seat in page.seats
        ),
        "an open offer": bool(offers.keys() - stronger_offers),
        "an earlier turn": page.view.seq > 0,
    }
    return frozenset(need for need, is_met in needs.items() if is_met)


def _open_offers(page: TablePage, now: datetime) -> dict[int, ShownAct]:
    """Return the seats that are offered to someone who may still accept; whether they have declined is not public."""
    newest_acts = {
        act.seat: act
        for act in reversed(page.acts)
        if act.act == GameRight.OFFER_SEAT or act.act in _ACTS_THAT_END_OFFERS
    }
    return {
        seat.number: act
        for seat in page.seats
        if not _has_person(seat) and (act := newest_acts.get(seat.number)) is not None
        if act.act == GameRight.OFFER_SEAT and act.after.until is not None and act.after.until > now
    }


def _has_person(seat: SeatSummary) -> bool:
    return not seat.is_bot and not seat.is_free


def _is_open(seat: SeatSummary) -> bool:
    return seat.is_free and not seat.is_gone


def _is_without_bot(seat: SeatSummary) -> bool:
    return not seat.is_bot and not seat.is_gone
