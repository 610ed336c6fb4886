"""No byte of an email, and not whether it is sent, depends on what its recipient may not know."""

from datetime import timedelta

import pytest
from sqlalchemy import insert

from engine.rulebooks.catalogue import RULEBOOKS
from engine.state import State
from engine.view import awaiting
from tests.leaks.stored_game_pairs import SEATED_CHARACTERS, GamePair, find_game, game_pair
from tests.support.factories import stored_game
from tests.support.fakes import drawn
from tests.support.transactions import NOON, transaction
from tests.support.visitors import Site
from webapp.mail.compose import Composer
from webapp.mail.outbox import delivery
from webapp.mail.preparation import prepare_emails
from webapp.mail.schema import Notification

COMPOSER = Composer(base_url="https://lodepost.test", mail_from="lodepost@lodepost.test")


def emails_to(pair: GamePair, seat: int) -> list[bytes]:
    """Return the emails to one guest when every player is due an email of every kind."""
    _queue_every_kind(pair)
    with transaction(pair.site.database) as tx:
        outgoing = prepare_emails(tx.at(NOON), delivery.claim(tx.at(NOON)))
        for email in outgoing:
            if email.claim.kind == "your-turn":
                # The reminder and the deal are sent only once the turn's first email is settled.
                delivery.give_up(tx.at(NOON), email.claim, code="550")
        later = NOON + timedelta(minutes=2)
        outgoing += prepare_emails(tx.at(later), delivery.claim(tx.at(later)))
    address = SEATED_CHARACTERS[seat].address
    contexts = [email.context for email in outgoing if email.context and email.address == address]
    return [drawn(COMPOSER.compose(context, now=NOON)) for context in contexts]


def _queue_every_kind(pair: GamePair) -> None:
    row = stored_game(pair.site.database, pair.slug, pair.dealt.guests[0]).row
    assert row.remind_at is not None
    dedup_keys = {"your-turn": 0, "reminder": int(row.remind_at.timestamp()), "dealt": 0}
    rounds = {f"round-over {ended_round}": ended_round for ended_round in range(1, row.round)}
    notifications = [
        {
            # The Message-ID does not depend on the id, but the order of sending does.
            "id": 1000 + number * 10 + guest,
            "kind": kind.split()[0],
            "game_id": row.id,
            "seq": row.turn_seq,
            "account_id": pair.dealt.guests[guest].person.id,
            "dedup_key": dedup_key,
            "first_due_at": NOON,
            "due_at": NOON,
        }
        for number, (kind, dedup_key) in enumerate((dedup_keys | rounds).items())
        for guest in range(len(SEATED_CHARACTERS))
    ]
    with transaction(pair.site.database) as tx:
        tx.execute(insert(Notification), notifications)


@pytest.mark.parametrize("rulebook", RULEBOOKS)
@pytest.mark.parametrize("observer", [0, 2])
def test_emails_are_the_same_in_game_and_counterfactual(
    site: Site, rulebook: str, observer: int
) -> None:
    def has_gold_choice(state: State) -> bool:
        awaited = awaiting(state)
        return state.round == 2 and awaited is not None and awaited.seat == observer

    played_game, step = find_game(rulebook, has_gold_choice)
    pair = game_pair(site, played_game, observer=observer)
    actual, counterfactual = [emails_to(pair, observer) for _ in pair.play_both(until_turn=step)]
    assert actual == counterfactual
    assert len(actual) == 4


def test_emails_to_another_seat_differ_in_the_counterfactual(site: Site) -> None:
    played_game, step = find_game("en-2004", lambda state: state.round == 2)
    pair = game_pair(site, played_game, observer=0)
    actual, counterfactual = [emails_to(pair, 1) for _ in pair.play_both(until_turn=step)]
    assert actual != counterfactual
