"""The page that shows every turn of a game, and the table after any of them."""

from collections.abc import Sequence

import msgspec

from engine.cards import Card
from engine.narration import LineKey
from engine.view import View, view_for
from webapp.accounts.person import Person, Viewer
from webapp.clock.queries import maintenance
from webapp.clock.queries.maintenance import MaintenancePeriod
from webapp.kernel.public_acts import ShownAct
from webapp.kernel.redacted import Redacted
from webapp.kernel.refusals import NotFound, NotInGame
from webapp.kernel.tx import Tx
from webapp.play.access import LoadedGame, game_for, state_from_log
from webapp.play.bots.bot_beliefs import BotSitting, RoundBeliefs, bots_of, round_beliefs
from webapp.play.changes.acts import shown_acts
from webapp.play.history import (
    HistoryEntry,
    HistoryRound,
    history_for,
    rounds_of,
    with_former_names,
)
from webapp.play.queries import changes, turn_log
from webapp.play.queries.turns import TurnRow
from webapp.play.summaries import SeatSummary, TableSummary, seat_summaries, table_summary
from webapp.play.talk.talk import ShownMessage, messages_of_turns
from webapp.play.views.finished_game import (
    OpenedRound,
    RoundOver,
    all_hands,
    finished_game,
    rounds_over,
)


class RoundPage(Redacted, frozen=True, kw_only=True):
    me: Person | None
    seat: int | None
    table: TableSummary
    seats: tuple[SeatSummary, ...]
    over: RoundOver
    round_count: int
    """How many rounds are over."""
    opened: OpenedRound | None
    """The secrets of the round; None as long as the game is in progress."""


class HistoryPage(Redacted, frozen=True, kw_only=True):
    me: Person | None
    seat: int | None
    table: TableSummary
    seats: tuple[SeatSummary, ...]
    entries: tuple[HistoryEntry, ...]
    """Every turn up to ``until``, oldest first."""
    rounds: tuple[HistoryRound, ...]
    """The rounds that have begun by now, with all their steps."""
    view: View
    """The table after turn ``until``; once the game is over, with its goals and roles."""
    hands: tuple[tuple[Card, ...], ...]
    """What everyone held then, by seat; empty before the game is over."""
    until: int
    newest: int
    """The number of the latest turn."""
    acts: tuple[ShownAct, ...]
    """What moderators did to the game, newest first."""
    bots: tuple[BotSitting, ...]
    """The bots whose beliefs can be shown: none before the game is over."""
    beliefs: RoundBeliefs | None
    """What one of them believed in this round, until this turn."""
    messages: tuple[ShownMessage, ...]
    """The table talk of these turns, oldest first; empty for onlookers."""
    maintenance: tuple[MaintenancePeriod, ...]
    """When the site was closed since the deal, the latest first: all deadlines moved by as much."""


def history_page(
    tx: Tx,
    slug: str,
    viewer: Viewer,
    *,
    until: int | None = None,
    bot: int | None = None,
) -> HistoryPage:
    """Return every turn up to ``until`` (by default all), and the table after it as the viewer saw it.

    Once the game is over, the table is open: all goals, roles and hands, and what the bot with the number ``bot`` believed, the first
    bot if there is none with that number.
    Raises NotFound, and NotInGame before the deal and for a turn that does not exist.
    """
    access = game, seat, person = game_for(tx, slug, viewer)
    last = game.seq if until is None else until
    if not game.is_dealt or not 0 <= last <= game.seq:
        raise NotInGame
    log = turn_log.all_turns(tx, game.row.id)
    turns = [turn for turn in log if turn.seq <= last]
    entries = _entries_of(tx, game, log, seat)
    bots = bots_of(tx, game)
    shown_bot = None if bot is None or not bots else bots[bot if bot < len(bots) else 0]
    state = state_from_log(game.row, turns)
    return HistoryPage(
        me=person,
        seat=seat,
        table=table_summary(game.row),
        seats=seat_summaries(game.row, me=seat),
        entries=entries[: len(turns)],
        rounds=rounds_of(entries),
        view=view_for(state, seat, reveal_all=game.is_revealed),
        hands=all_hands(state) if game.is_revealed else (),
        until=last,
        newest=game.seq,
        acts=shown_acts(game.row.acts, is_over=game.is_revealed),
        bots=bots,
        beliefs=_beliefs(game, log, shown_bot, last),
        messages=messages_of_turns(tx, access, 0, last),
        maintenance=_maintenance_periods(tx, game, log),
    )


def _beliefs(
    game: LoadedGame, log: Sequence[TurnRow], bot: BotSitting | None, seq: int
) -> RoundBeliefs | None:
    return None if bot is None else round_beliefs(game, log, bot, seq=seq).beliefs_until(seq)


def _entries_of(
    tx: Tx, game: LoadedGame, log: Sequence[TurnRow], seat: int | None
) -> tuple[HistoryEntry, ...]:
    sittings = changes.sittings_of(tx, game.row.id)
    entries = history_for(log, seat, reveal_all=game.is_revealed)
    return with_former_names(
        map(_without_dealt_hands, entries) if game.is_revealed else entries, sittings
    )


def _without_dealt_hands(entry: HistoryEntry) -> HistoryEntry:
    """Return a turn without the sentences about dealt roles and hands, which the page of a finished game shows as pictures."""
    lines = tuple(line for line in entry.lines if line.key is not LineKey.ROLE_DEALT)
    return msgspec.structs.replace(entry, lines=lines)


def _maintenance_periods(
    tx: Tx, game: LoadedGame, turns: Sequence[TurnRow]
) -> tuple[MaintenancePeriod, ...]:
    ended_at = turns[-1].at if game.status.is_over else tx.now
    return maintenance.periods_between(tx, turns[0].at, ended_at)


def round_page(tx: Tx, slug: str, viewer: Viewer, number: int) -> RoundPage:
    """Return a finished round as the viewer may know it. Raises NotFound, also for a round that is not over."""
    game, seat, person = game_for(tx, slug, viewer)
    if not game.is_dealt:
        raise NotFound
    turns = turn_log.all_turns(tx, game.row.id)
    rounds = rounds_over(game, turns, seat)
    if not 1 <= number <= len(rounds):
        raise NotFound
    finished = finished_game(game, turns, seat) if game.is_revealed else None
    return RoundPage(
        me=person,
        seat=seat,
        table=table_summary(game.row),
        seats=seat_summaries(game.row, me=seat),
        over=rounds[number - 1],
        round_count=len(rounds),
        opened=None if finished is None else finished.rounds[number - 1],
    )
