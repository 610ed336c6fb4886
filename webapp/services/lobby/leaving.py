"""Standing up by a form that may come twice, from a table that is out of sight for who has left it."""

from datetime import datetime

from webapp.services.accounts.person import Person
from webapp.services.accounts.sessions import person_for
from webapp.services.errors import Denied, NotAllowed, NotFound
from webapp.services.keys import Keyring, hash_of, same
from webapp.services.lobby.tables import stand_up
from webapp.services.play.access import LoadedGame, game_for, may_view_unseated
from webapp.services.tx import Tx


def leaving_mark(slug: str, person: Person, keys: Keyring) -> str:
    """What the form of somebody who sits there shows: without it nobody learns by standing up whether there is a table."""
    return keys.token("sat there", slug, person.id)


def leave(
    tx: Tx, slug: str, cookie: str | None, *, mark: str, keys: Keyring, now: datetime
) -> bool:
    """Stand up; whether one may still look at the table. Who shows the mark is told the same when it comes twice.

    Raises NotFound and what ``stand_up`` raises.
    """
    try:
        game, _, me = game_for(tx, slug, cookie, now=now, mode="change")
    except NotFound:
        if _has_left(slug, person_for(tx, cookie, now=now), mark, keys):
            return False
        raise
    if me is None:
        raise NotAllowed(Denied.NOT_SEATED)
    _stand_up_once(tx, game, me, mark=mark, keys=keys, now=now)
    return may_view_unseated(game, me)


def _stand_up_once(
    tx: Tx, game: LoadedGame, me: Person, *, mark: str, keys: Keyring, now: datetime
) -> None:
    if game.seat_of(me) is None and _has_left(game.slug, me, mark, keys):
        return
    stand_up(tx, game, me, now=now)


def _has_left(slug: str, me: Person | None, mark: str, keys: Keyring) -> bool:
    return me is not None and same(hash_of(mark), hash_of(leaving_mark(slug, me, keys)))
