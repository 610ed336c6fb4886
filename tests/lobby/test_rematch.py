import secrets
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import func, select, update

from engine.rulebook import HouseRules
from tests.support.cast import BOB, CAROL, DAVE
from tests.support.factories import (
    Guest,
    deal_game,
    play_to_end,
    sign_in_guest,
    stored_game,
    table_settings,
)
from tests.support.lobby_actions import lobby_of
from tests.support.transactions import KEYS, NOON, transaction, using
from webapp.accounts.blocks import block_account
from webapp.accounts.schema import Account
from webapp.kernel.game_status import GameStatus
from webapp.kernel.refusals import DenialReason, NotAllowed
from webapp.kernel.tx import Database
from webapp.lobby.host_actions import cancel_table
from webapp.lobby.invitations import InvitationPage, invitation_page, invitation_token
from webapp.lobby.rematch import play_again
from webapp.lobby.schema import Invitation
from webapp.mail.schema import Notification
from webapp.play import access
from webapp.play.schema import Game

ONE_ROUND = HouseRules(rounds=1, open_gold=True)


def finished_game(database: Database, guests: Sequence[Guest], *, seats: int = 3) -> str:
    settings = table_settings(seats=seats, rulebook="en-2004", house=ONE_ROUND)
    slug = deal_game(database, list(guests), settings)
    play_to_end(database, slug, guests)
    return slug


def rematch(database: Database, slug: str, guest: Guest) -> str:
    with transaction(database) as tx:
        loaded_game = access.game_for(tx, slug, guest.cookie, mode="change")
        return play_again(using(tx, random_bytes=secrets.token_bytes), loaded_game)


def emailed_addresses(database: Database, slug: str) -> set[str]:
    """Return the addresses to which invitations to a table are sent."""
    query = (
        select(Invitation.address)
        .join(Game, Game.id == Invitation.game_id)
        .join(Notification, Notification.dedup_key == Invitation.id)
        .where(Game.slug == slug, Notification.kind == "invitation")
    )
    with transaction(database) as tx:
        return {address for address in tx.execute(query).scalars() if address}


def test_rematch_has_the_settings_of_the_finished_game(
    database: Database, guests: list[Guest]
) -> None:
    slug = finished_game(database, guests)
    old_row = stored_game(database, slug, guests[0]).row
    row = stored_game(database, rematch(database, slug, guests[1]), guests[1]).row
    assert (row.rulebook, row.house, row.pace, row.seat_count) == (
        old_row.rulebook,
        old_row.house,
        old_row.pace,
        old_row.seat_count,
    )
    assert (row.status, row.host_id, row.seats[0].name) == ("open", guests[1].person.id, "Bob")


def test_others_get_an_invitation_and_the_host_sees_no_address(
    database: Database, guests: list[Guest]
) -> None:
    slug = rematch(database, finished_game(database, guests), guests[0])
    assert emailed_addresses(database, slug) == {BOB.address, CAROL.address}
    cards = lobby_of(database, slug, guests[0]).sent_invitations
    assert sorted(card.label for card in cards) == ["Bob", "Carol"]


def test_link_of_another_player_names_its_owner_and_shows_no_part_of_an_address(
    database: Database, guests: list[Guest]
) -> None:
    slug = rematch(database, finished_game(database, guests), guests[0])
    dave = sign_in_guest(database, DAVE, now=NOON)
    with transaction(database) as tx:
        nonce = tx.execute(
            select(Invitation.nonce)
            .join(Game, Game.id == Invitation.game_id)
            .where(Game.slug == slug, Invitation.address == CAROL.address)
        ).scalar_one()
        token = invitation_token(nonce, KEYS)
        page = invitation_page(tx, token, dave.person)
        page_of_owner = invitation_page(tx, token, guests[2].person)
    assert isinstance(page, InvitationPage)
    assert isinstance(page_of_owner, InvitationPage)
    assert (page.sent_to, page_of_owner.sent_to) == ("Carol", None)


def test_second_player_joins_the_table_of_the_first(
    database: Database, guests: list[Guest]
) -> None:
    slug = finished_game(database, guests)
    slugs = [rematch(database, slug, guest) for guest in (guests[0], guests[0], guests[1])]
    assert len(set(slugs)) == 1
    row = stored_game(database, slugs[0], guests[0]).row
    assert [seat.name for seat in row.seats] == ["Alice", "Bob", None]
    cards = lobby_of(database, slugs[0], guests[0]).sent_invitations
    assert {card.label: card.is_accepted for card in cards} == {"Bob": True, "Carol": False}


def test_two_players_at_once_get_one_table(database: Database, guests: list[Guest]) -> None:
    slug = finished_game(database, guests)
    with ThreadPoolExecutor(3) as pool:
        slugs = list(pool.map(lambda guest: rematch(database, slug, guest), guests))
    assert len(set(slugs)) == 1
    row = stored_game(database, slugs[0], guests[0]).row
    assert row.status == GameStatus.READY_CHECK
    with transaction(database) as tx:
        assert tx.execute(select(func.count(Game.rematch_of))).scalar_one() == 1


def test_bots_are_seated_again_at_their_levels(database: Database, guests: list[Guest]) -> None:
    slug = finished_game(database, guests[:2], seats=4)
    bots = [
        (seat.bot_name, seat.bot_level)
        for seat in stored_game(database, slug, guests[0]).row.seats
        if seat.is_bot
    ]
    row = stored_game(database, rematch(database, slug, guests[0]), guests[0]).row
    assert [(seat.bot_name, seat.bot_level) for seat in row.seats if seat.is_bot] == bots
    assert row.status == GameStatus.OPEN


def test_rematch_with_bots_alone_is_dealt_at_once(database: Database, guests: list[Guest]) -> None:
    slug = finished_game(database, guests[:1])
    row = stored_game(database, rematch(database, slug, guests[0]), guests[0]).row
    assert row.status == GameStatus.RUNNING
    assert row.seats[0].salt


def test_cancelled_rematch_can_be_opened_again(database: Database, guests: list[Guest]) -> None:
    slug = finished_game(database, guests)
    first_slug = rematch(database, slug, guests[0])
    with transaction(database) as tx:
        game = access.game_for(tx, first_slug, guests[0].cookie, mode="change").game
        cancel_table(tx, game, guests[0].person)
    assert rematch(database, slug, guests[1]) != first_slug


def test_running_game_has_no_rematch(database: Database, slug: str, guests: list[Guest]) -> None:
    with pytest.raises(NotAllowed) as refusal:
        rematch(database, slug, guests[0])
    assert refusal.value.reason == DenialReason.GAME_NOT_OVER


def test_onlooker_cannot_ask_for_a_rematch(database: Database, guests: list[Guest]) -> None:
    slug = finished_game(database, guests)
    with transaction(database) as tx:
        tx.execute(update(Game).values(public=True))
    with pytest.raises(NotAllowed) as refusal:
        rematch(database, slug, sign_in_guest(database, DAVE))
    assert refusal.value.reason == DenialReason.NOT_SEATED


def test_player_who_has_blocked_the_host_gets_no_email(
    database: Database, guests: list[Guest]
) -> None:
    alice, bob, carol = guests
    slug = finished_game(database, guests)
    for blocker, blocked in ((bob, alice), (alice, carol)):
        with transaction(database) as tx:
            block_account(
                using(tx, random_bytes=secrets.token_bytes),
                blocker.person,
                blocked.person.id,
                name=blocked.person.name,
            )
    new_slug = rematch(database, slug, alice)
    assert emailed_addresses(database, new_slug) == set()
    assert [card.label for card in lobby_of(database, new_slug, alice).sent_invitations] == ["Bob"]


def test_renamed_player_keeps_the_name_of_the_finished_game_if_the_new_one_is_taken(
    database: Database, guests: list[Guest]
) -> None:
    slug = finished_game(database, guests)
    with transaction(database) as tx:
        is_bob = Account.id == guests[1].person.id
        tx.execute(update(Account).where(is_bob).values(name="A1ice"))
    new_slug = rematch(database, slug, guests[0])
    rematch(database, slug, guests[1])
    assert stored_game(database, new_slug, guests[0]).row.seats[1].name == "Bob"


def test_limit_of_emails_is_kept_and_not_shown(database: Database, guests: list[Guest]) -> None:
    slugs = [finished_game(database, guests) for _ in range(4)]
    new_slugs = [rematch(database, slug, guests[0]) for slug in slugs]
    assert [len(emailed_addresses(database, slug)) for slug in new_slugs] == [2, 0, 0, 0]
    for slug in new_slugs:
        assert len(lobby_of(database, slug, guests[0]).sent_invitations) == 2
