"""What the people of a simulated year do on the site: sit down, take their turns, plan, nudge and declare absences."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

import msgspec

from engine.bots.policy import choose_action
from engine.plans import CancelCondition, Plan
from engine.rulebook import HouseRules
from tests.simulated_year.database import TableOfPerson, games_with_open_seats, sign_up, tables_of
from tests.simulated_year.people import Habits, draw_habits
from tests.simulated_year.site import Site
from tests.support.transactions import read_only, using
from webapp.accounts.profile import change_hold_minutes
from webapp.clock.absences import declare_future_absence, start_holiday
from webapp.clock.email_times import TypedQuietHours, change_quiet_hours, change_reminders
from webapp.clock.local_periods import LocalPeriod
from webapp.clock.pace.pace import (
    NAMED_PACES,
    AbsencePolicy,
    LateRules,
    ReplacementPolicy,
    named_pace,
)
from webapp.kernel.keyring import TokenSource
from webapp.kernel.public_acts import ServerReason
from webapp.kernel.refusals import DenialReason, NotAllowed
from webapp.kernel.rights import GameRight
from webapp.kernel.tx import Tx
from webapp.lobby import host_actions, new_table, ready_check, seats
from webapp.lobby.new_table import TableSettings
from webapp.lobby.open_seats import take_open_seat
from webapp.lobby.seats import has_room_for_game
from webapp.moderation.performing import ActRequest, perform_act_request
from webapp.play.access import LoadedGame, find_game, game_for
from webapp.play.changes.acts import ActInput, acts_by_name
from webapp.play.changes.game_changes import require_nudgeable
from webapp.play.turns.planning import plan_page, save_plan
from webapp.play.turns.turn_holding import play_or_hold

_MOST_ACTIONS_OF_A_VISIT: Final = 20
WAIT_BEFORE_NUDGE: Final = timedelta(hours=36)
"""How long a turn has lasted when someone at the table nudges, now and then."""
_BOT_LEVEL: Final = "easy"
_RULEBOOK: Final = "en-2004"
_USUAL_HOUSE_RULES: Final = HouseRules()
_ABSENCE_POLICIES: Final[tuple[AbsencePolicy, ...]] = (
    *4 * ("stop",),
    *3 * ("bot",),
    *3 * ("neutral",),
)
_REPLACEMENTS: Final[tuple[ReplacementPolicy, ...]] = (*4 * ("volunteers",), "bot")
_ABSENCE_CAP_DAYS: Final = (2, 14, 14)
_STRIKES_UNTIL_OPEN: Final = 3


class Visit(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a visit: the running games of the person, and those in which they took a turn or have it held."""

    slugs: tuple[str, ...]
    played_slugs: frozenset[str]
    held_slugs: frozenset[str]


def sign_up_person(site: Site, number: int, zone: str, *, now: datetime) -> Habits:
    """Return a new person who has signed in, and has chosen when to get reminders."""
    with site.transaction() as tx:
        address, name = f"person{number}@people.example", f"Person {number}"
        person = sign_up(tx, address=address, name=name, zone=zone, now=now)
        habits = draw_habits(person, site.rng, start=now)
        change_reminders(tx, person, habits.reminder_hours)
        change_hold_minutes(tx, person, minutes=habits.hold_minutes)
        if habits.has_quiet_hours:
            hours = TypedQuietHours(
                number=1,
                weekdays=tuple(range(7)),
                from_time=habits.sleeps_at,
                until_time=habits.wakes_at,
            )
            change_quiet_hours(tx, person, [hours])
    return habits


def have_room_for_game(site: Site, people: list[Habits]) -> bool:
    """Return whether everyone may be in one more game."""
    with read_only(site.database) as tx:
        return all(has_room_for_game(tx, habits.person.id) for habits in people)


def open_game(site: Site, people: list[Habits], bots: int, *, now: datetime) -> str:
    """Open a table with these people and some bots, let everyone confirm, and return its slug."""
    host = people[0]
    pace = named_pace(site.rng.choice(NAMED_PACES), host.person.zone)
    late_rules = _draw_late_rules(site)
    settings = TableSettings(
        rulebook=_RULEBOOK,
        seats=len(people) + bots,
        house=_USUAL_HOUSE_RULES,
        pace=pace,
        public=True,
        late_rules=late_rules,
    )
    source = TokenSource(site.keys, site.rng.randbytes)
    with site.transaction() as tx:
        slug = new_table.open_table(using(tx.at(now), source=source), host.person, settings)
    for habits in people[1:]:
        with _locked_game(site, habits, slug, now) as (tx, game):
            seats.take_seat(tx.at(now), game, habits.person)
    if bots:
        with _locked_game(site, host, slug, now) as (tx, game):
            host_actions.fill_with_bots(tx.at(now), game, host.person, level=_BOT_LEVEL)
    # Bots are only asked for once the host is ready.
    for habits in people[1:] if bots else people:
        with _locked_game(site, habits, slug, now) as (tx, game):
            site.game_ids[slug], site.paces[slug] = game.row.id, pace
            site.late_rules[slug] = late_rules
            ready_check.confirm_ready(tx.at(now), game, habits.person)
    return slug


def _draw_late_rules(site: Site) -> LateRules:
    return LateRules(
        absence=site.rng.choice(_ABSENCE_POLICIES),
        absence_cap=timedelta(days=site.rng.choice(_ABSENCE_CAP_DAYS)),
        strikes_until_open=_STRIKES_UNTIL_OPEN,
        replacement=site.rng.choice(_REPLACEMENTS),
    )


@contextmanager
def _locked_game(
    site: Site, habits: Habits, slug: str, now: datetime
) -> Iterator[tuple[Tx, LoadedGame]]:
    with site.transaction() as tx:
        yield tx, find_game(tx.at(now), slug, habits.person, mode="change").game


def tables_of_person(site: Site, habits: Habits) -> Sequence[TableOfPerson]:
    """Return the running games of this person, as their home page lists them."""
    with read_only(site.database) as tx:
        return tables_of(tx, habits.person)


def visit_site(site: Site, habits: Habits, *, now: datetime) -> Visit:
    """Take every action for which a table waits for this person."""
    tables: Sequence[TableOfPerson] = ()
    played_slugs: set[str] = set()
    held_slugs: set[str] = set()
    for _ in range(_MOST_ACTIONS_OF_A_VISIT):
        tables = tables_of_person(site, habits)
        waiting_slugs = {table.slug: None for table in tables if table.waits_for_person}
        # A held turn still waits, until it enters the game.
        slugs_to_play = [slug for slug in waiting_slugs if slug not in held_slugs]
        if not slugs_to_play:
            break
        held_slugs.update(
            slug for slug in slugs_to_play if _take_action(site, habits, slug, now=now)
        )
        played_slugs.update(slugs_to_play)
    slugs = tuple(table.slug for table in tables)
    return Visit(
        slugs=slugs,
        played_slugs=frozenset(played_slugs & {*slugs} - held_slugs),
        held_slugs=frozenset(held_slugs),
    )


def _take_action(site: Site, habits: Habits, slug: str, *, now: datetime) -> bool:
    """Take one action at a table that waits for this person; return whether it is held for some minutes."""
    with site.transaction() as tx:
        access = game_for(tx.at(now), slug, habits.person, mode="play")
        action = choose_action(access.game.view(access.seat), (), site.random_below, _BOT_LEVEL)
        held_turn = play_or_hold(tx.at(now), access, action, seq=access.game.seq)
        return held_turn is not None


def make_plan(site: Site, habits: Habits, slug: str, *, now: datetime) -> bool:
    """Plan some actions for the next turn; return False if none can be planned now."""

    def plan(tx: Tx) -> None:
        access = game_for(tx.at(now), slug, habits.person, mode="change")
        menu = plan_page(access).menu
        actions = (
            dict.fromkeys(menu[site.random_below(len(menu))] for _ in range(2)) if menu else {}
        )
        conditions = (CancelCondition.OWN_TOOL_BROKEN,)
        plan = Plan(tuple(actions), conditions)
        save_plan(tx.at(now), access, plan, seq=access.game.seq)

    return site.try_step(plan)


def nudge(site: Site, habits: Habits, slug: str, *, now: datetime) -> bool:
    """Nudge the player on turn; return False if that is not possible now."""
    table = next((table for table in tables_of_person(site, habits) if table.slug == slug), None)
    if table is None or table.waits_for_person or table.turn_started_at is None:
        return False
    if now - table.turn_started_at < WAIT_BEFORE_NUDGE:
        return False

    def send(tx: Tx) -> None:
        access = game_for(tx.at(now), slug, habits.person, mode="change")
        require_nudgeable(tx.at(now), access, turn_seq=access.game.row.turn_seq)
        request = ActRequest(
            actor=access.person,
            slug=slug,
            act=acts_by_name()[GameRight.NUDGE],
            given=ActInput(),
            reason=ServerReason.OTHERS_WAIT,
            form_id=site.rng.randbytes(8).hex(),
        )
        perform_act_request(using(tx.at(now), random_below=site.random_below), request)

    return site.try_step(send)


def open_seats(site: Site) -> Sequence[str]:
    """Return the slugs of the games with an open seat, as the list for volunteers shows them."""
    with read_only(site.database) as tx:
        return games_with_open_seats(tx)


def take_seat(site: Site, habits: Habits, slug: str, *, now: datetime) -> bool:
    """Take the open seat of a game, as a substitute or as the player who lost it; return False if that is not possible."""

    def take_seat_in_game(tx: Tx) -> None:
        if find_game(tx.at(now), slug, habits.person, mode="read").seat is not None:
            raise NotAllowed(DenialReason.ALREADY_SEATED)
        take_open_seat(tx.at(now), slug, habits.person)

    return site.try_step(take_seat_in_game)


def declare_absence(
    site: Site, habits: Habits, days: int, *, days_until_start: int, now: datetime
) -> bool:
    """Declare some days of absence; from now on if ``days_until_start`` is 0. Return False if that is not possible."""
    today = now.astimezone(ZoneInfo(habits.person.zone)).date()
    first_day = today + timedelta(days=days_until_start)
    period = LocalPeriod(first_day=first_day, last_day=first_day + timedelta(days=days))
    declare = declare_future_absence if days_until_start else start_holiday
    return site.try_step(lambda tx: declare(tx.at(now), habits.person, period))
