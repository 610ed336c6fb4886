"""Acts of moderators on a game: one path that checks rights and limits, changes the game, records it and informs the table.

All of it happens in one transaction, with the game locked from the first statement on: an act is done and recorded, or
nothing has happened.

Limits of acts that repetition could add up: extensions of one turn, and emails to a whole table.

The ledger is the source of all
counts, so acts on pages, on many games at once and on the command line share them.
"""

import hashlib
from datetime import timedelta
from typing import Any, Final, NamedTuple

import msgspec

from webapp.accounts.person import Person
from webapp.accounts.relations import TableFacts, require_game_right
from webapp.accounts.security_log import record_act
from webapp.clubs.queries import members
from webapp.kernel.database import is_storable
from webapp.kernel.email_outcomes import DropReason
from webapp.kernel.public_acts import facts_from
from webapp.kernel.refusals import (
    DenialReason,
    LimitReached,
    NotAllowed,
    NotFound,
    StaleTurn,
    checked_reason,
)
from webapp.kernel.rights import OPERATOR, GameRight, Relation, is_stronger, table_kind
from webapp.kernel.tx import Tx
from webapp.lobby.queries import seat_offers
from webapp.mail.queries import outbox, pending_emails
from webapp.mail.queries.outbox import NewNotification
from webapp.moderation.queries import games_under_moderation, ledger, public_turns
from webapp.moderation.queries.games_under_moderation import GameUnderModeration
from webapp.moderation.queries.ledger import ActCount, NewLedgerEntry
from webapp.play.change_writer import change_source, write_act
from webapp.play.changes.acts import Act, ActInput, SeatInput, acts_by_name
from webapp.play.changes.public_change import (
    Actor,
    ChangeSource,
    PlannedChange,
    PublicChange,
    RecordedChange,
)

LIMIT_WINDOW: Final = timedelta(days=1)
"""The time over which acts are counted for their limits."""
MAX_EMAILED_ACTS_IN_GAME: Final = 12
"""Acts on one game within ``LIMIT_WINDOW`` of which everyone there gets an email, of all kinds together. A paused game can always be
resumed."""


TIME_TO_UNDO: Final = timedelta(minutes=2)
"""The email about an act that can be undone follows so much later: who undoes it before that has sent none at all."""


class Position(NamedTuple):
    """Where a game stood when an act was previewed: its turn, and the newest act on it."""

    seq: int
    entry: int


class ActRequest(msgspec.Struct, frozen=True, kw_only=True):
    """An act to be performed. ``actor`` None is the operator."""

    actor: Person | None
    slug: str
    act: Act[Any]
    given: ActInput
    """What the act needs, of its ``input_type``."""
    reason: str
    form_id: str
    expected: Position | None = None
    """None: wherever the game stands, for commands."""
    undoes: int | None = None
    """The entry of the ledger to be undone, an entry of this act; ``given`` has no meaning then."""


class ActPreview(msgspec.Struct, frozen=True, kw_only=True):
    """What an act would change, and where the game stands."""

    game: GameUnderModeration
    act: Act[Any]
    """Another one than asked for if an act is undone: to undo a pause is to resume."""
    change: PublicChange
    position: Position


class PerformedAct(NamedTuple):
    """An act that was performed, and the game as it was read for it."""

    game: GameUnderModeration
    change: PublicChange | None
    """None if an earlier request with the same form has made the change."""


def preview(tx: Tx, actor: Person | None, slug: str, act: Act[Any], given: ActInput) -> ActPreview:
    """Return what an act would change; change nothing. Raises NotFound, NotAllowed and FieldErrors."""
    game = find_game_to_act_on(tx, actor, slug, act.right)
    return preview_act_on_game(tx, game, act, given, actor=actor)


def preview_act_on_game(
    tx: Tx,
    game: GameUnderModeration,
    act: Act[Any],
    given: ActInput,
    *,
    actor: Person | None,
) -> ActPreview:
    """Return what an act would change in a game on which the actor may act. Raises NotAllowed and FieldErrors."""
    acting = Actor(_id_of(actor), acting_relation(tx, actor, act.right, game))
    _require_possible(tx, game, act, given, acting)
    planned_change = act.plan(change_source(tx, game, acting), given)
    return ActPreview(game=game, act=act, change=planned_change.change, position=position_of(game))


def find_game_to_act_on(
    tx: Tx, actor: Person | None, slug: str, right: GameRight
) -> GameUnderModeration:
    """Return the game for someone who has this right in it. Raises NotFound, and NotAllowed for a former player."""
    game = _find_game(tx, slug)
    acting_relation(tx, actor, right, game)
    return game


def perform_act_request(tx: Tx, request: ActRequest) -> PerformedAct:
    """Perform an act, record it and inform the table.

    A form that is sent twice acts once. Raises NotFound without the right, StaleTurn if the game has moved on, NotAllowed and FieldErrors.
    """
    is_storable_slug = is_storable(request.slug)
    game = _require_found(
        games_under_moderation.lock(tx, request.slug) if is_storable_slug else None
    )
    if ledger.entry_of_form(tx, _form_key(request)) is not None:
        return PerformedAct(game, None)
    acted_as = acting_relation(tx, request.actor, request.act.right, game)
    return perform_authorized_act(tx, request, game, acted_as=acted_as)


def perform_authorized_act(
    tx: Tx,
    request: ActRequest,
    game: GameUnderModeration,
    *,
    acted_as: str,
) -> PerformedAct:
    """Perform an act to which the actor has a right, in a locked game. Raises what ``perform_act_request`` raises."""
    actor = Actor(_id_of(request.actor), acted_as, checked_reason(request.reason))
    _require_position(game, request.expected)
    source, act, planned_change = _plan(tx, game, request, actor)
    change = planned_change.change
    entry = NewLedgerEntry(
        act=act.name,
        actor_id=actor.id,
        acted_as=acted_as,
        game_id=game.id,
        seat=change.seat,
        seq=game.seq,
        account_id=change.account_id,
        before=msgspec.to_builtins(change.before),
        after=msgspec.to_builtins(change.after),
        reason=actor.reason,
        form_id=_form_key(request),
        undoes=request.undoes,
        at=tx.now,
    )
    entry_id = record_act(tx, entry)
    if entry_id is None:
        raise NotAllowed(DenialReason.UNDONE_ALREADY)
    write_act(source, act, planned_change)
    _queue_act_emails(tx, game, act, change, entry_id, entry)
    return PerformedAct(game, change)


def preview_undoing(
    tx: Tx,
    game: GameUnderModeration,
    act: Act[Any],
    entry_id: int,
    *,
    actor: Person | None,
) -> ActPreview:
    """Return what undoing an act would change. Raises NotFound for another game's entry, and NotAllowed."""
    acting = Actor(_id_of(actor), acting_relation(tx, actor, act.right, game))
    _, undoing, planned_change = _plan_undoing(tx, game, act, entry_id, acting)
    _require_below_act_limits(tx, game, undoing, actor_id=acting.id)
    return ActPreview(
        game=game, act=undoing, change=planned_change.change, position=position_of(game)
    )


class NewestAct(NamedTuple):
    """An act as the ledger has recorded it."""

    act: Act[Any]
    id: int


def newest_act(tx: Tx, slug: str) -> NewestAct:
    """Return the newest act on a game. Raises NotFound, and NotAllowed if there is none that could be undone."""
    entries = ledger.entries_of_game(tx, _find_game(tx, slug).id, limit=1)
    act = acts_by_name().get(entries[0].act) if entries else None
    if act is None:
        raise NotAllowed(DenialReason.CANNOT_BE_UNDONE)
    return NewestAct(act, entries[0].id)


def newest_unsent_email(tx: Tx, slug: str) -> int:
    """Return the id of the newest email about a game that was given up. Raises NotFound, and NotAllowed if there is none."""
    unsent_emails = public_turns.unsent_emails(tx, _find_game(tx, slug).id)
    if not unsent_emails:
        raise NotAllowed(DenialReason.EMAIL_NOT_FAILED)
    return unsent_emails[0].id


def position_of(game: GameUnderModeration) -> Position:
    return Position(game.seq, game.last_entry)


def _plan(
    tx: Tx,
    game: GameUnderModeration,
    request: ActRequest,
    actor: Actor,
) -> tuple[ChangeSource, Act[Any], PlannedChange]:
    """Return the change, what it is planned from, and the act as which it is recorded: an undoing may be recorded as another one."""
    if request.undoes is not None:
        source, act, planned_change = _plan_undoing(tx, game, request.act, request.undoes, actor)
        lock_actor(tx, actor.id, act)
        _require_below_act_limits(tx, game, act, actor_id=actor.id)
        _require_below_shared_limit(tx, game, act, acted_as=actor.acted_as)
        return source, act, planned_change
    act = request.act
    lock_actor(tx, actor.id, act)
    _require_possible(tx, game, act, request.given, actor)
    source = change_source(tx, game, actor)
    return source, act, act.plan(source, request.given)


def _require_possible(
    tx: Tx,
    game: GameUnderModeration,
    act: Act[Any],
    given: ActInput,
    actor: Actor,
) -> None:
    """Raise NotAllowed if the act was performed too often of late, or would overrule someone who acted as more than the actor."""
    _require_within_limits(tx, game, act, actor_id=actor.id)
    _require_below_shared_limit(tx, game, act, acted_as=actor.acted_as)
    if actor.acted_as == OPERATOR:
        return
    seat = given.seat if isinstance(given, SeatInput) else None
    if act.ends is None or (seat is not None and not seat_offers.has_open_offer(tx, game.id, seat)):
        return
    acted_as = ledger.newest_acted_as(tx, game.id, act.ends, seat=seat)
    if acted_as is not None and is_stronger(acted_as, actor.acted_as):
        raise NotAllowed(DenialReason.STRONGER_ACTED)


def _queue_act_emails(
    tx: Tx,
    game: GameUnderModeration,
    act: Act[Any],
    change: PublicChange,
    entry_id: int,
    entry: NewLedgerEntry,
) -> None:
    """Queue the emails about an act: to everyone who sits or sat there, or only to the player whom it is about.

    Who has got no email about an act gets none when it is undone.
    """
    if act.informs == "no one":
        return
    is_for_player, now = act.informs == "player", entry.at
    spared_ids: frozenset[int] = frozenset()
    if entry.undoes is not None:
        spared_ids = pending_emails.drop_unsent(
            tx, game.id, entry.undoes, reason=DropReason.UNDONE.code, now=now
        )
    seated_ids = {change.before.account_id, change.after.account_id}
    involved_ids = seated_ids | {change.account_id, change.before.offered_by}
    recipients = {change.account_id} if is_for_player else game.people | involved_ids
    notices = [
        NewNotification(
            kind=act.name if is_for_player else "moderator-act",
            game_id=game.id,
            seq=game.turn_seq if is_for_player else game.seq,
            account_id=account_id,
            dedup_key=entry_id,
            due_at=now if act.undone_as is None else now + TIME_TO_UNDO,
        )
        for account_id in sorted(filter(None, recipients - spared_ids))
    ]
    outbox.enqueue(tx, notices)


def _id_of(actor: Person | None) -> int | None:
    """Return the account of who acts; None for the operator."""
    return None if actor is None else actor.id


def _plan_undoing(
    tx: Tx,
    game: GameUnderModeration,
    act: Act[Any],
    entry_id: int,
    actor: Actor,
) -> tuple[ChangeSource, Act[Any], PlannedChange]:
    entry = ledger.find(tx, entry_id, game_id=game.id)
    if entry is None or entry.act != act.name:
        raise NotFound
    if is_stronger(entry.acted_as, actor.acted_as):
        raise NotAllowed(DenialReason.STRONGER_ACTED)
    if act.undone_as is None:
        raise NotAllowed(DenialReason.CANNOT_BE_UNDONE)
    recorded_change = RecordedChange(entry.seat, facts_from(entry.before), facts_from(entry.after))
    source = change_source(tx, game, actor)
    planned_change = act.plan_undoing(source, recorded_change)
    return source, acts_by_name()[act.undone_as], planned_change


def _find_game(tx: Tx, slug: str) -> GameUnderModeration:
    return _require_found(games_under_moderation.find(tx, slug) if is_storable(slug) else None)


def _require_found(game: GameUnderModeration | None) -> GameUnderModeration:
    if game is None:
        raise NotFound
    return game


def acting_relation(
    tx: Tx, actor: Person | None, right: GameRight, game: GameUnderModeration
) -> str:
    """Return as what the actor acts. Raises NotFound, and NotAllowed for a former player."""
    if actor is None:
        return OPERATOR
    facts = TableFacts(
        table_kind(is_public=game.public, is_in_club=game.club_id is not None),
        is_host=actor.id == game.host_id,
        is_player=actor.id in game.people,
        is_former_player=actor.id in game.former_player_ids,
        rank_in_club=None
        if game.club_id is None
        else members.rank_in_club(tx, game.club_id, actor.id),
    )
    return require_game_right(actor, right, facts)


def _require_position(game: GameUnderModeration, expected: Position | None) -> None:
    if expected is None:
        return
    if expected.seq != game.seq:
        raise StaleTurn(game.seq)
    if expected.entry != game.last_entry:
        raise NotAllowed(DenialReason.CHANGED_MEANWHILE)


def _form_key(request: ActRequest) -> str:
    """Return the form's id bound to actor, game, act and what was filled in.

    So no one can use up the form of another, and a form that was changed with the browser's back button is another one.
    """
    actor = _id_of(request.actor) or 0
    filled_fields = (request.undoes, request.given, request.reason)
    key = msgspec.json.encode(
        (actor, request.slug, request.act.name, filled_fields, request.form_id)
    )
    return hashlib.sha256(key).hexdigest()


def lock_actor(tx: Tx, actor_id: int | None, act: Act[Any]) -> None:
    """Let acts of this actor that have a limit be counted one after the other, also on different games.

    Games are locked before.
    """
    if act.limit is not None:
        ledger.lock_actor(tx, actor_id)


def _require_within_limits(
    tx: Tx, game: GameUnderModeration, act: Act[Any], *, actor_id: int | None
) -> None:
    """Raise NotAllowed if this act was performed too often in the present turn, and what ``_require_below_act_limits`` raises."""
    if act.turn_limit is not None:
        acts_in_turn = ledger.count_acts(tx, game.id, act.name, from_seq=game.turn_seq)
        if acts_in_turn >= act.turn_limit.most:
            raise NotAllowed(act.turn_limit.denial)
    _require_turn_interval(tx, game, act)
    _require_below_act_limits(tx, game, act, actor_id=actor_id)


def _require_below_act_limits(
    tx: Tx, game: GameUnderModeration, act: Act[Any], *, actor_id: int | None
) -> None:
    """Raise LimitReached if the act was performed too often of late, in this game or by this actor in all games."""
    limit = act.limit
    if limit is None:
        return
    act_count = ActCount(
        act=act.name, game_id=game.id, actor_id=actor_id, since=tx.now - LIMIT_WINDOW
    )
    nth_act_in_game_at, nth_act_by_actor_at = ledger.nth_newest_times(
        tx, act_count, limit.per_game, limit.per_actor
    )
    if nth_act_in_game_at is not None:
        raise LimitReached(
            DenialReason.ACT_LIMIT_OF_GAME_REACHED,
            limit=limit.per_game,
            possible_at=nth_act_in_game_at + LIMIT_WINDOW,
        )
    if nth_act_by_actor_at is not None:
        raise LimitReached(
            DenialReason.ACT_LIMIT_OF_ACTOR_REACHED,
            limit=limit.per_actor,
            possible_at=nth_act_by_actor_at + LIMIT_WINDOW,
        )


def _require_below_shared_limit(
    tx: Tx, game: GameUnderModeration, act: Act[Any], *, acted_as: str
) -> None:
    """Raise LimitReached if the people at the table have had enough emails about acts today.

    Site moderators and the operator put things right, also then.
    """
    if act.is_beyond_shared_limit or acted_as in {Relation.SITE_MODERATOR, OPERATOR}:
        return
    nth_emailed_act_at = ledger.nth_newest_time_of_others(
        tx,
        game.id,
        [other.name for other in acts_by_name().values() if other.informs == "table"],
        since=tx.now - LIMIT_WINDOW,
        limit=MAX_EMAILED_ACTS_IN_GAME,
    )
    if nth_emailed_act_at is not None:
        raise LimitReached(
            DenialReason.EMAILED_ENOUGH_TODAY,
            limit=MAX_EMAILED_ACTS_IN_GAME,
            possible_at=nth_emailed_act_at + LIMIT_WINDOW,
        )


def _require_turn_interval(tx: Tx, game: GameUnderModeration, act: Act[Any]) -> None:
    if act.turn_interval is None:
        return
    length, denial = act.turn_interval
    performed_at = ledger.newest_time_in_turn(tx, game.id, act.name, from_seq=game.turn_seq)
    if performed_at is not None and performed_at > tx.now - length:
        raise LimitReached(denial, limit=1, possible_at=performed_at + length)
