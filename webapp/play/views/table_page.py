"""The page of a game that is running or finished, and its board alone, built field by field for one viewer."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

import msgspec

from engine.actions import Action
from engine.cards import BREAKS, Tool
from engine.events import Rewound, ToolBroken
from engine.view import View, legal_actions
from engine.wire import decode_events
from webapp.accounts.person import Person
from webapp.accounts.relations import TableFacts, relation_with_right
from webapp.clock.held_turn import HeldTurn
from webapp.clock.queries.maintenance import MaintenancePeriod
from webapp.kernel.game_status import GameStatus
from webapp.kernel.public_acts import ShownAct
from webapp.kernel.redacted import Redacted
from webapp.kernel.rights import GameRight, Relation, table_kind
from webapp.kernel.tx import Tx
from webapp.lobby.queries.rematches import RematchRow
from webapp.play.access import GameAccess
from webapp.play.changes.acts import shown_acts
from webapp.play.history import HistoryEntry, history_for, last_own_turn, turns_since_own
from webapp.play.lost_seats import returning_seat, volunteer_seat
from webapp.play.plans import SeatPlan, plan_of
from webapp.play.queries import turn_log
from webapp.play.queries.rows import GameRow
from webapp.play.queries.turn_log import TurnRequest
from webapp.play.queries.turns import TurnRow
from webapp.play.summaries import SeatSummary, TableSummary, seat_summaries, table_summary
from webapp.play.talk.private_notes import PrivateNotes, private_notes
from webapp.play.talk.talk import TableTalk, table_talk
from webapp.play.turns.planning import planning_denial
from webapp.play.turns.turn_holding import shown_held_turn
from webapp.play.views.finished_game import (
    FinishedGame,
    RoundOver,
    finished_game,
    is_round_news,
    rounds_over,
)
from webapp.play.views.page_version import page_version
from webapp.play.views.shared_games import ShareLink, share_link
from webapp.play.votes import (
    ShownVote,
    VoteKind,
    current_vote,
    decides_alone,
    is_vote_waiting_for_player,
    possible_vote_kinds,
    shown_vote,
)

_LATEST_TURN_COUNT: Final = 20
_TURNS_OF_ROUND: Final = 120
"""More turns than a round has: they hold every card that was played in it, and who broke a tool."""
_OUTAGE_SHOWN_FOR: Final = timedelta(days=2)


class BoardPage(Redacted, frozen=True, kw_only=True):
    """What changes with a choice: the mine, the hand and what can be done with it, as one seat or an onlooker may see it."""

    me: Person | None
    version: str
    seat: int | None
    table: TableSummary
    seats: tuple[SeatSummary, ...]
    view: View
    menu: tuple[Action, ...]
    """Everything the viewer may do now; empty unless the game waits for the viewer."""
    entries_since_own_turn: tuple[HistoryEntry, ...]
    """The turns after the viewer's own last turn, oldest first; for an onlooker the latest turns."""
    last_own_turn: HistoryEntry | None
    """The viewer's own last turn, unless it lies too many turns back."""
    turn_seq: int
    """The position at which the present turn began."""
    deadline_at: datetime | None
    """None while a bot is on turn, while the game is paused, and once it is over."""
    held_turn: HeldTurn | None
    """The viewer's turn that has not entered the game yet; without an action one that was dropped."""
    acts: tuple[ShownAct, ...]
    """What moderators did to the game, newest first."""
    new_result: RoundOver | None
    """The round that ended since the viewer last played; gone once they have played in the next one."""


class TablePage(BoardPage, frozen=True, kw_only=True):
    """A running or finished game as one seat or an onlooker may see it."""

    recent_entries: tuple[HistoryEntry, ...]
    """All turns of the present round, oldest first, and some before it; none once the game is over."""
    tool_breakers: Mapping[Tool, int]
    """Who broke the viewer's tools that are broken now."""
    turn_started_at: datetime | None
    time_left: timedelta | None
    """How much of the turn's time is left while the game is paused."""
    plan: SeatPlan | None
    """What the viewer has planned for their next turn, or why that was not followed."""
    can_plan: bool
    pause_act: ShownAct | None
    """The act that paused the game, if it is paused."""
    outage: MaintenancePeriod | None
    """The outage by which the deadline was moved lately."""
    vote: ShownVote | None
    """The vote that the players can answer now."""
    possible_votes: tuple[VoteKind, ...]
    """What the viewer could propose to the others now."""
    decides_alone: bool
    """Whether no one else has a vote, so that what the viewer proposes happens at once."""
    is_vote_waiting: bool
    """Whether the viewer can propose nothing as long as another player can get their open seat back."""
    talk: TableTalk
    notes: PrivateNotes | None
    """What the viewer has noted for themselves; None for people who have never played here."""
    permitted_rights: Mapping[GameRight, Relation]
    """What the viewer may do to the game besides playing, and as what."""
    host_seat: int | None
    """Where the host sits; None if they have no seat."""
    share: ShareLink | None = None
    """The public link of a finished game, for its players; None if there is none."""
    rematch: RematchRow | None = None
    """The table at which the players play again, for those who sit here; None if no one has opened it yet."""
    finished: FinishedGame | None = None
    """Everything about a game that is over."""
    can_return: bool = False
    """Whether the viewer lost their seat by missing turns, and can take it back; a host sees the table all the same."""
    can_be_joined: bool = False
    """Whether anyone may take an open seat; the players can share its page."""


def board_page(tx: Tx, access: GameAccess) -> BoardPage:
    """Return the board of a game that was dealt."""
    return _board(tx, access, _recent_turns(tx, access, count=0))


def table_page(tx: Tx, access: GameAccess) -> TablePage:
    """Return the page of a game that was dealt."""
    game, seat, person = access
    turns = _recent_turns(tx, access, count=_TURNS_OF_ROUND)
    board = _board(tx, access, turns)
    is_revealed, is_paused = game.is_revealed, game.status == GameStatus.PAUSED
    return TablePage(
        **msgspec.structs.asdict(board),
        recent_entries=() if is_revealed else history_for(turns, seat, reveal_all=False),
        tool_breakers=tool_breakers(turns, board.view),
        turn_started_at=None if is_revealed else game.row.turn_started_at,
        time_left=game.row.clock.time_left(game.row.paused_at or tx.now) if is_paused else None,
        plan=None if seat is None else plan_of(game.plans, seat, game.row.seats),
        can_plan=seat is not None and planning_denial(game, seat) is None,
        pause_act=_pause_act(board.acts) if is_paused else None,
        outage=_recent_outage(access, tx.now),
        vote=_vote(access, tx.now),
        possible_votes=_possible_votes(access, tx.now),
        decides_alone=decides_alone(game.row),
        is_vote_waiting=seat is not None and is_vote_waiting_for_player(game.row, now=tx.now),
        permitted_rights=rights_at_table(access) if game.status.is_under_way else {},
        host_seat=_host_seat(game.row),
        share=share_link(tx, access),
        rematch=None if seat is None else game.row.rematch,
        finished=_finished(tx, access),
        talk=table_talk(access, now=tx.now),
        notes=private_notes(access),
        can_return=returning_seat(game.row, None if person is None else person.id) is not None,
        can_be_joined=seat is not None and volunteer_seat(game.row) is not None,
    )


def _board(tx: Tx, access: GameAccess, turns: Sequence[TurnRow]) -> BoardPage:
    """Return the board; ``turns`` begin at the latest with the viewer's own last one."""
    game, seat, person = access
    view, is_paused = game.view(seat), game.status == GameStatus.PAUSED
    entries, own_entry = _entries(turns, seat, is_revealed=game.is_revealed)
    return BoardPage(
        me=person,
        version=page_version(access),
        seat=seat,
        table=table_summary(game.row),
        seats=seat_summaries(
            game.row, me=seat, gone=view.gone, now=None if seat is None else tx.now
        ),
        view=view,
        menu=() if is_paused else tuple(legal_actions(view)),
        entries_since_own_turn=entries,
        last_own_turn=own_entry,
        turn_seq=game.row.turn_seq,
        deadline_at=None if is_paused else game.row.deadline_at,
        held_turn=shown_held_turn(access),
        acts=shown_acts(game.row.acts, is_over=game.is_revealed),
        new_result=_new_result(tx, access, view, entries, own_entry),
    )


def _recent_turns(tx: Tx, access: GameAccess, *, count: int) -> Sequence[TurnRow]:
    """Return the latest turns, oldest first: this many, and all from the viewer's own last one on."""
    game, seat, _ = access
    turn_request = TurnRequest(game.row.id, seat, game.seq - count)
    [turns] = turn_log.recent_turns(tx, [turn_request])
    return turns


def _pause_act(acts: Sequence[ShownAct]) -> ShownAct | None:
    return next((act for act in acts if act.act == GameRight.PAUSE), None)


def _entries(
    turns: Sequence[TurnRow], seat: int | None, *, is_revealed: bool
) -> tuple[tuple[HistoryEntry, ...], HistoryEntry | None]:
    """Return the turns since the viewer's own last one, or the latest for an onlooker, and that own turn."""
    recent_turns = turns_since_own(turns, seat) if seat is not None else turns[-_LATEST_TURN_COUNT:]
    own_turn = last_own_turn(turns, seat)
    entries = history_for(recent_turns, seat, reveal_all=is_revealed)
    if own_turn is None:
        return entries, None
    return entries, history_for([own_turn], seat, reveal_all=is_revealed)[0]


def _new_result(
    tx: Tx,
    access: GameAccess,
    view: View,
    entries: Sequence[HistoryEntry],
    own_turn: HistoryEntry | None,
) -> RoundOver | None:
    """Return the round that ended last, if the viewer has not played since; to an onlooker while a few turns were played since."""
    game, seat, _ = access
    news = entries if seat is not None else entries[-view.seats :]
    if game.is_revealed or not is_round_news(news, own_turn, view):
        return None
    turns = turn_log.all_turns(tx, game.row.id)
    return rounds_over(game, turns, seat)[-1]


def _finished(tx: Tx, access: GameAccess) -> FinishedGame | None:
    game, seat, _ = access
    if not game.is_revealed:
        return None
    return finished_game(game, turn_log.all_turns(tx, game.row.id), seat)


def _recent_outage(access: GameAccess, now: datetime) -> MaintenancePeriod | None:
    """Return the last outage, if it ended not long ago, during this game."""
    row = access.game.row
    outage = row.latest_outage
    if outage is None or outage.ended_at is None or not row.status.is_under_way:
        return None
    is_recent = now - outage.ended_at < _OUTAGE_SHOWN_FOR and row.opened_at < outage.ended_at
    return outage if is_recent else None


def _vote(access: GameAccess, now: datetime) -> ShownVote | None:
    row, viewer = access.game.row, access.person
    vote = current_vote(row, row.latest_votes, now=now)
    if vote is None or access.seat is None:
        return None
    return shown_vote(vote, viewer_id=None if viewer is None else viewer.id)


def _possible_votes(access: GameAccess, now: datetime) -> tuple[VoteKind, ...]:
    game = access.game
    if access.seat is None or not game.status.is_under_way:
        return ()
    return possible_vote_kinds(game.row, game.state.house.rounds, game.row.latest_votes, now=now)


def _host_seat(row: GameRow) -> int | None:
    host_seat = row.seat_of(row.host_id)
    return None if host_seat is None else host_seat.number


def rights_at_table(access: GameAccess) -> Mapping[GameRight, Relation]:
    """Return what the viewer may do and as what; a moderator who sits or sat there has no right of a moderator."""
    game, seat, person = access
    club = game.row.club_of_viewer
    facts = TableFacts(
        table_kind(is_public=game.row.public, is_in_club=game.row.club_id is not None),
        is_host=game.is_hosted_by(person),
        is_player=seat is not None,
        is_former_player=game.row.has_viewer_sat,
        rank_in_club=None if club is None else club.rank,
    )
    relations = {right: relation_with_right(person, right, facts) for right in GameRight}
    return {right: relation for right, relation in relations.items() if relation is not None}


def tool_breakers(turns: Sequence[TurnRow], view: View) -> Mapping[Tool, int]:
    """Return the seat that broke each broken tool of the viewer; a tool that was broken before these turns is left out."""
    wanted_tools = set(() if view.seat is None else view.broken[view.seat])
    breakers: dict[Tool, int] = {}
    if not wanted_tools:
        return breakers
    for event in _breaks_of(turns, view.seat):
        breakers.setdefault(BREAKS[event.card], event.seat)
        if wanted_tools <= breakers.keys():
            break
    return {tool: seat for tool, seat in breakers.items() if tool in wanted_tools}


def _breaks_of(turns: Sequence[TurnRow], seat: int | None) -> Iterator[ToolBroken]:
    """Yield how tools of a seat were broken, newest first, without turns that were taken back."""
    last_valid_seq = turns[-1].seq if turns else 0
    for turn in reversed(turns):
        if turn.seq > last_valid_seq:
            continue
        for event in decode_events(turn.events):
            if isinstance(event, Rewound):
                last_valid_seq = event.to_seq
            elif isinstance(event, ToolBroken) and event.target == seat:
                yield event
