"""Acts of moderators on a game: one path that checks rights and limits, changes the game, records it and informs the table.

All of it happens in one transaction, with the game locked from the first statement on: an act is done and recorded, or
nothing has happened.
"""

import hashlib
from collections.abc import Callable
from datetime import datetime
from typing import Final, NamedTuple

import msgspec

from webapp.rights import OPERATOR, GameRight, Relation, is_stronger, table_kind
from webapp.services.accounts.person import Person, is_storable
from webapp.services.clubs.access import RELATION_BY_RANK
from webapp.services.errors import DenialReason, NotAllowed, NotFound, StaleTurn
from webapp.services.moderation.act_emails import queue_act_emails
from webapp.services.moderation.act_limits import (
    lock_actor,
    require_below_act_limits,
    require_below_shared_limit,
    require_within_limits,
)
from webapp.services.moderation.relations import TableFacts, require_game_right
from webapp.services.moderator_reasons import checked_reason
from webapp.services.play.moderated_changes import plan_change, plan_undoing
from webapp.services.play.public_change import ChangeInput, PlannedChange, PublicChange
from webapp.services.play.shown_acts import facts_from
from webapp.services.play.undoing import RecordedChange
from webapp.services.security_log import record_act
from webapp.services.tx import Tx
from webapp.store.clubs import members
from webapp.store.lobby import seat_offers
from webapp.store.moderation import games_under_moderation, ledger
from webapp.store.moderation.games_under_moderation import GameUnderModeration
from webapp.store.moderation.ledger import NewLedgerEntry

_UNDONE_ACTS: Final[dict[GameRight, GameRight]] = {
    GameRight.RESUME: GameRight.PAUSE,
    GameRight.WITHDRAW_OFFER: GameRight.OFFER_SEAT,
    GameRight.OFFER_SEAT: GameRight.OFFER_SEAT,
}
"""What these acts undo without naming its entry. A new offer of a seat ends the one before."""


class Position(NamedTuple):
    """Where a game stood when an act was previewed: its turn, and the newest act on it."""

    seq: int
    entry: int


class ActRequest(msgspec.Struct, frozen=True, kw_only=True):
    """An act to be performed. ``actor`` None is the operator."""

    actor: Person | None
    slug: str
    act: GameRight
    change_input: ChangeInput
    reason: str
    form_id: str
    expected: Position | None = None
    """None: wherever the game stands, for commands."""
    undoes: int | None = None
    """The entry of the ledger to be undone, an entry of this act; nothing is ``change_input`` then."""


class ActPreview(msgspec.Struct, frozen=True, kw_only=True):
    """What an act would change, and where the game stands."""

    game: GameUnderModeration
    act: GameRight
    """Another one than asked for if an act is undone: to undo a pause is to resume."""
    change: PublicChange
    position: Position


def preview(
    tx: Tx,
    actor: Person | None,
    slug: str,
    act: GameRight,
    change_input: ChangeInput,
) -> ActPreview:
    """Return what an act would change; change nothing. Raises NotFound, NotAllowed and FieldErrors."""
    game = find_game_to_act_on(tx, actor, slug, act)
    return preview_act_on_game(tx, game, act, change_input, actor=actor)


def preview_act_on_game(
    tx: Tx,
    game: GameUnderModeration,
    act: GameRight,
    change_input: ChangeInput,
    *,
    actor: Person | None,
) -> ActPreview:
    """Return what an act would change in a game on which the actor may act. Raises NotAllowed and FieldErrors."""
    acted_as = acting_relation(tx, actor, act, game)
    require_within_limits(tx, game, act, actor=actor)
    change_input = msgspec.structs.replace(change_input, actor_id=_id_of(actor), acted_as=acted_as)
    require_below_shared_limit(tx, game, act, acted_as=acted_as)
    _require_not_overruling(tx, game, act, change_input)
    planned_change = plan_change(tx, game, act, change_input, random_below=_pick_first)
    return ActPreview(game=game, act=act, change=planned_change.change, position=position_of(game))


def find_game_to_act_on(
    tx: Tx, actor: Person | None, slug: str, act: GameRight
) -> GameUnderModeration:
    """Return the game for someone who has the right to this act. Raises NotFound, and NotAllowed for a former player."""
    game = _require_found(
        games_under_moderation.find(tx.connection, slug) if is_storable(slug) else None
    )
    acting_relation(tx, actor, act, game)
    return game


def perform_act_request(tx: Tx, request: ActRequest, *, random_below: Callable[[int], int]) -> int:
    """Perform an act, record it and inform the table; return the number of its ledger entry.

    A form that is sent twice acts once, and returns the same entry again. Raises NotFound without the right, StaleTurn if the game has moved on, NotAllowed and FieldErrors.
    """
    is_storable_slug = is_storable(request.slug)
    game = _require_found(
        games_under_moderation.lock(tx.connection, request.slug) if is_storable_slug else None
    )
    form_key = _form_key(request)
    earlier_entry_id = ledger.entry_of_form(tx.connection, form_key)
    if earlier_entry_id is not None:
        return earlier_entry_id
    acted_as = acting_relation(tx, request.actor, request.act, game)
    return perform_authorized_act(tx, request, game, acted_as=acted_as, random_below=random_below)


def perform_authorized_act(
    tx: Tx,
    request: ActRequest,
    game: GameUnderModeration,
    *,
    acted_as: str,
    random_below: Callable[[int], int],
) -> int:
    """Perform an act to which the actor has a right, in a locked game. Raises what ``perform_act_request`` raises."""
    form_key = _form_key(request)
    checked_request = msgspec.structs.replace(request, reason=checked_reason(request.reason))
    _require_position(game, request.expected)
    checked_request, planned_change = _plan(
        tx, game, checked_request, acted_as=acted_as, random_below=random_below
    )
    entry = _ledger_entry(
        checked_request,
        game,
        planned_change.change,
        acted_as=acted_as,
        form_key=form_key,
        now=tx.now,
    )
    entry_id = record_act(tx, entry)
    if entry_id is None:
        raise NotAllowed(DenialReason.UNDONE_ALREADY)
    planned_change.write(tx)
    queue_act_emails(tx, game, planned_change.change, entry_id, entry)
    return entry_id


def preview_undoing(
    tx: Tx,
    game: GameUnderModeration,
    act: GameRight,
    entry_id: int,
    *,
    actor: Person | None,
) -> ActPreview:
    """Return what undoing an act would change. Raises NotFound for another game's entry, and NotAllowed."""
    acting_input = ChangeInput(
        actor_id=_id_of(actor), acted_as=acting_relation(tx, actor, act, game)
    )
    undoing, planned_change = _plan_undoing(tx, game, act, entry_id, acting_input)
    require_below_act_limits(tx, game, undoing, actor=actor)
    return ActPreview(
        game=game, act=undoing, change=planned_change.change, position=position_of(game)
    )


def position_of(game: GameUnderModeration) -> Position:
    return Position(game.seq, game.last_entry)


def _plan(
    tx: Tx,
    game: GameUnderModeration,
    request: ActRequest,
    *,
    acted_as: str,
    random_below: Callable[[int], int],
) -> tuple[ActRequest, PlannedChange]:
    """Return the change, and the request as it is recorded: an undoing may be recorded as another act."""
    change_input = msgspec.structs.replace(
        request.change_input,
        actor_id=_id_of(request.actor),
        acted_as=acted_as,
        reason=request.reason,
    )
    if request.undoes is not None:
        acting_input = ChangeInput(actor_id=change_input.actor_id, acted_as=acted_as)
        act, planned_change = _plan_undoing(tx, game, request.act, request.undoes, acting_input)
        lock_actor(tx, request.actor, act)
        require_below_act_limits(tx, game, act, actor=request.actor)
        require_below_shared_limit(tx, game, act, acted_as=acted_as)
        return msgspec.structs.replace(request, act=act), planned_change
    lock_actor(tx, request.actor, request.act)
    require_within_limits(tx, game, request.act, actor=request.actor)
    require_below_shared_limit(tx, game, request.act, acted_as=acted_as)
    _require_not_overruling(tx, game, request.act, change_input)
    return request, plan_change(tx, game, request.act, change_input, random_below=random_below)


def _id_of(actor: Person | None) -> int | None:
    """Return the account of who acts; None for the operator."""
    return None if actor is None else actor.id


def _plan_undoing(
    tx: Tx,
    game: GameUnderModeration,
    act: GameRight,
    entry_id: int,
    acting_input: ChangeInput,
) -> tuple[GameRight, PlannedChange]:
    entry = ledger.find(tx.connection, entry_id, game_id=game.id)
    if entry is None or entry.act != act:
        raise NotFound
    if is_stronger(entry.acted_as, acting_input.acted_as):
        raise NotAllowed(DenialReason.STRONGER_ACTED)
    recorded_change = RecordedChange(entry.seat, facts_from(entry.before), facts_from(entry.after))
    return plan_undoing(tx, game, act, recorded_change, acting_input)


def _require_not_overruling(
    tx: Tx, game: GameUnderModeration, act: GameRight, acting_input: ChangeInput
) -> None:
    """Raise NotAllowed if this act would end a pause, or an open offer of a seat, of someone who acted as more than the actor."""
    undone_act, seat = _UNDONE_ACTS.get(act), acting_input.seat
    if undone_act is None or acting_input.acted_as == OPERATOR:
        return
    if undone_act == GameRight.OFFER_SEAT and (
        seat is None or not seat_offers.has_open_offer(tx.connection, game.id, seat, now=tx.now)
    ):
        return
    acted_as = ledger.newest_acted_as(tx.connection, game.id, undone_act, seat=seat)
    if acted_as is not None and is_stronger(acted_as, acting_input.acted_as):
        raise NotAllowed(DenialReason.STRONGER_ACTED)


def _require_found(game: GameUnderModeration | None) -> GameUnderModeration:
    if game is None:
        raise NotFound
    return game


def acting_relation(tx: Tx, actor: Person | None, act: GameRight, game: GameUnderModeration) -> str:
    """Return as what the actor acts. Raises NotFound, and NotAllowed for a former player."""
    if actor is None:
        return OPERATOR
    kind = table_kind(is_public=game.public, club_id=game.club_id)
    facts = TableFacts(kind, game.host_id, game.people, game.former_player_ids)
    return require_game_right(actor, act, facts, club_relations=_relations_in_club(tx, actor, game))


def _relations_in_club(tx: Tx, actor: Person, game: GameUnderModeration) -> frozenset[Relation]:
    if game.club_id is None:
        return frozenset()
    rank = members.rank_in_club(tx.connection, game.club_id, actor.id)
    return frozenset() if rank is None else frozenset({RELATION_BY_RANK[rank]})


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
    filled_fields = (request.undoes, request.change_input, request.reason)
    key = msgspec.json.encode((actor, request.slug, request.act, filled_fields, request.form_id))
    return hashlib.sha256(key).hexdigest()


def _ledger_entry(
    request: ActRequest,
    game: GameUnderModeration,
    change: PublicChange,
    *,
    acted_as: str,
    form_key: str,
    now: datetime,
) -> NewLedgerEntry:
    return NewLedgerEntry(
        act=request.act,
        actor_id=_id_of(request.actor),
        acted_as=acted_as,
        game_id=game.id,
        seat=change.seat,
        seq=game.seq,
        account_id=change.account_id,
        before=msgspec.to_builtins(change.before),
        after=msgspec.to_builtins(change.after),
        reason=request.reason,
        form_id=form_key,
        undoes=request.undoes,
        at=now,
    )


def _pick_first(_: int) -> int:
    """Pick nothing at random: a preview discards no card."""
    return 0
