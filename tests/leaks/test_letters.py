"""No letter, byte for byte, depends on what its recipient may not know; nor does it depend on it whether one goes out."""

import pytest
from sqlalchemy import insert

from engine.rulebooks.catalogue import RULEBOOKS
from engine.state import State
from engine.view import awaiting
from tests.leaks.counterfactual_games import SEATS, Worlds, game_in_which, worlds
from tests.support.factories import KEYS, NOON, look
from tests.support.visitors import Site
from webapp.mail.compose import Composer
from webapp.services.notifications import delivery
from webapp.services.tx import transaction
from webapp.store.schema.notifications import Notification

COMPOSER = Composer(base_url="https://lodepost.test", mail_from="lodepost@lodepost.test")


def letters_to(one: Worlds, guest: int) -> list[bytes]:
    """What goes to somebody's address when everybody is owed a letter of every kind."""
    _owe_everything(one)
    with transaction(one.site.database) as tx:
        outgoing = delivery.prepare_emails(tx, delivery.claim(tx, now=NOON), keys=KEYS, now=NOON)
        for out in outgoing:
            if out.claim.kind == "your-turn":
                # A reminder goes out once the call for its turn is out of the way.
                delivery.give_up(tx, out.claim, code="550", now=NOON)
        outgoing += delivery.prepare_emails(tx, delivery.claim(tx, now=NOON), keys=KEYS, now=NOON)
    address = SEATS[guest].address
    mine = [out.digest for out in outgoing if out.digest and out.address == address]
    return [COMPOSER.compose(digest, now=NOON) for digest in mine]


def _owe_everything(one: Worlds) -> None:
    row = look(one.site.database, one.slug, one.seated.guests[0]).row
    assert row.deadline_at is not None
    occasions = {"your-turn": 0, "reminder": int(row.deadline_at.timestamp()), "dealt": 0}
    rounds = {f"round-over {ended}": ended for ended in range(1, row.round)}
    owed = [
        {
            # The Message-ID of a letter does not hang on its row, but the order of sending does.
            "id": 1000 + number * 10 + guest,
            "kind": kind.split()[0],
            "game_id": row.id,
            "seq": row.turn_seq,
            "account_id": one.seated.guests[guest].person.id,
            "occasion": occasion,
            "owed_at": NOON,
            "due_at": NOON,
        }
        for number, (kind, occasion) in enumerate((occasions | rounds).items())
        for guest in range(len(SEATS))
    ]
    with transaction(one.site.database) as tx:
        tx.connection.execute(insert(Notification), owed)


@pytest.mark.parametrize("rulebook", RULEBOOKS)
@pytest.mark.parametrize("observer", [0, 2])
def test_no_letter_tells_two_worlds_apart(site: Site, rulebook: str, observer: int) -> None:
    def wanted(state: State) -> bool:
        due = awaiting(state)
        return state.round == 2 and due is not None and due.seat == observer

    told, step = game_in_which(rulebook, wanted)
    one = worlds(site, told, observer=observer)
    here, there = [letters_to(one, observer) for _ in one.each(until=step)]
    assert here == there
    assert len(here) == 4


def test_a_letter_to_another_seat_does_tell_them_apart(site: Site) -> None:
    told, step = game_in_which("en-2004", lambda state: state.round == 2)
    one = worlds(site, told, observer=0)
    here, there = [letters_to(one, 1) for _ in one.each(until=step)]
    assert here != there
