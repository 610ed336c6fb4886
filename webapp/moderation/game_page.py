"""The page of a game for its moderators: whom it waits for and why, with times and outcomes, never roles or cards."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

import msgspec

from webapp.accounts.person import Person
from webapp.accounts.relations import (
    TableFacts,
    require_game_right,
    site_relations,
    table_relations,
)
from webapp.clock.queries import deadline_events
from webapp.kernel.database import is_storable
from webapp.kernel.game_status import GameStatus
from webapp.kernel.redacted import Redacted
from webapp.kernel.refusals import NotFound
from webapp.kernel.rights import (
    GameRight,
    SiteRight,
    TableKind,
    has_game_right,
    has_site_right,
    table_kind,
)
from webapp.kernel.tx import Tx
from webapp.moderation.causes import WaitCause, cause_of, helpful_acts
from webapp.moderation.dashboard import redact_addresses, wait_facts
from webapp.moderation.queries import game_detail, ledger
from webapp.moderation.queries.game_detail import GameDetail, PublicSeat, ReportLine, SentEmail
from webapp.moderation.queries.game_list import ListedGame
from webapp.moderation.queries.ledger import LedgerRow
from webapp.moderation.timeline import TimelineFacts, TurnTimeline, current_turn, past_turns
from webapp.play.changes.acts import Act, Need, acts_by_name
from webapp.play.changes.game_changes import NUDGE_INTERVAL

_UNSENT_STATUSES: Final = frozenset({"failed", "pending"})


class EmailsOfKindAndStatus(NamedTuple):
    """Emails of one kind with the same outcome, newest first."""

    kind: str
    status: str
    emails: tuple[SentEmail, ...]


def _failed_or_pending_emails(emails: Iterable[SentEmail]) -> tuple[SentEmail, ...]:
    """Return the emails that were refused or still wait, in the given order."""
    return tuple(email for email in emails if email.status in _UNSENT_STATUSES)


def _group_settled_emails(emails: Sequence[SentEmail]) -> tuple[EmailsOfKindAndStatus, ...]:
    """Return the other emails by kind and outcome; the kind of the newest email comes first."""
    settled_emails = [email for email in emails if email.status not in _UNSENT_STATUSES]
    keys = dict.fromkeys((email.kind, email.status) for email in settled_emails)
    return tuple(
        EmailsOfKindAndStatus(
            kind,
            status,
            tuple(
                email for email in settled_emails if (email.kind, email.status) == (kind, status)
            ),
        )
        for kind, status in keys
    )


_MOST_ENTRIES: Final = 200
_MOST_EVENTS: Final = 1000
_ACT_GROUPS: Final = ("reach", "time", "move-on", "repair")
"""What acts help with, in the order of the page."""


class ActGroup(Redacted, frozen=True, kw_only=True):
    """Acts that help with the same thing."""

    name: str
    acts: tuple[str, ...]


class ModeratedGame(Redacted, frozen=True, kw_only=True):
    """What the page shows."""

    game: ListedGame
    status: GameStatus
    kind: TableKind
    opened_at: datetime
    ended_at: datetime | None
    allowance: timedelta
    cause: WaitCause
    likely_acts: tuple[str, ...]
    groups: tuple[ActGroup, ...]
    seats: tuple[PublicSeat, ...]
    current: TurnTimeline | None
    turns: tuple[TurnTimeline, ...]
    emails: tuple[SentEmail, ...]
    """Those that were refused or still wait, newest first."""
    email_groups: tuple[EmailsOfKindAndStatus, ...]
    entries: tuple[LedgerRow, ...]
    reports: tuple[ReportLine, ...]
    shows_people: bool
    """Whether the viewer may open the pages of people."""
    club_slug: str | None

    def name_of(self, seat: int | None) -> str | None:
        """Return the name of the player in a seat; None if no one sits there."""
        if seat is None or seat >= len(self.seats):
            return None
        return self.seats[seat].name

    def seat_of(self, account_id: int | None) -> int | None:
        """Return the seat of the recipient of an email."""
        seat_numbers = (seat.number for seat in self.seats if seat.account_id == account_id)
        return next(seat_numbers, None)


def moderated_game(tx: Tx, viewer: Person, slug: str) -> ModeratedGame:
    """Return the page of a game, with its reports only for those who decide on them.

    Raises NotFound if the viewer does not moderate it, and NotAllowed if they had a seat in it and it is not over.
    """
    detail = _read_detail(tx, viewer, slug)
    require_game_right(viewer, GameRight.VIEW_GAME_STATUS, _table_facts(detail, viewer))
    game_id = detail.visibility_and_dates.id
    timeline_facts = TimelineFacts(
        events=deadline_events.events_of_game(tx, game_id, limit=_MOST_EVENTS),
        emails=detail.emails,
        entries=ledger.entries_of_game(tx, game_id, limit=_MOST_ENTRIES),
    )
    return _moderated_game_page(detail, viewer, timeline_facts, now=tx.now)


def _read_detail(tx: Tx, viewer: Person, slug: str) -> GameDetail:
    if not is_storable(slug):
        raise NotFound
    detail = game_detail.read_detail(tx, slug, viewer_id=viewer.id)
    if detail is None:
        raise NotFound
    if has_site_right(SiteRight.VIEW_PERSON, site_relations(viewer)):
        return detail
    emails = tuple(
        msgspec.structs.replace(email, reason=redact_addresses(email.reason))
        for email in detail.emails
    )
    reason = redact_addresses(detail.game.turn_email_reason)
    game = msgspec.structs.replace(detail.game, turn_email_reason=reason)
    return detail._replace(emails=emails, game=game, reports=())


def _table_facts(detail: GameDetail, viewer: Person) -> TableFacts:
    """Return what decides whether the viewer may moderate a game."""
    table = detail.visibility_and_dates
    return TableFacts(
        table_kind(is_public=table.public, is_in_club=table.club_slug is not None),
        is_host=viewer.id == table.host_id,
        is_player=any(seat.account_id == viewer.id for seat in detail.seats),
        is_former_player=table.viewer_sat_there and not GameStatus(detail.game.status).is_over,
        rank_in_club=table.rank_in_club,
    )


def _moderated_game_page(
    detail: GameDetail, viewer: Person, timeline_facts: TimelineFacts, *, now: datetime
) -> ModeratedGame:
    entries = tuple(timeline_facts.entries)
    game, facts = detail.game, _table_facts(detail, viewer)
    status, cause = GameStatus(game.status), cause_of(wait_facts(game, now))
    relations = table_relations(viewer, facts)
    met_needs = _met_needs(detail, entries, now=now) | {None}
    offered_acts = [
        act
        for act in acts_by_name().values()
        if act.group is not None and status in act.statuses and act.needs in met_needs
        if has_game_right(act.right, facts.kind, relations)
    ]
    offered_names = {act.name for act in offered_acts}
    return ModeratedGame(
        game=game,
        status=status,
        kind=facts.kind,
        opened_at=detail.visibility_and_dates.opened_at,
        ended_at=detail.visibility_and_dates.ended_at,
        allowance=timedelta(seconds=game.allowance_seconds),
        cause=cause,
        likely_acts=tuple(act for act in helpful_acts(cause) if act in offered_names),
        groups=_act_groups(offered_acts),
        seats=detail.seats,
        current=_current_turn(detail, timeline_facts),
        turns=past_turns(detail.turns, timeline_facts),
        emails=_failed_or_pending_emails(detail.emails),
        email_groups=_group_settled_emails(detail.emails),
        entries=entries,
        reports=detail.reports,
        shows_people=has_site_right(SiteRight.VIEW_PERSON, site_relations(viewer)),
        club_slug=detail.visibility_and_dates.club_slug,
    )


def _met_needs(
    detail: GameDetail, entries: tuple[LedgerRow, ...], *, now: datetime
) -> frozenset[Need]:
    """Return what there is in the game to act on: someone to remind, a seat to offer, an offer to withdraw."""
    game, seats = detail.game, detail.seats
    on_turn = None if game.awaiting is None else seats[game.awaiting]
    person_on_turn = None if on_turn is None else on_turn.account_id
    account_ids = {seat.account_id for seat in seats}
    is_paused = GameStatus(game.status) == GameStatus.PAUSED
    needs: dict[Need, bool] = {
        "a running game": not is_paused,
        "a paused game": is_paused,
        "a deadline": game.deadline_at is not None,
        "a turn to play": game.awaiting is not None,
        "someone to nudge": person_on_turn is not None
        and not _was_nudged(detail, entries, now=now),
        "a person": bool(account_ids - {None}),
        "a person who is not the host": bool(
            account_ids - {None, detail.visibility_and_dates.host_id}
        ),
        "a seat for a bot": any(not seat.is_bot for seat in seats),
        "a seat to offer": None in account_ids,
        "an open offer": detail.visibility_and_dates.has_open_offer,
        "an earlier turn": game.seq > 0,
        "an unsent email": any(
            email.status == "failed" or (email.status == "pending" and email.reason is not None)
            for email in detail.emails
        ),
    }
    return frozenset(need for need, is_met in needs.items() if is_met)


def _was_nudged(detail: GameDetail, entries: tuple[LedgerRow, ...], *, now: datetime) -> bool:
    """Return whether the player on turn has been nudged today."""
    return any(
        entry.act == GameRight.NUDGE
        and (entry.seq or 0) >= detail.game.turn_seq
        and entry.at > now - NUDGE_INTERVAL
        for entry in entries
    )


def _act_groups(offered_acts: Iterable[Act[Any]]) -> tuple[ActGroup, ...]:
    names_by_group: dict[str, list[tuple[int, str]]] = {name: [] for name in _ACT_GROUPS}
    for act in offered_acts:
        if act.group is not None:
            group, place = act.group
            names_by_group[group].append((place, act.name))
    return tuple(
        ActGroup(name=group, acts=tuple(name for _, name in sorted(places_and_names)))
        for group, places_and_names in names_by_group.items()
        if places_and_names
    )


def _current_turn(detail: GameDetail, facts: TimelineFacts) -> TurnTimeline | None:
    game = detail.game
    if game.awaiting is None or game.started_at is None:
        return None
    shown_seqs = range(detail.game.turn_seq, game.seq + 1)
    return current_turn(
        game.awaiting,
        game.started_at,
        # That of a paused game moves when it is resumed.
        game.deadline_at if game.status == GameStatus.RUNNING else None,
        since=shown_seqs,
        facts=facts,
    )
