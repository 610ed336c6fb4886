import secrets
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from engine.commitments import SECRET_LABELS, commitment
from engine.rulebooks.catalogue import RULEBOOKS
from tests.support.cast import ALICE, BOB
from tests.support.factories import (
    DAY,
    Guest,
    deal_game,
    emailed_code,
    enter_code,
    open_table,
    request_sign_in_email,
    sign_in_guest,
    sign_in_guests,
    stored_game,
    table_settings,
)
from tests.support.lobby_actions import denial_of, lobby_of, take_lobby_action
from tests.support.transactions import KEYS, NOON, read_only, transaction, using
from webapp.accounts.sessions import OpenedSession
from webapp.clock.pace.pace import MAX_TIME_PER_TURN, MIN_TIME_PER_TURN
from webapp.kernel.keyring import TokenSource
from webapp.kernel.refusals import DenialReason, FieldErrors, NotAllowed
from webapp.kernel.site_settings import SiteSettings
from webapp.kernel.tx import Database
from webapp.lobby import new_table
from webapp.lobby.host_actions import cancel_table
from webapp.lobby.new_table import TABLES_PER_DAY, TableSettings
from webapp.play.access import game_for
from webapp.play.views.fairness_page import fairness_page


def test_host_gets_the_first_seat_and_sees_the_commitments(database: Database) -> None:
    alice = sign_in_guest(database, ALICE)
    slug = open_table(database, alice)
    page = lobby_of(database, slug, alice)
    assert (page.seat, page.table.taken, page.table.status) == (0, 1, "open")
    assert page.table.host == "Alice"
    with read_only(database) as tx:
        commitments = fairness_page(tx, slug, alice.cookie).commitments
    assert [commitment.label for commitment in commitments] == list(SECRET_LABELS)


def test_form_sent_four_times_at_once_opens_one_table(database: Database) -> None:
    alice, bob = sign_in_guests(database, ALICE, BOB)
    source = TokenSource(KEYS, secrets.token_bytes)

    def send(guest: Guest, seats: int = 3) -> str:
        with transaction(database) as tx:
            settings = table_settings(seats=seats)
            return new_table.open_table(
                using(tx, source=source), guest.person, settings, form_token="one form"
            )

    with ThreadPoolExecutor(4) as pool:
        [slug] = set(pool.map(send, [alice] * 4))
    assert lobby_of(database, slug, alice).table.taken == 1
    assert len({slug, send(alice), send(bob), send(alice, 4)}) == 3


def test_secrets_shown_after_cancelling_match_the_commitments(database: Database) -> None:
    alice = sign_in_guest(database, ALICE)
    slug = open_table(database, alice)
    with read_only(database) as tx:
        shown_commitments = fairness_page(tx, slug, alice.cookie).commitments
    take_lobby_action(database, slug, alice, "cancel_table")
    with read_only(database) as tx:
        opened_secrets = fairness_page(tx, slug, alice.cookie).secrets
    commitments = [
        commitment(slug, secret.label, bytes.fromhex(secret.secret)) for secret in opened_secrets
    ]
    assert commitments == [shown_commitment.digest for shown_commitment in shown_commitments]


def test_secrets_are_hidden_before_the_deal_and_during_the_game(
    database: Database, guests: list[Guest]
) -> None:
    for slug in (open_table(database, guests[0]), deal_game(database, guests)):
        with read_only(database) as tx:
            assert fairness_page(tx, slug, guests[0].cookie).secrets == ()


@pytest.mark.parametrize(
    "settings, field",
    [
        (table_settings(rulebook="xx-1999"), "rulebook"),
        (table_settings(seats=2), "seats"),
        (table_settings(seats=11), "seats"),
        (table_settings(seats=-3), "seats"),
        (table_settings(starter=3), "starter"),
        (table_settings(starter=-1), "starter"),
        (table_settings(allowance=MIN_TIME_PER_TURN - timedelta(seconds=1)), "allowance"),
        (table_settings(allowance=MAX_TIME_PER_TURN + timedelta(seconds=1)), "allowance"),
        (table_settings(allowance=timedelta(days=-1)), "allowance"),
    ],
)
def test_impossible_table_settings_are_refused(
    database: Database, settings: TableSettings, field: str
) -> None:
    alice = sign_in_guest(database, ALICE)
    with pytest.raises(FieldErrors) as error_info:
        open_table(database, alice, settings)
    assert [error.field for error in error_info.value.errors] == [field]


def test_all_wrong_table_settings_are_reported_together(database: Database) -> None:
    alice = sign_in_guest(database, ALICE)
    settings = table_settings(rulebook="", seats=0, allowance=timedelta(0))
    with pytest.raises(FieldErrors) as error_info:
        open_table(database, alice, settings)
    assert [error.field for error in error_info.value.errors] == ["rulebook", "seats", "allowance"]


def test_person_without_a_name_can_neither_open_nor_join_a_table(database: Database) -> None:
    alice = sign_in_guest(database, ALICE)
    slug = open_table(database, alice, table_settings(public=True))
    with transaction(database) as tx:
        request_sign_in_email(tx, BOB)
        outcome = enter_code(tx, emailed_code(tx, BOB), browser=BOB.browser)
    assert isinstance(outcome, OpenedSession)
    nameless_guest = Guest(outcome.person, outcome.token)
    with pytest.raises(NotAllowed) as error_info:
        open_table(database, nameless_guest)
    assert error_info.value.reason is DenialReason.NO_NAME
    assert denial_of(database, slug, nameless_guest, "take_seat") is DenialReason.NO_NAME


def test_host_cannot_open_more_tables_than_the_limit(database: Database) -> None:
    alice = sign_in_guest(database, ALICE)
    for _ in range(SiteSettings().most_open_tables):
        open_table(database, alice)
    with pytest.raises(NotAllowed) as error_info:
        open_table(database, alice)
    assert error_info.value.reason is DenialReason.TOO_MANY_TABLES


def test_tables_that_were_cancelled_count_among_those_of_a_day(database: Database) -> None:
    alice = sign_in_guest(database, ALICE)
    for _ in range(TABLES_PER_DAY):
        slug = open_table(database, alice)
        with transaction(database) as tx:
            game = game_for(tx, slug, alice.person, mode="change").game
            cancel_table(tx, game, alice.person)
    with pytest.raises(NotAllowed) as error_info:
        open_table(database, alice)
    assert error_info.value.reason is DenialReason.OPENED_ENOUGH_TODAY
    assert open_table(database, alice, now=NOON + DAY)


def test_slugs_are_random_and_long(database: Database) -> None:
    alice = sign_in_guest(database, ALICE)
    slugs = {open_table(database, alice) for _ in range(20)}
    assert len(slugs) == 20
    assert {len(slug) for slug in slugs} == {12}
    assert not any(slug.isdigit() for slug in slugs)


@pytest.mark.parametrize("rulebook", sorted(RULEBOOKS))
@pytest.mark.parametrize("seats", [3, 10])
def test_every_rulebook_can_be_dealt(database: Database, rulebook: str, seats: int) -> None:
    alice = sign_in_guest(database, ALICE)
    slug = deal_game(
        database, [alice], table_settings(rulebook=rulebook, seats=seats, starter=None)
    )
    game = stored_game(database, slug, alice)
    assert (game.status, game.state.rulebook, game.state.seats) == ("running", rulebook, seats)
