"""Emails caused as on a real site: by acts of moderators, answered reports, sanctions, clubs and changes of accounts."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import select

from engine.rulebook import HouseRules
from tasks import deadlines, delivery, replies
from tasks.context import WorkerContext
from tests.support.acts import perform_act, site_moderator
from tests.support.cast import DAVE
from tests.support.clubs import (
    answer_request,
    ask_to_join,
    club_profile,
    found_club,
    join_club,
    locked_club_access,
)
from tests.support.engine.random_players import mostly_digging_action
from tests.support.engine.seeded_random import SeededRng
from tests.support.factories import (
    Guest,
    deal_game,
    fill_with_bots,
    open_table,
    play_turn,
    seat_guest,
    sign_in_guest,
    stored_game,
    table_settings,
)
from tests.support.fakes import FakeClock
from tests.support.late_games import let_time_run_out, set_late_rules
from tests.support.outages import cause_moved_deadline_emails
from tests.support.seat_offers import offer_seat
from tests.support.transactions import KEYS, NOON, seeded_tokens, transaction, using
from tests.support.volunteers import cause_open_seats_email
from tests.support.votes import answer_as, propose_as
from webapp.accounts.address_change import request_change
from webapp.accounts.identity import request_identity_code
from webapp.accounts.queries import accounts
from webapp.accounts.queries.address_changes import find_open_change
from webapp.accounts.schema import Account
from webapp.accounts.sessions import Device
from webapp.accounts.sign_in import Browser, SignInRequest, request_sign_in
from webapp.clubs.announcements import announce
from webapp.clubs.founding import record_site_act
from webapp.clubs.invitations import invite_to_club
from webapp.kernel.keyring import TokenSource, hash_of
from webapp.kernel.rights import GameRight
from webapp.kernel.tx import Database, Tx
from webapp.lobby.host_actions import RemovalRequest, cancel_table, removable_seats, remove_player
from webapp.lobby.invitations import invite
from webapp.lobby.queries import tables
from webapp.lobby.waiting_tables import (
    READY_CHECK_LASTS,
    WARNED_AFTER,
    handle_next_unanswered_check,
    handle_next_unfilled_table,
)
from webapp.mail.envelope import reply_token_of
from webapp.mail.inbound.receiving import Mailbox, receive
from webapp.mail.queries import outbox
from webapp.mail.queries.outbox import NewNotification
from webapp.mail.queries.replies import ReplyTokenRow, store_tokens
from webapp.moderation.new_reports import Complaint, send_report
from webapp.moderation.queries import sanctions
from webapp.moderation.report_decisions import dismiss_report, waiting_reports
from webapp.moderation.sanctions import SanctionRequest, sanction_person
from webapp.play.access import game_for
from webapp.play.leaving import leave_game
from webapp.play.reported_table import reported_table
from webapp.play.votes import VoteKind

_TURNS: Final = 18
"""How many turns are played before the emails of a game are caused."""


def cause_act_emails(database: Database, slug: str) -> None:
    """Announce something to a table and remind the player it waits for, as the operator."""
    perform_act(database, slug, GameRight.ANNOUNCE_TO_TABLE, reason="We move to a new server.")
    perform_act(database, slug, GameRight.NUDGE, reason="Three people are waiting.")


def complaint_of(seat: int) -> str:
    """Return what the guest in this seat writes in ``cause_report_answer_emails``."""
    return f"complaint-of-seat-{seat}-5be"


def cause_report_answer_emails(
    database: Database, slug: str, guests: Sequence[Guest], moderator: Guest
) -> None:
    """Let everyone at a table report the next player, and a moderator dismiss every report."""
    for seat, guest in enumerate(guests):
        complaint = Complaint("stalling", (seat + 1) % len(guests), complaint_of(seat))
        with transaction(database) as tx:
            _, table = reported_table(tx, slug, guest.person)
            send_report(tx, guest.person, table, complaint)
    with transaction(database) as tx:
        for report in waiting_reports(tx, moderator.person).shown:
            form_id = f"answer {report.id}"
            dismiss_report(tx, moderator.person, report.id, answer="Be patient.", form_id=form_id)


def ref_of(database: Database, guest: Guest) -> str:
    """Return the name of a person in the addresses of moderators' pages."""
    query = select(Account.ref).where(Account.id == guest.person.id)
    with transaction(database) as tx:
        return tx.execute(query).scalar_one()


def cause_sanction_emails(database: Database, guests: Sequence[Guest]) -> None:
    """Warn and ban everyone, and let them in again at once: a banned person gets hardly any other email."""
    for guest in guests:
        account_id, ref = guest.person.id, ref_of(database, guest)
        with transaction(database) as tx:
            warning = SanctionRequest("warn", "Mind your words.", f"warn {account_id}")
            ban = SanctionRequest("ban", "Mind your words.", f"ban {account_id}", days=7)
            sanction_person(tx, None, ref, warning)
            sanction_person(tx, None, ref, ban)
            sanctions.set_ban(tx, account_id, None)


def cause_lifted_ban_email(database: Database, guest: Guest) -> None:
    """Ban someone again and lift the ban."""
    account_id, ref = guest.person.id, ref_of(database, guest)
    with transaction(database) as tx:
        ban = SanctionRequest("ban", "Mind your words.", f"second ban {account_id}", days=7)
        unban = SanctionRequest("unban", "You apologized.", f"unban {account_id}")
        for sanction_request in (ban, unban):
            sanction_person(tx, None, ref, sanction_request)


def cause_seat_offer_emails(database: Database, guests: Sequence[Guest]) -> str:
    """Offer a seat to the last guest by email, and another one by link; return the token of the link."""
    slug_with_emailed_offer = deal_game(database, guests[:3])
    perform_act(database, slug_with_emailed_offer, GameRight.OPEN_SEAT, seat=1)
    offer_seat(database, slug_with_emailed_offer, address=guests[-1].person.address)
    slug_with_linked_offer = deal_game(database, guests[:3])
    perform_act(database, slug_with_linked_offer, GameRight.OPEN_SEAT, seat=1)
    return offer_seat(database, slug_with_linked_offer, by=guests[0])


def cause_leaving_emails(database: Database, guests: Sequence[Guest]) -> None:
    """Deal another game and let its last player leave it."""
    slug = deal_game(database, guests)
    with transaction(database) as tx:
        leave_game(tx, slug, guests[-1].person)


def cause_missed_turn_emails(database: Database, guests: Sequence[Guest]) -> None:
    """Deal two other games in which the first player misses a turn, in the second of them one too many."""
    for limit in (0, 1):
        slug = deal_game(database, guests)
        set_late_rules(database, slug, limit=limit)
        let_time_run_out(database, slug)


def cause_briefing_emails(database: Database, slug: str, guests: Sequence[Guest]) -> None:
    """Queue the email about what their seat has seen for everyone at a table, as if all had just taken over."""
    row = stored_game(database, slug, guests[0]).row
    briefings = [
        NewNotification(
            kind="briefing",
            game_id=row.id,
            seq=row.seq,
            account_id=seat.account_id,
            dedup_key=seat.number,
            due_at=NOON,
        )
        for seat in row.seats
        if seat.account_id is not None
    ]
    with transaction(database) as tx:
        outbox.enqueue(tx, briefings)


def cause_vote_emails(database: Database, guests: Sequence[Guest]) -> None:
    """Deal two other games with a vote: one is still open, the other declined."""
    open_slug, declined_slug = deal_game(database, guests), deal_game(database, guests)
    propose_as(database, declined_slug, guests[0], VoteKind.PAUSE)
    answer_as(database, declined_slug, guests[1], is_yes=False)
    propose_as(database, open_slug, guests[0], VoteKind.PAUSE)


def cause_cancelled_table_email(database: Database, host: Guest, guest: Guest) -> None:
    """Open another table, seat a guest, and cancel it."""
    slug = open_table(database, host)
    seat_guest(database, slug, guest)
    with transaction(database) as tx:
        game = game_for(tx, slug, host.person, mode="change").game
        cancel_table(tx, game, host.person)


def cause_waiting_table_email(database: Database, host: Guest, guest: Guest) -> None:
    """Open another table and seat a guest; it waits in vain, and its players are warned."""
    slug = open_table(database, host)
    seat_guest(database, slug, guest)
    with transaction(database) as tx:
        game_id = game_for(tx, slug, host.person).game.row.id
        tables.restart_waiting(tx.at(NOON - WARNED_AFTER), game_id)
        handle_next_unfilled_table(tx)


def cause_removed_player_email(database: Database, host: Guest, guest: Guest) -> None:
    """Open another table, seat a guest, and let the host remove them."""
    slug = open_table(database, host)
    seat_guest(database, slug, guest)
    with transaction(database) as tx:
        game = game_for(tx, slug, host.person, mode="change").game
        [seat] = removable_seats(game, host.person, KEYS)
        request = RemovalRequest(seat=seat.number, form_token=seat.form_token)
        remove_player(tx, game, host.person, request)


def cause_unanswered_check_emails(database: Database, host: Guest, guest: Guest) -> None:
    """Open another table, seat a guest, and fill it with bots; the guest never confirms, and the host learns that."""
    slug = open_table(database, host)
    seat_guest(database, slug, guest)
    fill_with_bots(database, slug, host)
    with transaction(database) as tx:
        game_id = game_for(tx, slug, host.person).game.row.id
        tables.mark_waiting_warned(tx, game_id, waiting_since=NOON - 10 * READY_CHECK_LASTS)
        handle_next_unanswered_check(tx)


def cause_invitation_email(database: Database, host: Guest, address: str) -> None:
    """Open another table and invite an address to it."""
    slug = open_table(database, host)
    source = TokenSource(KEYS, seeded_tokens(f"invitation by {host.person.id}"))
    with transaction(database) as tx:
        game = game_for(tx, slug, host.person, mode="change").game
        invite(using(tx, source=source), game, host.person, address=address)


def cause_club_emails(database: Database, founder: Guest, member: Guest, address: str) -> None:
    """Found a club, announce something to its member, and invite someone to it."""
    slug = found_club(database, founder)
    join_club(database, slug, member)
    with transaction(database) as tx:
        club = locked_club_access(tx, slug, founder)
        announce(tx, club, text="We dig on Tuesdays.")
        source = TokenSource(KEYS, seeded_tokens(f"club of {founder.person.id}"))
        invite_to_club(using(tx, source=source), club, address=address)
    cause_club_request_emails(database, founder, member, name="Late shift")
    with transaction(database) as tx:
        club = locked_club_access(tx, slug, founder)
        record_site_act(tx, club, act="club-close", reason="No one plays here.")


def cause_club_invitation_email(database: Database, founder: Guest, address: str) -> None:
    """Found another club and invite someone to it."""
    slug = found_club(database, founder, club_profile(name="Early shift"))
    source = TokenSource(KEYS, seeded_tokens(f"other club of {founder.person.id}"))
    with transaction(database) as tx:
        club = locked_club_access(tx, slug, founder)
        invite_to_club(using(tx, source=source), club, address=address)


def cause_club_request_emails(
    database: Database, founder: Guest, guest: Guest, *, name: str = "Shift"
) -> None:
    """Let someone ask to join two public clubs; one admits them, the other declines. The founders' emails are made true."""
    for verb in ("approve", "refuse", "none"):
        profile = club_profile(name=f"{name} {verb}", is_public=True)
        slug = found_club(database, founder, profile)
        ask_to_join(database, slug, guest)
        if verb != "none":
            answer_request(database, slug, founder, guest, verb)


def cause_identity_code_email(database: Database, guest: Guest) -> None:
    """Let someone ask for the code that proves who they are."""
    source = TokenSource(KEYS, seeded_tokens(f"identity of {guest.person.id}"))
    with transaction(database) as tx:
        request_identity_code(using(tx, source=source), guest.person, token=guest.cookie)


def changed_address(seat: int) -> str:
    """Return the address to which the player in this seat moves in ``cause_address_change_emails``."""
    return f"moved-{seat}@example.test"


def cause_address_change_emails(database: Database, guests: Sequence[Guest]) -> None:
    """Queue the emails about a change of address for everyone, as if it had been carried out already."""
    for seat, guest in enumerate(guests):
        source = TokenSource(KEYS, seeded_tokens(f"change of {seat}"))
        with transaction(database) as tx:
            request_change(using(tx, source=source), guest.person, changed_address(seat))
            _queue_address_changed_email(tx, guest)


def _queue_address_changed_email(tx: Tx, guest: Guest) -> None:
    change = find_open_change(tx.at(NOON), guest.person.id)
    assert change is not None
    change_notification = NewNotification(
        kind="address-changed", game_id=None, account_id=None, dedup_key=change.id, due_at=NOON
    )
    outbox.enqueue(tx, [change_notification])


def cause_every_kind(worker: WorkerContext, guests: Sequence[Guest], clock: FakeClock) -> str:
    """Cause an email of every kind and deliver it: play a game to its end, and do around it what else sends emails.

    Return the slug of that game; its first player gets an email of every kind that players get.
    """
    database, rng = worker.database, SeededRng(1)
    slug = open_table(database, guests[0], table_settings(house=HouseRules(rounds=2)))
    _cause_emails_before_a_deal(database, slug, guests)
    delivery.deliver(worker)
    slug = deal_game(database, guests, table_settings(house=HouseRules(rounds=2)))
    while (game := stored_game(database, slug, guests[0])).row.awaiting != 0 or game.seq < _TURNS:
        _play_digging_turn(database, slug, guests, rng)
    delivery.deliver(worker)
    cause_answer_to_a_reply(worker, slug, guests[0])
    _cause_emails_around_a_game(database, slug, guests)
    delivery.deliver(worker)
    clock.now += timedelta(hours=20)
    deadlines.sweep_deadlines(worker)
    delivery.deliver(worker)
    while stored_game(database, slug, guests[0]).row.awaiting is not None:
        _play_digging_turn(database, slug, guests, rng, now=clock())
        delivery.deliver(worker)
    return slug


def cause_answer_to_a_reply(worker: WorkerContext, slug: str, guest: Guest) -> None:
    """Answer the email about a guest's turn with a command that is impossible, so that the game stands as it stood."""
    row = stored_game(worker.database, slug, guest).row
    account_id, game_id, seq = guest.person.id, row.id, row.turn_seq
    token = reply_token_of(game_id, account_id, seq, worker.keys)
    with transaction(worker.database) as tx:
        account = accounts.find(tx, account_id)
        assert account is not None
        message = f"From: {account.address}\r\n\r\nlay 7 at Z9\r\n"
        token_row = ReplyTokenRow(
            token_hash=hash_of(token),
            account_id=account_id,
            game_id=game_id,
            seq=seq,
        )
        store_tokens(tx, [token_row])
        receive(
            tx.at(worker.now()),
            Mailbox(token_hash=hash_of(token)),
            message.encode(),
            is_vouched=True,
        )
    replies.read_replies(worker)


def _play_digging_turn(
    database: Database, slug: str, guests: Sequence[Guest], rng: SeededRng, now: datetime = NOON
) -> None:
    game = stored_game(database, slug, guests[0])
    assert game.row.awaiting is not None
    action = mostly_digging_action(game.state, rng)
    play_turn(database, slug, guests[game.row.awaiting], action, now=now)


def _cause_emails_before_a_deal(database: Database, slug: str, guests: Sequence[Guest]) -> None:
    with transaction(database) as tx:
        request = SignInRequest(
            address=guests[0].person.address,
            language="en",
            browser=Browser(key="browser", device=Device(user_agent="Firefox", network_address="")),
        )
        tokens = seeded_tokens("sign-in")
        request_sign_in(using(tx, random_bytes=tokens), request)
    cause_invitation_email(database, guests[0], DAVE.address)
    for guest in guests[1:]:
        seat_guest(database, slug, guest)


def _cause_emails_around_a_game(database: Database, slug: str, guests: Sequence[Guest]) -> None:
    """Cause all emails that do not come from playing."""
    host, *others = guests
    cause_act_emails(database, slug)
    cause_report_answer_emails(database, slug, guests, site_moderator(database))
    cause_sanction_emails(database, guests)
    cause_lifted_ban_email(database, host)
    cause_leaving_emails(database, guests)
    cause_missed_turn_emails(database, guests)
    cause_vote_emails(database, guests)
    cause_cancelled_table_email(database, others[0], host)
    cause_waiting_table_email(database, host, others[0])
    cause_removed_player_email(database, others[0], host)
    cause_unanswered_check_emails(database, host, others[0])
    cause_unanswered_check_emails(database, others[0], host)
    cause_briefing_emails(database, slug, guests)
    cause_moved_deadline_emails(database, guests)
    dave = sign_in_guest(database, DAVE)
    cause_open_seats_email(database, dave, guests)
    cause_club_emails(database, others[0], host, DAVE.address)
    cause_seat_offer_emails(database, [*guests[:3], dave])
    cause_identity_code_email(database, host)
    cause_address_change_emails(database, guests)
