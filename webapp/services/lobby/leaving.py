"""A person leaves a table before the deal for good, because they delete their account: another hosts it, or it is closed."""

from webapp.services.accounts.person import Person
from webapp.services.lobby.host_actions import cancel_table
from webapp.services.lobby.seats import leave_seat
from webapp.services.play.access import game_for
from webapp.services.play.acts_without_actor import queue_emails_about_act
from webapp.services.play.host_succession import (
    name_another_host,
    others_playing,
)
from webapp.services.tx import Tx


def leave_table(tx: Tx, slug: str, person: Person) -> None:
    """Leave the person's seat; if they are the host, another seated person takes over, or else the table is cancelled.

    The table's link and the invitations that the person has sent stay valid. Nothing happens if the cards were dealt
    meanwhile. Raises NotFound.
    """
    game = game_for(tx, slug, person, mode="change").game
    if not game.status.is_before_deal:
        return
    if game.is_hosted_by(person):
        entry_id = name_another_host(tx, game, person.id)
        if entry_id is None:
            cancel_table(tx, game, person)
            return
        other_seats = others_playing(game, person.id)
        queue_emails_about_act(tx, game, entry_id, [seat.account_id for seat in other_seats])
    if game.seat_of(person) is not None:
        leave_seat(tx, game, person)
