"""Requests at the same time do not exceed a limit together: each limit counts under a lock."""

import secrets
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import func, select

from tests.support.blocked_requests import wait_until_blocked_or_done
from tests.support.cast import ALICE, BOB
from tests.support.clubs import club_profile, found_club
from tests.support.experience import finish_games
from tests.support.factories import (
    DAY,
    Guest,
    deal_game,
    sign_in_guest,
    sign_in_guests,
    table_settings,
)
from tests.support.lobby_actions import queued_emails
from tests.support.transactions import KEYS, NOON, transaction, using
from webapp.clubs import founding, joining
from webapp.clubs.access import find_club
from webapp.clubs.schema import Membership
from webapp.kernel.keyring import TokenSource
from webapp.kernel.refusals import DenialReason, FieldErrors, NotAllowed
from webapp.kernel.tx import Database, Tx
from webapp.lobby import new_table
from webapp.lobby.invitations import invite
from webapp.moderation.new_reports import MAX_REPORTS_PER_DAY, Complaint, send_report
from webapp.play.access import game_for
from webapp.play.reported_table import reported_table
from webapp.play.schema import Game
from webapp.site.queries import settings

_LIMIT = 2
_REQUESTS = 6


def _set_limit(database: Database, name: str) -> None:
    with transaction(database) as tx:
        settings.store_values(tx, {name: _LIMIT})


def _accepted_count(act: Callable[[int], object], count: int = _REQUESTS) -> int:
    """Do something as often at the same time; return how often it was accepted."""

    def is_accepted(number: int) -> bool:
        try:
            act(number)
        except (NotAllowed, FieldErrors):
            return False
        return True

    with ThreadPoolExecutor(count) as pool:
        return sum(pool.map(is_accepted, range(count)))


@pytest.mark.parametrize("limit_name", ["most_open_tables", "most_games"])
def test_tables_that_are_opened_at_once(database: Database, limit_name: str) -> None:
    alice = sign_in_guest(database, ALICE)
    finish_games(database, alice.person, count=_REQUESTS)
    _set_limit(database, limit_name)

    def open_table(_: int) -> None:
        source = TokenSource(KEYS, secrets.token_bytes)
        with transaction(database) as tx:
            new_table.open_table(using(tx, source=source), alice.person, table_settings())

    assert _accepted_count(open_table) == _LIMIT
    with transaction(database) as tx:
        open_games = select(func.count()).select_from(Game).where(Game.status == "open")
        assert tx.execute(open_games).scalar_one() == _LIMIT


@pytest.mark.parametrize("limit_name", ["most_invited", "most_invited_a_day"])
def test_invitations_that_are_sent_at_once(database: Database, limit_name: str) -> None:
    alice = sign_in_guest(database, ALICE)
    finish_games(database, alice.person, count=_REQUESTS)
    with transaction(database) as tx:
        source = TokenSource(KEYS, secrets.token_bytes)
        slugs = [
            new_table.open_table(using(tx, source=source), alice.person, table_settings())
            for _ in range(_REQUESTS)
        ]
    _set_limit(database, limit_name)

    def send(number: int) -> None:
        slug = slugs[0] if limit_name == "most_invited" else slugs[number]
        source = TokenSource(KEYS, secrets.token_bytes)
        with transaction(database) as tx:
            game = game_for(tx, slug, alice.person, mode="change").game
            address = f"guest{number}@example.org"
            invite(using(tx, source=source), game, alice.person, address=address)

    assert _accepted_count(send) == _LIMIT
    assert len(queued_emails(database, "invitation")) == _LIMIT


def test_clubs_that_are_founded_at_once(database: Database) -> None:
    alice = sign_in_guest(database, ALICE)
    _set_limit(database, "most_clubs")

    def found(number: int) -> None:
        with transaction(database) as tx:
            founding.found_club(
                tx,
                alice.person,
                club_profile(name=f"Shift of {'abcdef'[number]}"),
                form_token=f"form {number}",
            )

    assert _accepted_count(found) == _LIMIT


def test_clubs_that_are_joined_at_once(database: Database) -> None:
    founder, bob = sign_in_guests(database, ALICE, BOB)
    slugs = [
        found_club(
            database,
            founder,
            club_profile(name=f"Shift of {character}"),
            form_token=character,
            now=NOON + days * DAY,
        )
        for days, character in enumerate("abcdef")
    ]
    _set_limit(database, "most_clubs")

    def join(number: int) -> None:
        with transaction(database) as tx:
            access = find_club(tx, slugs[number], bob.person, mode="change")
            joining.join_club(tx, access, bob.person)

    assert _accepted_count(join) == _LIMIT
    with transaction(database) as tx:
        memberships = select(func.count()).select_from(Membership)
        own_memberships = memberships.where(Membership.account_id == bob.person.id)
        assert tx.execute(own_memberships).scalar_one() == _LIMIT


def test_report_waits_for_another_one_that_uses_up_the_limit(
    database: Database, guests: list[Guest]
) -> None:
    slugs = [deal_game(database, guests) for _ in range(MAX_REPORTS_PER_DAY + 1)]

    def report_in(tx: Tx, number: int) -> None:
        _, table = reported_table(tx.at(NOON), slugs[number], guests[0].person)
        send_report(tx.at(NOON), guests[0].person, table, Complaint("stalling", 1, "slow"))

    def outcome_of_report(number: int) -> str | DenialReason:
        try:
            with transaction(database) as tx:
                report_in(tx, number)
        except NotAllowed as refusal:
            return refusal.reason
        return "sent"

    for number in range(MAX_REPORTS_PER_DAY - 1):
        assert outcome_of_report(number) == "sent"
    with ThreadPoolExecutor(1) as pool:
        with transaction(database) as tx:
            report_in(tx, MAX_REPORTS_PER_DAY - 1)
            future = pool.submit(outcome_of_report, MAX_REPORTS_PER_DAY)
            wait_until_blocked_or_done(database, future)
        assert future.result() == DenialReason.TOO_MANY_REPORTS
