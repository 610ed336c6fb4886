"""The data of an observed site before its running game is stored: people, games, tables, an invitation and a sign-in."""

from typing import NamedTuple

from sqlalchemy import text

from tests.leaks.stored_game_pairs import SEATED_CHARACTERS
from tests.support.acts import as_moderator
from tests.support.cast import MALLORY, MO, Character
from tests.support.caused_emails import (
    cause_act_emails,
    cause_cancelled_table_email,
    cause_club_request_emails,
    cause_leaving_emails,
    cause_report_answer_emails,
    cause_seat_offer_emails,
    cause_waiting_table_email,
)
from tests.support.clubs import (
    club_profile,
    found_club,
    join_club,
    locked_club_access,
    membership_of,
)
from tests.support.factories import (
    Guest,
    confirm_ready,
    deal_game,
    open_table,
    seat_guest,
    sign_in_guests,
    table_settings,
)
from tests.support.late_games import let_time_run_out, set_late_rules
from tests.support.moderation import make_moderator
from tests.support.outages import cause_moved_deadline_emails
from tests.support.transactions import KEYS, seeded_tokens, transaction, using
from webapp.accounts.sign_in import Browser, SignInRequest, request_sign_in
from webapp.clubs import members
from webapp.clubs.announcements import announce
from webapp.clubs.invitations import invite_to_club
from webapp.clubs.lists import members_page
from webapp.kernel.keyring import TokenSource
from webapp.kernel.tx import Database
from webapp.lobby import invitations
from webapp.moderation.new_reports import Complaint, report_message, send_report
from webapp.play import access
from webapp.play.reported_table import reported_table
from webapp.play.talk.private_notes import private_notes, save_note, set_mark
from webapp.play.talk.talk import MessageInput, send_message

RULEBOOK = "uk-2017"
MAX_THE_MODERATOR = Character("Max", "max-the-moderator@hidden.example")
ZOE = Character("Zoe", "zoe-the-invited@hidden.example")
CLARA = Character("Clara", "clara-the-club-moderator@hidden.example")
WAITING_REPORT_ID = len(SEATED_CHARACTERS) + 1
"""The number of the report that no moderator has decided on; those before it are answered."""
MESSAGE_REPORT_ID = WAITING_REPORT_ID + 1
"""The number of the report about what seat 2 said."""
REPORTED_SEAT = 2
SALTS = {1: "salt-of-bob-9f3", 2: "salt-of-carol-71c"}


class SeedData(NamedTuple):
    """The database, its people and the slugs of its games."""

    url: str
    seated_guests: list[Guest]
    mallory: Guest
    moderator: Guest
    """A site moderator, who plays nowhere."""
    club_moderator: Guest
    """A moderator of the public club, who plays nowhere."""
    running_slug: str
    """A public game of the four; its position is replaced later."""
    private_slug: str
    lobby_slug: str
    """Bob's private table: Carol has a seat, Zoe is invited."""
    ready_check_slug: str
    """Bob's table in its ready-check; Bob and Carol have confirmed with a salt."""
    club_slug: str
    """Bob's public club, with Carol as a member and an announcement."""
    private_club_slug: str
    """Bob's private club, with Carol as a member and Zoe invited."""
    club_link_token: str
    """The token of the private club's link."""
    offer_token: str
    """The token of a link with which Alice offers Bob's former seat in another private game."""
    open_seat_slug: str
    """Another private game of the four, in which Alice's seat is open for volunteers."""


def seed(url: str) -> SeedData:
    """Fill a migrated, empty database and return what is in it."""
    database = Database(url, pool_size=2)
    _set_first_ids(database)
    seated_guests = sign_in_guests(database, *SEATED_CHARACTERS)
    mallory, moderator, club_moderator = sign_in_guests(database, MALLORY, MAX_THE_MODERATOR, CLARA)
    make_moderator(database, MAX_THE_MODERATOR)
    running_slug = deal_game(
        database, seated_guests, table_settings(seats=4, public=True, rulebook=RULEBOOK)
    )
    private_slug = deal_game(database, seated_guests, table_settings(seats=4))
    new_seed_data = SeedData(
        url,
        seated_guests,
        mallory,
        moderator,
        club_moderator,
        running_slug,
        private_slug,
        _table_with_invitation(database, seated_guests),
        _table_in_ready_check(database, seated_guests),
        *_found_clubs(database, seated_guests, club_moderator),
        cause_seat_offer_emails(database, seated_guests),
        _game_with_open_seat(database, seated_guests),
    )
    _add_moderation_records(database, new_seed_data)
    _add_talk(database, new_seed_data)
    for seat, guest in enumerate(seated_guests):
        write_note(database, running_slug, guest, seat)
    cause_leaving_emails(database, seated_guests)
    cause_moved_deadline_emails(database, seated_guests)
    cause_cancelled_table_email(database, seated_guests[0], seated_guests[2])
    cause_waiting_table_email(database, seated_guests[0], seated_guests[2])
    cause_club_request_emails(database, seated_guests[2], seated_guests[3])
    _request_sign_in_of_mo(database)
    database.dispose()
    return new_seed_data


def note_of(seat: int) -> str:
    """Return the private note of a seat about the running game."""
    return f"private-note-of-seat-{seat}-4d7"


def write_note(database: Database, slug: str, guest: Guest, seat: int) -> None:
    """Let a player write a private note, and suspect the player on their left."""
    with transaction(database) as tx:
        table = access.game_for(tx, slug, guest.cookie)
        empty_note = private_notes(table)
        assert empty_note is not None
        save_note(tx, table, note_of(seat), replaced_version=empty_note.version)
        suspected_seat = (seat + 1) % table.game.row.seat_count
        set_mark(tx, table, suspected_seat, "suspect", round_number=1)


def _game_with_open_seat(database: Database, seated_guests: list[Guest]) -> str:
    slug = deal_game(database, seated_guests, table_settings(seats=4, public=True))
    set_late_rules(database, slug)
    let_time_run_out(database, slug)
    return slug


def _set_first_ids(database: Database) -> None:
    """Start ids at numbers that occur nowhere else on a page."""
    first_ids = {
        "account": 734001700,
        "game": 835001700,
        "notification": 936001700,
        "session": 637001700,
    }
    with transaction(database) as tx:
        for table, number in first_ids.items():
            alter_statement = f"ALTER TABLE {table} ALTER COLUMN id RESTART WITH {number}"
            tx.execute(text(alter_statement))


def _table_with_invitation(database: Database, seated_guests: list[Guest]) -> str:
    slug = open_table(database, seated_guests[1], table_settings(seats=4))
    seat_guest(database, slug, seated_guests[2])
    with transaction(database) as tx:
        game = access.find_game(tx, slug, seated_guests[1].cookie, mode="change").game
        invitations.invite(
            using(tx, random_bytes=seeded_tokens("zoe")),
            game,
            seated_guests[1].person,
            address=ZOE.address,
        )
    return slug


def _table_in_ready_check(database: Database, seated_guests: list[Guest]) -> str:
    slug = open_table(database, seated_guests[1], table_settings(seats=3))
    seat_guest(database, slug, seated_guests[2])
    seat_guest(database, slug, seated_guests[3])
    for seat, salt in SALTS.items():
        confirm_ready(database, slug, seated_guests[seat], salt=salt)
    return slug


def _add_moderation_records(database: Database, new_seed_data: SeedData) -> None:
    """Let a moderator act on the running game, and answer all reports but one."""
    moderator = Guest(as_moderator(new_seed_data.moderator.person), new_seed_data.moderator.cookie)
    cause_act_emails(database, new_seed_data.running_slug)
    cause_report_answer_emails(
        database, new_seed_data.running_slug, new_seed_data.seated_guests, moderator
    )
    with transaction(database) as tx:
        _, table = reported_table(tx, new_seed_data.running_slug, new_seed_data.mallory.person)
        complaint = Complaint("other", None, "They never finish a round.")
        send_report(tx, new_seed_data.mallory.person, table, complaint)


def talk_of(seat: int) -> str:
    """Return what this seat says at the running table."""
    return f"talk-of-seat-{seat}-c41"


def _add_talk(database: Database, new_seed_data: SeedData) -> None:
    """Let three seats write at the running table, and the fourth report what the last of them says."""
    slug, guests = new_seed_data.running_slug, new_seed_data.seated_guests
    with transaction(database) as tx:
        for seat in range(REPORTED_SEAT + 1):
            message = MessageInput(talk_of(seat), f"talk {seat}")
            send_message(tx, access.game_for(tx, slug, guests[seat].cookie), message)
        reporter = guests[REPORTED_SEAT + 1].person
        _, table = reported_table(tx, slug, reporter, REPORTED_SEAT + 1)
        assert table.message is not None
        report_message(tx, reporter, table.game_id, table.message, "An insult.")


def _found_clubs(
    database: Database, seated_guests: list[Guest], moderator: Guest
) -> tuple[str, str, str]:
    """Found two clubs, the first with a moderator; return their slugs, and the token of the link to the second."""
    public = found_club(database, seated_guests[1], club_profile(name="Open pit", is_public=True))
    private_slug = found_club(database, seated_guests[1], club_profile(name="Closed shaft"))
    for slug in (public, private_slug):
        join_club(database, slug, seated_guests[2])
    join_club(database, public, moderator)
    membership = membership_of(database, public, moderator)
    with transaction(database) as tx:
        members.set_moderator(
            tx, locked_club_access(tx, public, seated_guests[1]), membership, as_moderator=True
        )
        announce(
            tx,
            locked_club_access(tx, public, seated_guests[1]),
            text="We dig on Tuesdays.",
        )
        access, source = (
            locked_club_access(tx, private_slug, seated_guests[1]),
            TokenSource(KEYS, seeded_tokens("club")),
        )
        invite_to_club(using(tx, source=source), access, address=ZOE.address)
        link = members_page(tx, access).link_token
    assert link is not None
    return public, private_slug, link


def _request_sign_in_of_mo(database: Database) -> None:
    with transaction(database) as tx:
        request = SignInRequest(address=MO.address, language="en", browser=Browser(key=MO.browser))
        request_sign_in(
            using(tx, random_bytes=seeded_tokens("mo")),
            request,
        )
