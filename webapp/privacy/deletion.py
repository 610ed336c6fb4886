"""Deletion of an account: previewed, typed, and for ever. Games of others stay intact, with "a former player" in the seat.

Seats at tables and in running games are freed, another player takes over as the host, and the others are informed. A table or a
game in which no other person is left is cancelled.
"""

from webapp.accounts import security_log
from webapp.accounts.names import typed_text
from webapp.accounts.person import Person
from webapp.accounts.queries import accounts
from webapp.accounts.security_log import SecurityEventKind
from webapp.kernel.redacted import Redacted
from webapp.kernel.refusals import DenialReason, FieldError, FieldErrors, NotAllowed
from webapp.kernel.tx import Tx
from webapp.lobby.host_actions import cancel_table
from webapp.lobby.seats import leave_seat
from webapp.play.access import game_for
from webapp.play.change_writer import queue_emails_about_act
from webapp.play.leaving import (
    delete_planned_and_held_turns,
    leave_game,
    name_another_host,
    others_playing,
)
from webapp.privacy.queries import deletion
from webapp.privacy.queries.deletion import FoundedClub, OwnTable


class DeletionPage(Redacted, frozen=True, kw_only=True):
    """What prevents a deletion, and which games and tables before the deal it affects."""

    running_games: tuple[OwnTable, ...]
    """Games in progress in which the person has a seat."""
    clubs_needing_founder: tuple[FoundedClub, ...]
    """The clubs that need another founder."""
    tables_before_deal: tuple[OwnTable, ...]

    @property
    def is_possible(self) -> bool:
        return not self.clubs_needing_founder


def deletion_page(tx: Tx, person: Person) -> DeletionPage:
    """Return what prevents deleting the account, and what it would affect."""
    return DeletionPage(
        running_games=tuple(deletion.running_games(tx, person.id)),
        clubs_needing_founder=tuple(deletion.founded_clubs(tx, person.id)),
        tables_before_deal=tuple(deletion.tables_before_deal(tx, person.id)),
    )


def delete_account(tx: Tx, person: Person, *, typed_address: str) -> None:
    """Delete the account. Raises FieldErrors unless its address was typed, and NotAllowed while a club needs its founder."""
    if typed_text(typed_address).lower() != person.address.lower():
        raise FieldErrors(FieldError("address", "not-yours"))
    deletion.lock_games(tx, person.id)
    accounts.lock_account(tx, person.id)
    deletion.lock_clubs(tx, person.id)
    if deletion.founded_clubs(tx, person.id):
        raise NotAllowed(DenialReason.FOUNDER_MUST_HAND_OVER)
    for table in deletion.tables_before_deal(tx, person.id):
        _leave_table(tx, table.slug, person)
    for game in deletion.running_games(tx, person.id):
        leave_game(tx, game.slug, person)
    left_game_ids = deletion.left_game_ids(tx, person.id)
    delete_planned_and_held_turns(tx, person.id, left_game_ids)
    security_log.record(tx, SecurityEventKind.ACCOUNT_DELETED, account_id=person.id)
    deletion.delete_personal_data(tx, person.id, person.address)


def _leave_table(tx: Tx, slug: str, person: Person) -> None:
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
