"""What the people of a simulated year do on the site: sit down, take their turns, plan, nudge and declare absences."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

import msgspec

from engine.bots.policy import choose_action
from engine.plans import CancelCondition, Plan
from engine.rulebook import HouseRules
from webapp.game_status import GameStatus
from webapp.pace.late_rules import USUAL_LATE_RULES
from webapp.pace.pace import NAMED_PACES, Pace, named_pace
from webapp.rights import GameRight
from webapp.services.clock.absences import declare_dates, start_holiday
from webapp.services.clock.email_times import QuietHours, change_quiet_hours, change_reminders
from webapp.services.clock.local_times import LocalPeriod
from webapp.services.clock.nudges import NUDGE_REASON, require_nudgeable
from webapp.services.errors import DenialReason, NotAllowed, NotFound, Refused
from webapp.services.keys import Keyring, TokenSource
from webapp.services.lobby import host_actions, new_table, ready_check, seats
from webapp.services.lobby.game_limit import has_room_for_game
from webapp.services.lobby.new_table import TableSettings
from webapp.services.lobby.open_seats import take_open_seat
from webapp.services.moderation.acts import ActRequest, perform
from webapp.services.operations.simulated_year import sign_up
from webapp.services.play.access import LoadedGame, find_game, game_for
from webapp.services.play.planning import plan_page, save_plan
from webapp.services.play.public_change import ChangeInput
from webapp.services.play.turns import take_turn
from webapp.services.tx import Database, Tx, transaction
from webapp.simulated_year.chance import Random
from webapp.simulated_year.people import Habits, draw_habits

_MOST_ACTIONS_OF_A_VISIT: Final = 20
NUDGE_PATIENCE: Final = timedelta(hours=36)
"""How long a turn has lasted when someone at the table nudges, now and then."""
_LEVEL: Final = "easy"
_RULEBOOK: Final = "en-2004"
_USUAL_HOUSE: Final = HouseRules()


class Site(msgspec.Struct, frozen=True, kw_only=True):
    """The site that people visit, and the chance of everything that they do."""

    database: Database
    keys: Keyring
    rng: Random
    game_ids: dict[str, int]
    paces: dict[str, Pace]

    def pick(self, count: int) -> int:
        return self.rng.randrange(count)


class Visit(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a visit to one table."""

    turns: int
    is_over: bool


def arrive(site: Site, number: int, zone: str, *, now: datetime) -> Habits:
    """Return a new person who has signed in, and has chosen when to get reminders."""
    with transaction(site.database) as tx:
        address, name = f"person{number}@people.example", f"Person {number}"
        person = sign_up(tx, address=address, name=name, zone=zone, now=now)
        habits = draw_habits(person, site.rng, start=now)
        change_reminders(tx, person, habits.reminder_hours)
        if habits.has_quiet_hours:
            hours = QuietHours(
                number=1,
                weekdays=tuple(range(7)),
                from_time=habits.sleeps,
                until_time=habits.wakes,
            )
            change_quiet_hours(tx, person, [hours])
    return habits


def have_room(site: Site, people: list[Habits]) -> bool:
    """Return whether everyone may be in one more game."""
    with transaction(site.database) as tx:
        return all(has_room_for_game(tx, habits.person) for habits in people)


def open_game(site: Site, people: list[Habits], bots: int, *, now: datetime) -> str:
    """Open a table with these people and some bots, let everyone confirm, and return its slug."""
    host = people[0]
    pace = named_pace(site.rng.choice(NAMED_PACES), host.person.zone)
    settings = TableSettings(
        rulebook=_RULEBOOK,
        seats=len(people) + bots,
        house=_USUAL_HOUSE,
        pace=pace,
        public=True,
        late_rules=USUAL_LATE_RULES,
    )
    source = TokenSource(site.keys, site.rng.randbytes)
    with transaction(site.database) as tx:
        slug = new_table.open_table(tx, host.person, settings, source=source, now=now)
    for habits in people[1:]:
        with _locked_game(site, habits, slug, now) as (tx, game):
            seats.take_seat(tx, game, habits.person, now=now)
    if bots:
        with _locked_game(site, host, slug, now) as (tx, game):
            host_actions.fill_with_bots(tx, game, host.person, level=_LEVEL, now=now)
    # Bots are only asked for once the host is ready.
    for habits in people[1:] if bots else people:
        with _locked_game(site, habits, slug, now) as (tx, game):
            site.game_ids[slug], site.paces[slug] = game.row.id, pace
            ready_check.confirm_ready(tx, game, habits.person, now=now)
    for habits in people:
        habits.tables.append(slug)
    return slug


@contextmanager
def _locked_game(
    site: Site, habits: Habits, slug: str, now: datetime
) -> Iterator[tuple[Tx, LoadedGame]]:
    with transaction(site.database) as tx:
        yield tx, find_game(tx, slug, habits.person, now=now, mode="change").game


def visit_table(site: Site, habits: Habits, slug: str, *, now: datetime) -> Visit:
    """Take every action for which the table waits for this person."""
    turns = 0
    for _ in range(_MOST_ACTIONS_OF_A_VISIT):
        with transaction(site.database) as tx:
            try:
                access = game_for(tx, slug, habits.person, now=now, mode="play")
            except NotFound:
                return Visit(turns=turns, is_over=True)
            row = access.game.row
            if row.status.is_over or access.seat is None:
                return Visit(turns=turns, is_over=True)
            if row.status != GameStatus.RUNNING or row.awaiting != access.seat:
                return Visit(turns=turns, is_over=False)
            action = choose_action(access.game.view(access.seat), (), site.pick, _LEVEL)
            result = take_turn(tx, access, action, seq=row.seq, by="player", now=now)
        turns += 1
        if result.is_over:
            return Visit(turns=turns, is_over=True)
    return Visit(turns=turns, is_over=False)


def make_plan(site: Site, habits: Habits, slug: str, *, now: datetime) -> bool:
    """Plan some actions for the next turn; return False if none can be planned now."""

    def plan(tx: Tx) -> None:
        access = game_for(tx, slug, habits.person, now=now, mode="change")
        menu = plan_page(access).menu
        actions = dict.fromkeys(menu[site.pick(len(menu))] for _ in range(2)) if menu else {}
        conditions = (CancelCondition.OWN_TOOL_BROKEN,)
        plan = Plan(tuple(actions), conditions)
        save_plan(tx, access, plan, seq=access.game.seq, now=now)

    return _is_done(site, plan)


def nudge(site: Site, habits: Habits, slug: str, *, now: datetime) -> bool:
    """Nudge the player on turn; return False if that is not possible now."""

    def send(tx: Tx) -> None:
        access = game_for(tx, slug, habits.person, now=now, mode="change")
        row = access.game.row
        if row.turn_started_at is None or now - row.turn_started_at < NUDGE_PATIENCE:
            raise NotAllowed(DenialReason.NO_ONE_TO_NUDGE)
        require_nudgeable(tx, access, turn_seq=row.turn_seq, now=now)
        request = ActRequest(
            actor=access.person,
            slug=slug,
            act=GameRight.NUDGE,
            change_input=ChangeInput(),
            reason=NUDGE_REASON,
            form_id=site.rng.randbytes(8).hex(),
        )
        perform(tx, request, now=now, pick=site.pick)

    return _is_done(site, send)


def take_seat(site: Site, habits: Habits, slug: str, *, now: datetime) -> bool:
    """Take the open seat of a game, as a substitute or as the player who lost it; return False if there is none."""

    def step_in(tx: Tx) -> None:
        if find_game(tx, slug, habits.person, now=now, mode="read").seat is not None:
            raise NotAllowed(DenialReason.ALREADY_SEATED)
        take_open_seat(tx, slug, habits.person, now=now)

    return _is_done(site, step_in)


def declare_absence(site: Site, habits: Habits, days: int, *, in_days: int, now: datetime) -> bool:
    """Declare some days of absence; from now on if ``in_days`` is 0. Return False if that is not possible."""
    today = now.astimezone(ZoneInfo(habits.person.zone)).date()
    first_day = today + timedelta(days=in_days)
    period = LocalPeriod(first_day=first_day, last_day=first_day + timedelta(days=days))
    declare = declare_dates if in_days else start_holiday
    return _is_done(site, lambda tx: declare(tx, habits.person, period, now=now))


def _is_done(site: Site, step: Callable[[Tx], None]) -> bool:
    try:
        with transaction(site.database) as tx:
            step(tx)
    except Refused:
        return False
    return True
