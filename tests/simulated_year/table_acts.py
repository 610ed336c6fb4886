"""What is done to tables of a simulated year beside playing: players vote, and a moderator acts."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

import msgspec

from tests.simulated_year.database import OpenBallot, open_ballots, sign_up
from tests.simulated_year.people import Habits
from tests.simulated_year.site import Site
from tests.support.transactions import read_only, using
from webapp.accounts.person import Person
from webapp.kernel.rights import GameRight
from webapp.kernel.tx import Tx
from webapp.moderation.moderators import add_moderator
from webapp.moderation.performing import ActRequest, perform_act_request
from webapp.play.access import find_game, game_for
from webapp.play.changes.acts import ActInput, acts_by_name
from webapp.play.votes import VoteKind, answer_vote, start_vote

_MODERATOR_ADDRESS: Final = "moderator@people.example"
_REASON: Final = "A player has asked for this."


def sign_up_moderator(site: Site, *, now: datetime) -> Person:
    """Return a new person who moderates the site and plays in no game."""
    with site.transaction() as tx:
        person = sign_up(tx, address=_MODERATOR_ADDRESS, name="Margaret", zone="UTC", now=now)
        add_moderator(tx.at(now), _MODERATOR_ADDRESS, reason=_REASON)
    return msgspec.structs.replace(person, is_moderator=True)


def act(
    site: Site,
    moderator: Person,
    slug: str,
    right: GameRight,
    given: ActInput,
    *,
    now: datetime,
) -> bool:
    """Let the moderator act on a game; return False if that is not possible now."""
    request = ActRequest(
        actor=moderator,
        slug=slug,
        act=acts_by_name()[right],
        given=given,
        reason=_REASON,
        form_id=site.rng.randbytes(8).hex(),
    )

    def perform(tx: Tx) -> None:
        perform_act_request(using(tx.at(now), random_below=site.random_below), request)

    return site.try_step(perform)


def position_of(site: Site, moderator: Person, slug: str, *, now: datetime) -> int:
    """Return the number of the newest turn of a game."""
    with read_only(site.database, now) as tx:
        return find_game(tx, slug, moderator, mode="read").game.seq


def propose(site: Site, habits: Habits, slug: str, kind: VoteKind, *, now: datetime) -> bool:
    """Propose something to a table; return False if that is not possible now."""

    def start(tx: Tx) -> None:
        start_vote(tx.at(now), game_for(tx.at(now), slug, habits.person, mode="change"), kind)

    return site.try_step(start)


def open_ballots_of(site: Site, habits: Habits) -> Sequence[OpenBallot]:
    """Return the votes that wait for this person."""
    with read_only(site.database) as tx:
        return open_ballots(tx, habits.person)


def answer_ballot(
    site: Site, habits: Habits, ballot: OpenBallot, *, is_yes: bool, now: datetime
) -> bool:
    """Answer a vote; return False if it is over."""

    def answer(tx: Tx) -> None:
        access = game_for(tx.at(now), ballot.slug, habits.person, mode="change")
        answer_vote(tx.at(now), access, ballot.vote_id, is_yes=is_yes)

    return site.try_step(answer)
