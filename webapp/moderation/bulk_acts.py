"""The same act on several games at once: one preview, one reason, and each game for itself.

A game that refuses changes nothing for the others; the result says which did and why.
"""

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from engine.errors import IllegalAction
from webapp.accounts.person import Person
from webapp.kernel.database import is_storable
from webapp.kernel.refusals import NotFound, Refused
from webapp.kernel.tx import Tx, savepoint
from webapp.moderation.act_page import ActPage, act_line
from webapp.moderation.performing import ActRequest, Position, perform_act_request
from webapp.moderation.queries import games_under_moderation
from webapp.play.changes.acts import Act, ActInput

MOST_GAMES: Final = 50


class BulkTarget(msgspec.Struct, frozen=True, order=True):
    """One of the games, and its position at the preview."""

    slug: str
    seq: int
    entry: int


class BulkResult(msgspec.Struct, frozen=True, kw_only=True):
    """What became of the act in one game; ``refused`` is None if it was performed."""

    slug: str
    host: str | None = None
    """The name of the table's host; None for a game that the viewer may not moderate."""
    table_name: str = ""
    refusal: Refused | IllegalAction | None = None


def preview_act_on_games(
    tx: Tx,
    viewer: Person,
    slugs: Sequence[str],
    act: Act[Any],
    given: ActInput,
) -> tuple[ActPage, ...]:
    """Return the preview of the act in each of these games. Raises NotFound if the viewer has no right to it in one."""
    unique_slugs = sorted(set(slugs))[:MOST_GAMES]
    return tuple(act_line(tx, viewer, slug, act, given) for slug in unique_slugs)


def perform_act_on_games(
    tx: Tx,
    request: ActRequest,
    targets: Sequence[BulkTarget],
) -> tuple[BulkResult, ...]:
    """Perform the act of ``request`` in each game, in the order of their slugs."""
    sorted_targets = sorted({target.slug: target for target in targets}.values())[:MOST_GAMES]
    storable_slugs = [target.slug for target in sorted_targets if is_storable(target.slug)]
    games_under_moderation.lock_many(tx, storable_slugs)
    results = [_perform_one(tx, request, target) for target in sorted_targets]
    moderated_slugs = [
        result.slug for result in results if not isinstance(result.refusal, NotFound)
    ]
    names_by_slug = games_under_moderation.names_of_tables(tx, moderated_slugs)
    return tuple(_with_names(result, names_by_slug.get(result.slug)) for result in results)


def _with_names(result: BulkResult, names: tuple[str, str] | None) -> BulkResult:
    if names is None:
        return result
    host_name, table_name = names
    return msgspec.structs.replace(result, host=host_name, table_name=table_name)


def _perform_one(
    tx: Tx,
    request: ActRequest,
    target: BulkTarget,
) -> BulkResult:
    expected = Position(target.seq, target.entry)
    single_request = msgspec.structs.replace(request, slug=target.slug, expected=expected)
    lines = len(tx.after_commit)
    try:
        with savepoint(tx):
            perform_act_request(tx, single_request)
    except (Refused, IllegalAction) as refusal:
        del tx.after_commit[lines:]
        return BulkResult(slug=target.slug, refusal=refusal)
    return BulkResult(slug=target.slug)
