import pytest
from sqlalchemy import select, update

from engine.view import view_for
from tests.support.acts import HOUR, ledger_acts, perform_act, recipients, store_peek, undo_act
from tests.support.calls import sweep_with_calls_sent
from tests.support.cast import DAVE, MALLORY
from tests.support.factories import (
    DAY,
    Guest,
    deal_game,
    deal_short_game,
    play_bots,
    play_to_end,
    play_turn,
    sign_in_guest,
    stored_game,
)
from tests.support.outbox_steps import collect_emails
from tests.support.transactions import NOON, pick_first, transaction
from webapp.kernel.game_status import GameStatus
from webapp.kernel.refusals import DenialReason, FieldErrors, NotAllowed, NotFound
from webapp.kernel.rights import GameRight
from webapp.kernel.tx import Database
from webapp.lobby.schema import Seat, Sitting
from webapp.moderation.emails.moderator_act import ModeratorActContext
from webapp.moderation.performing import TIME_TO_UNDO
from webapp.moderation.queries import sanctions
from webapp.operations.consistency import inspect_database
from webapp.play.access import game_for
from webapp.play.schema import Game
from webapp.play.summaries import name_of
from webapp.privacy.deletion import delete_account

OPEN, PERSON, BOT = GameRight.OPEN_SEAT, GameRight.SEAT_PERSON, GameRight.SEAT_BOT


def _sweep(database: Database, now: object) -> tuple[int, int, int]:
    with transaction(database) as tx:
        result = sweep_with_calls_sent(tx, now=now, random_below=pick_first)  # type: ignore[arg-type]
    return result.reminded_count, result.expired_count, result.failed_count


def _may_see(database: Database, slug: str, guest: Guest) -> bool:
    with transaction(database) as tx:
        try:
            game_for(tx, slug, guest.cookie)
        except NotFound:
            return False
    return True


def test_clock_plays_for_an_open_seat_and_reminds_no_one(
    database: Database, guests: list[Guest], slug: str
) -> None:
    play_turn(database, slug, guests[0])
    perform_act(database, slug, OPEN, seat=1)
    assert _sweep(database, NOON + DAY - HOUR) == (0, 0, 0)
    assert _sweep(database, NOON + DAY) == (0, 1, 0)
    for turn in range(2, 5):
        now = NOON + turn * DAY
        assert _sweep(database, now)[1:] == (1, 0)
    row = stored_game(database, slug, guests[0]).row
    assert (row.awaiting, row.wake_at) == (2, row.remind_at)


def test_player_who_left_sees_the_game_again_only_after_its_end(
    database: Database, guests: list[Guest]
) -> None:
    slug = deal_short_game(database, guests)
    perform_act(database, slug, OPEN, seat=1)
    assert not _may_see(database, slug, guests[1])
    assert guests[1].person.id in recipients(database)
    perform_act(database, slug, BOT, seat=1)
    play_to_end(database, slug, [guests[0], guests[2]])
    assert _may_see(database, slug, guests[1])


def test_email_to_the_player_who_left_offers_no_way_to_the_game(
    database: Database, guests: list[Guest], slug: str
) -> None:
    perform_act(database, slug, OPEN, seat=1)
    emails = collect_emails(database, kind="moderator-act", now=NOON + TIME_TO_UNDO)
    may_see_game = {
        email.address: email.context.may_see_game
        for email in emails
        if isinstance(email.context, ModeratorActContext)
    }
    assert may_see_game == {guest.person.address: guest is not guests[1] for guest in guests}


def test_substitute_gets_exactly_what_the_seat_has_seen(
    database: Database, guests: list[Guest], slug: str
) -> None:
    dave = sign_in_guest(database, DAVE)
    earlier_view = view_for(stored_game(database, slug, guests[0]).state, 1)
    perform_act(database, slug, OPEN, seat=1)
    perform_act(database, slug, PERSON, seat=1, name=DAVE.name, address=DAVE.address.upper())
    with transaction(database) as tx:
        access = game_for(tx, slug, dave.cookie)
    later_view = view_for(access.game.state, access.seat)
    assert access.seat == 1
    assert (later_view.hand, later_view.role, later_view.goals) == (
        earlier_view.hand,
        earlier_view.role,
        earlier_view.goals,
    )
    assert access.game.row.awaiting == 0
    assert access.game.row.deadline_at == NOON + DAY


def test_substitute_on_turn_gets_the_whole_time_and_an_email(
    database: Database, guests: list[Guest], slug: str
) -> None:
    dave, now = sign_in_guest(database, DAVE), NOON + DAY - HOUR
    perform_act(database, slug, PERSON, seat=0, name=DAVE.name, address=DAVE.address, now=now)
    row = stored_game(database, slug, dave).row
    assert (row.awaiting, row.deadline_at) == (0, now + DAY)
    assert dave.person.id in recipients(database, "your-turn")
    play_turn(database, slug, dave, now=now)


@pytest.mark.parametrize("who", ["seated", "former", "unknown", "wrong-name", "wrong-address"])
def test_only_a_new_person_with_this_name_and_address_takes_a_seat(
    database: Database, guests: list[Guest], slug: str, who: str
) -> None:
    sign_in_guest(database, DAVE)
    perform_act(database, slug, OPEN, seat=1)
    name, address = {
        "seated": (guests[2].person.name, guests[2].person.address),
        "former": (guests[1].person.name, guests[1].person.address),
        "unknown": (MALLORY.name, MALLORY.address),
        "wrong-name": ("Dav", DAVE.address),
        "wrong-address": (DAVE.name, "dave@elsewhere.test"),
    }[who]
    with pytest.raises(NotAllowed, match=DenialReason.NO_SUCH_SUBSTITUTE.code):
        perform_act(database, slug, PERSON, seat=1, name=name, address=address)


def test_person_who_peeked_gets_no_seat(database: Database, guests: list[Guest], slug: str) -> None:
    dave = sign_in_guest(database, DAVE)
    store_peek(database, slug, dave)
    with pytest.raises(NotAllowed, match=DenialReason.PEEKED_AT_GAME.code):
        perform_act(database, slug, PERSON, seat=1, name=DAVE.name, address=DAVE.address)


def test_bot_takes_over_a_seat_and_plays(
    database: Database, guests: list[Guest], slug: str
) -> None:
    perform_act(database, slug, BOT, seat=0)
    assert play_bots(database) == 1
    row = stored_game(database, slug, guests[1]).row
    assert (row.awaiting, row.seats[0].is_bot, row.seats[0].account_id) == (1, True, None)
    with pytest.raises(NotAllowed, match=DenialReason.BOT_HOLDS_SEAT.code):
        perform_act(database, slug, BOT, seat=0)


def test_substitute_bot_has_the_level_that_was_chosen_also_afterwards(
    database: Database, guests: list[Guest], slug: str
) -> None:
    perform_act(database, slug, BOT, seat=0)
    perform_act(database, slug, BOT, seat=1, bot_level="keen")
    sign_in_guest(database, DAVE)
    perform_act(database, slug, PERSON, seat=1, name=DAVE.name, address=DAVE.address)
    seats = stored_game(database, slug, guests[2]).row.seats
    assert [seat.bot_level for seat in seats] == ["steady", None, None]
    with transaction(database) as tx:
        sittings = select(Sitting.seat, Sitting.bot_level).order_by(Sitting.seat, Sitting.number)
        assert list(tx.execute(sittings)) == [(0, None), (1, None), (1, "keen")]


def test_bot_has_a_name_that_no_one_has_had_in_the_game(
    database: Database, guests: list[Guest], slug: str
) -> None:
    with transaction(database) as tx:
        tx.execute(update(Seat).where(Seat.number == 0).values(name="Agate"))
    perform_act(database, slug, BOT, seat=0)
    perform_act(database, slug, BOT, seat=1)
    sign_in_guest(database, DAVE)
    perform_act(database, slug, PERSON, seat=0, name=DAVE.name, address=DAVE.address)
    perform_act(database, slug, BOT, seat=2)
    names = [name_of(seat) for seat in stored_game(database, slug, guests[2]).row.seats]
    assert names == [DAVE.name, "Cobalt", "Dolomite"]


@pytest.mark.parametrize("level", ["random", "brilliant", ""])
def test_level_that_is_not_offered_is_refused(database: Database, slug: str, level: str) -> None:
    with pytest.raises(FieldErrors, match="level: unknown"):
        perform_act(database, slug, BOT, seat=0, bot_level=level)


def test_seat_changes_leave_a_consistent_log(
    database: Database, database_url: str, guests: list[Guest], slug: str
) -> None:
    sign_in_guest(database, DAVE)
    perform_act(database, slug, GameRight.PAUSE)
    perform_act(database, slug, OPEN, seat=0)
    perform_act(
        database, slug, PERSON, seat=0, name=DAVE.name, address=DAVE.address, now=NOON + DAY
    )
    assert stored_game(database, slug, guests[1]).status == GameStatus.PAUSED
    perform_act(database, slug, GameRight.RESUME, now=NOON + 3 * DAY)
    assert stored_game(database, slug, guests[1]).row.deadline_at == NOON + 4 * DAY
    assert inspect_database(database_url).inconsistencies == ()


def test_opened_seat_is_given_back(database: Database, guests: list[Guest], slug: str) -> None:
    entry = perform_act(database, slug, OPEN, seat=1)
    undo_act(database, slug, OPEN, entry)
    assert stored_game(database, slug, guests[1]).row.seats[1].account_id == guests[1].person.id
    assert ledger_acts(database) == ["open-seat", "seat-person"]
    assert _may_see(database, slug, guests[1])
    with pytest.raises(NotAllowed):
        undo_act(database, slug, OPEN, entry)


def test_clock_of_a_returned_seat_runs_on_without_reminder(
    database: Database, guests: list[Guest], slug: str
) -> None:
    with transaction(database) as tx:
        tx.execute(update(Game).values(remind_at=None))
    undo_act(database, slug, OPEN, perform_act(database, slug, OPEN, seat=0))
    game = stored_game(database, slug, guests[0]).row
    assert (game.awaiting, game.wake_at) == (0, game.deadline_at)


def test_seat_that_was_taken_over_is_not_given_back(
    database: Database, guests: list[Guest], slug: str
) -> None:
    entry = perform_act(database, slug, OPEN, seat=1)
    perform_act(database, slug, BOT, seat=1)
    with pytest.raises(NotAllowed, match=DenialReason.CANNOT_BE_UNDONE.code):
        undo_act(database, slug, OPEN, entry)


def test_offensive_name_is_changed_for_this_game(
    database: Database, guests: list[Guest], slug: str
) -> None:
    perform_act(database, slug, GameRight.RENAME_SEAT, seat=0, name="  Gentle   Alice ")
    row = stored_game(database, slug, guests[0]).row
    assert (row.seats[0].name, row.host_name) == ("Gentle Alice", "Gentle Alice")
    for name in ("", "B0b", "x" * 33, "\u202eecilA"):
        with pytest.raises(FieldErrors):
            perform_act(database, slug, GameRight.RENAME_SEAT, seat=0, name=name)


@pytest.mark.parametrize(
    "act", [OPEN, PERSON, BOT, GameRight.RENAME_SEAT, GameRight.HAND_OVER_TABLE]
)
@pytest.mark.parametrize("seat", [-1, 3, 10**9])
def test_seat_that_does_not_exist_is_refused(
    database: Database, slug: str, act: GameRight, seat: int
) -> None:
    with pytest.raises(FieldErrors):
        perform_act(database, slug, act, seat=seat, name="Dave", address="dave@example.test")


def test_open_seat_is_not_opened_again(database: Database, slug: str) -> None:
    perform_act(database, slug, OPEN, seat=1)
    with pytest.raises(NotAllowed, match=DenialReason.SEAT_IS_OPEN.code):
        perform_act(database, slug, OPEN, seat=1)


def test_table_is_handed_over_and_back(database: Database, guests: list[Guest], slug: str) -> None:
    hand_over = GameRight.HAND_OVER_TABLE
    entry = perform_act(database, slug, hand_over, by=guests[0], seat=1)
    with pytest.raises(NotFound):
        perform_act(database, slug, hand_over, by=guests[0], seat=0)
    with pytest.raises(NotAllowed, match=DenialReason.ALREADY_HOST.code):
        perform_act(database, slug, hand_over, by=guests[1], seat=1)
    undo_act(database, slug, hand_over, entry)
    assert stored_game(database, slug, guests[0]).row.host_id == guests[0].person.id


def test_act_on_a_seat_leaves_other_games_unchanged(
    database: Database, guests: list[Guest], slug: str
) -> None:
    other = deal_game(database, guests)
    perform_act(database, slug, OPEN, seat=1)
    assert stored_game(database, other, guests[0]).row.seats[1].account_id == guests[1].person.id


def test_seat_is_not_given_back_once_someone_else_had_it(
    database: Database, guests: list[Guest], slug: str
) -> None:
    dave = sign_in_guest(database, DAVE)
    first_entry = perform_act(database, slug, OPEN, seat=1)
    perform_act(database, slug, PERSON, seat=1, name=DAVE.name, address=DAVE.address)
    second_entry = perform_act(database, slug, OPEN, seat=1)
    with pytest.raises(NotAllowed, match=DenialReason.CANNOT_BE_UNDONE.code):
        undo_act(database, slug, OPEN, first_entry)
    assert not _may_see(database, slug, guests[1])
    undo_act(database, slug, OPEN, second_entry)
    assert _may_see(database, slug, dave)


def test_seat_is_not_given_back_to_a_deleted_account(
    database: Database, guests: list[Guest], slug: str
) -> None:
    opening_entry = perform_act(database, slug, OPEN, seat=1)
    bob = guests[1].person
    with transaction(database) as tx:
        delete_account(tx, bob, typed_address=bob.address)
    with pytest.raises(NotAllowed, match=DenialReason.CANNOT_BE_UNDONE.code):
        undo_act(database, slug, OPEN, opening_entry)


def test_banned_person_gets_no_seat_until_the_ban_has_passed(
    database: Database, guests: list[Guest], slug: str
) -> None:
    dave = sign_in_guest(database, DAVE)
    with transaction(database) as tx:
        sanctions.set_ban(tx, dave.person.id, NOON + HOUR)
    substitute_fields = {"seat": 1, "name": DAVE.name, "address": DAVE.address}
    with pytest.raises(NotAllowed, match=DenialReason.NO_SUCH_SUBSTITUTE.code):
        perform_act(database, slug, PERSON, **substitute_fields)
    perform_act(database, slug, PERSON, now=NOON + HOUR, **substitute_fields)
