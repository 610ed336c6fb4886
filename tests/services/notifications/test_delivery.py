import secrets
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import pytest
from sqlalchemy import select

from engine.rulebook import HouseRules
from engine.view import legal_actions
from tests.support.cast import ALICE, BOB, CAROL, DAVE
from tests.support.factories import (
    DAY,
    KEYS,
    NOON,
    Guest,
    confirm_ready,
    deal_game,
    emailed_code,
    enter_code,
    open_table,
    pick_first,
    play_to_end,
    play_turn,
    request_sign_in_email,
    seat_guest,
    sign_in_guest,
    sign_in_guests,
    stored_game,
    table_settings,
)
from webapp.services.accounts.profile import change_profile
from webapp.services.accounts.sessions import SignedIn
from webapp.services.accounts.sign_in import Browser, sign_in_by_link
from webapp.services.keys import TokenSource
from webapp.services.lobby.host_actions import cancel_table
from webapp.services.lobby.invitations import accept_invitation, invite
from webapp.services.notifications.delivery import (
    LEASE,
    RETRY_FOR,
    Claim,
    claim,
    give_up,
    mark_sent,
    postpone,
    postpone_unreachable,
    release,
    store_messages,
)
from webapp.services.notifications.email_context import (
    DealtContext,
    GameOverContext,
    InvitationContext,
    ReadyCheckContext,
    RoundOverContext,
    SignInContext,
    TurnContext,
)
from webapp.services.notifications.preparation import OutgoingEmail, prepare_emails
from webapp.services.operations.health import backlog
from webapp.services.play import access
from webapp.services.play.deadlines import sweep
from webapp.services.tx import Database, Tx, read_only, transaction
from webapp.store.schema.notifications import Notification

_LATE = NOON + DAY * 0.8
"""When it is time for a reminder of a turn that began at noon."""


def _collect(
    database: Database, *, now: datetime = NOON, kind: str | None = None
) -> list[OutgoingEmail]:
    """Claim all that is due and see what is to be sent, and settle the letters of other kinds."""
    with transaction(database) as tx:
        claims = claim(tx, now=now, limit=1000)
    with transaction(database) as tx:
        outgoing = prepare_emails(tx, claims, keys=KEYS, now=now)
    wanted = [out for out in outgoing if kind in {None, out.claim.kind}]
    with transaction(database) as tx:
        others = [out.claim for out in outgoing if out not in wanted]
        mark_sent(tx, others, now=now)
    return wanted


def _one(database: Database, kind: str, *, now: datetime = NOON) -> OutgoingEmail:
    [letter] = _collect(database, now=now, kind=kind)
    return letter


def _status(database: Database, letter: Claim) -> tuple[str, str | None, bytes | None]:
    with transaction(database) as tx:
        query = select(Notification.status, Notification.reason, Notification.message).where(
            Notification.id == letter.id
        )
        row = tx.connection.execute(query).one()
        return row[0], row[1], row[2]


def _dropped(database: Database, kind: str) -> list[str | None]:
    with transaction(database) as tx:
        query = select(Notification.reason).where(
            Notification.kind == kind, Notification.status == "dropped"
        )
        return list(tx.connection.execute(query).scalars())


def test_a_sign_in_letter_says_the_code_and_the_link(database: Database) -> None:
    with transaction(database) as tx:
        request_sign_in_email(tx, ALICE)
        code = emailed_code(tx, ALICE)
    context = _one(database, "sign-in").context
    assert isinstance(context, SignInContext)
    assert context.code == code
    assert context.envelope.address == ALICE.address
    assert context.envelope.root_id is None
    assert context.envelope.unsubscribe.everything is None
    with transaction(database) as tx:
        outcome = sign_in_by_link(
            tx,
            context.link_token,
            browser=Browser(key=ALICE.browser),
            tokens=secrets.token_bytes,
            now=NOON,
        )
    assert isinstance(outcome, SignedIn)


def test_a_sign_in_that_is_used_or_too_old_is_not_mailed(database: Database) -> None:
    sign_in_guest(database, ALICE)
    with transaction(database) as tx:
        request_sign_in_email(tx, BOB)
    assert _collect(database, now=NOON + timedelta(minutes=10)) == []
    assert sorted(filter(None, _dropped(database, "sign-in"))) == ["expired", "expired"]
    with transaction(database) as tx:
        request_sign_in_email(tx, BOB)
        code = emailed_code(tx, BOB)
        enter_code(tx, code, browser=BOB.browser)
    assert _collect(database) == []
    assert "used" in _dropped(database, "sign-in")


def test_whoever_has_an_account_is_written_to_in_their_own_language_and_zone(
    database: Database,
) -> None:
    alice, bob = sign_in_guests(database, ALICE, BOB)
    with transaction(database) as tx:
        change_profile(tx, bob.person, name="Bob", language="lv", zone=BOB.zone, picks_gold=True)
        request_sign_in_email(tx, BOB._replace(address=BOB.address.upper()))
        request_sign_in_email(tx, DAVE)
    slug = open_table(database, alice)
    for address in (BOB.address.upper(), DAVE.address):
        _invite(database, slug, alice, address)
    written = [each.context.envelope for each in _collect(database) if each.context]
    assert {(each.address.lower(), each.kind, each.language, each.zone) for each in written} == {
        (BOB.address, "sign-in", "lv", BOB.zone),
        (BOB.address, "invitation", "lv", BOB.zone),
        (DAVE.address, "sign-in", "en", "UTC"),
        (DAVE.address, "invitation", "en", ALICE.zone),
    }


def test_an_invitation_letter_leads_to_the_table(database: Database) -> None:
    alice, bob = sign_in_guests(database, ALICE, BOB)
    slug = open_table(database, alice)
    _invite(database, slug, alice, BOB.address)
    context = _one(database, "invitation").context
    assert isinstance(context, InvitationContext)
    assert (context.host, context.table.slug, len(context.commitments)) == ("Alice", slug, 4)
    assert context.envelope.unsubscribe.everything is not None
    with transaction(database) as tx:
        assert accept_invitation(tx, context.token, bob.person, now=NOON) == slug


def test_an_invitation_is_not_mailed_once_it_is_used_or_the_table_is_gone(
    database: Database,
) -> None:
    alice, bob = sign_in_guests(database, ALICE, BOB)
    slug = open_table(database, alice)
    _invite(database, slug, alice, BOB.address)
    token = _token_of_invitation(database)
    with transaction(database) as tx:
        accept_invitation(tx, token, bob.person, now=NOON)
    _invite(database, slug, alice, CAROL.address)
    with transaction(database) as tx:
        game = access.game_for(tx, slug, alice.cookie, now=NOON, mode="change").game
        cancel_table(tx, game, alice.person, now=NOON)
    assert _collect(database, kind="invitation") == []
    assert sorted(filter(None, _dropped(database, "invitation"))) == ["cancelled", "cancelled"]


def test_an_invitation_is_not_mailed_when_its_seat_is_gone_or_its_reader_sits_there(
    database: Database,
) -> None:
    alice, bob, carol = sign_in_guests(database, ALICE, BOB, CAROL)
    slug = open_table(database, alice, table_settings(public=True))
    _invite(database, slug, alice, DAVE.address)
    _invite(database, slug, alice, BOB.address.upper())
    seat_guest(database, slug, bob)
    assert [each.address for each in _collect(database, kind="invitation")] == [DAVE.address]
    assert _dropped(database, "invitation") == ["seated"]
    seat_guest(database, slug, carol)
    assert _collect(database, now=NOON + LEASE, kind="invitation") == []
    assert _dropped(database, "invitation") == ["seated", "full"]


def test_a_ready_check_letter_goes_to_those_who_are_not_ready_yet(
    database: Database, guests: list[Guest]
) -> None:
    slug = open_table(database, guests[0])
    for guest in guests[1:]:
        seat_guest(database, slug, guest)
    confirm_ready(database, slug, guests[1])
    letters = _collect(database, kind="ready-check")
    assert [letter.address for letter in letters] == [ALICE.address, CAROL.address]
    assert _dropped(database, "ready-check") == ["ready"]
    context = letters[1].context
    assert isinstance(context, ReadyCheckContext)
    assert context.seats[2].is_me


def test_the_frozen_record_is_mailed_to_everybody(database: Database, slug: str) -> None:
    letters = _collect(database, kind="dealt")
    contexts = [letter.context for letter in letters]
    assert all(isinstance(context, DealtContext) for context in contexts)
    assert len({context.record for context in contexts if isinstance(context, DealtContext)}) == 1
    assert len(letters) == 3


def test_a_turn_letter_is_enough_to_play(
    database: Database, guests: list[Guest], slug: str
) -> None:
    context = _one(database, "your-turn", now=NOON + timedelta(minutes=1)).context
    assert isinstance(context, TurnContext)
    assert context.view.seat == 0
    assert context.menu == legal_actions(context.view)
    assert len(context.view.hand) == 6
    assert context.deadline_at == NOON + DAY
    assert [turn.seq for turn in context.since] == [0]
    assert context.envelope.zone == ALICE.zone


def test_a_turn_that_was_taken_meanwhile_is_not_called_for(
    database: Database, guests: list[Guest], slug: str
) -> None:
    play_turn(database, slug, guests[0])
    letters = _collect(database, kind="your-turn")
    assert [letter.address for letter in letters] == [BOB.address]
    assert _dropped(database, "your-turn") == ["moved-on"]


def test_an_old_call_is_not_sent_for_the_turn_of_today(
    database: Database, guests: list[Guest], slug: str
) -> None:
    for guest in guests:
        play_turn(database, slug, guest, now=NOON + timedelta(hours=1))
    [letter] = _collect(database, now=NOON + timedelta(hours=1), kind="your-turn")
    assert isinstance(letter.context, TurnContext)
    assert letter.context.view.seq == 3
    assert _dropped(database, "your-turn") == ["moved-on"] * 3


def test_a_reminder_is_mailed_while_it_is_true(
    database: Database, guests: list[Guest], slug: str
) -> None:
    _send_calls(database)
    _remind(database)
    context = _one(database, "reminder", now=_LATE).context
    assert isinstance(context, TurnContext)
    assert context.envelope.kind == "reminder"
    assert context.deadline_at - _LATE == DAY * 0.2


def test_a_reminder_is_dropped_when_its_player_moved_or_time_is_up(
    database: Database, guests: list[Guest], slug: str
) -> None:
    other = deal_game(database, guests)
    _send_calls(database)
    with transaction(database) as tx:
        assert sweep(tx, now=_LATE, pick=pick_first).reminded == 2
    play_turn(database, other, guests[0], now=_LATE)
    assert _collect(database, now=NOON + DAY, kind="reminder") == []
    assert sorted(filter(None, _dropped(database, "reminder"))) == ["moved-on", "too-late"]


def test_a_reminder_waits_for_a_call_that_is_due_and_is_dropped_when_that_was_sent(
    database: Database, slug: str
) -> None:
    call = _one(database, "your-turn", now=_LATE)
    _remind(database)
    assert _collect(database, now=_LATE) == []
    with transaction(database) as tx:
        mark_sent(tx, [call.claim], now=_LATE)
    assert _collect(database, now=_LATE) == []
    assert _dropped(database, "reminder") == ["turn-email-sent"]


def test_a_reminder_goes_out_before_a_call_that_was_put_off_which_is_then_dropped(
    database: Database, slug: str
) -> None:
    call = _one(database, "your-turn", now=_LATE)
    _remind(database)
    with transaction(database) as tx:
        postpone(tx, call.claim, code="451", now=_LATE)
    reminder = _one(database, "reminder", now=_LATE)
    with transaction(database) as tx:
        mark_sent(tx, [reminder.claim], now=_LATE)
    assert _collect(database, now=_LATE + timedelta(hours=1)) == []
    assert _dropped(database, "your-turn") == ["reminder-sent"]


def test_a_reminder_goes_out_when_the_call_never_will(database: Database, slug: str) -> None:
    call = _one(database, "your-turn", now=_LATE)
    _remind(database)
    with transaction(database) as tx:
        give_up(tx, call.claim, code="550", now=_LATE)
    assert _one(database, "reminder", now=_LATE).address == ALICE.address


def _send_calls(database: Database) -> None:
    """Send the calls for turns while there is time."""
    _collect(database, kind="none")


def _remind(database: Database) -> None:
    with transaction(database) as tx:
        assert sweep(tx, now=_LATE, pick=pick_first).reminded == 1


def test_round_over_and_game_over_say_what_came_of_it(
    database: Database, guests: list[Guest]
) -> None:
    slug = deal_game(database, guests, table_settings(house=HouseRules(rounds=2)))
    _play_until_round(database, slug, guests, 2)
    letters = _collect(database, kind="round-over")
    play_to_end(database, slug, guests)
    letters += _collect(database, kind="game-over")
    rounds = [each.context for each in letters if isinstance(each.context, RoundOverContext)]
    ends = [each.context for each in letters if isinstance(each.context, GameOverContext)]
    assert [context.result.round for context in rounds] == [1, 1, 1]
    assert [context.view.seat for context in ends] == [0, 1, 2]
    assert all(context.view.winners for context in ends)


@pytest.mark.parametrize(
    "kind, change, reason",
    [
        ("your-turn", "UPDATE notification SET account_id = 99", "no-address"),
        ("your-turn", "UPDATE notification SET game_id = 99", "no-game"),
        ("dealt", "UPDATE seat SET account_id = NULL WHERE number = 0", "not-seated"),
        ("dealt", "UPDATE game SET record = NULL", "moved-on"),
        (
            "reminder",
            "UPDATE game SET deadline_at = deadline_at + interval '1 h'",
            "deadline-moved",
        ),
        ("round-over", "UPDATE notification SET dedup_key = 3", "rewound"),
        ("game-over", "UPDATE game SET status = 'running'", "rewound"),
        ("ready-check", "UPDATE game SET status = 'open'", "moved-on"),
    ],
)
def test_a_letter_that_the_game_left_behind_is_dropped_with_its_reason(
    database: Database, guests: list[Guest], kind: str, change: str, reason: str
) -> None:
    at = _owe(database, guests, kind)
    with transaction(database) as tx:
        tx.connection.exec_driver_sql(f"DELETE FROM notification WHERE kind <> '{kind}'")
        tx.connection.exec_driver_sql(
            "DELETE FROM notification WHERE id <> (SELECT min(id) FROM notification)"
        )
        tx.connection.exec_driver_sql(change)
    assert _collect(database, now=at) == []
    assert _dropped(database, kind) == [reason]


def test_a_letter_that_cannot_be_written_does_not_hold_up_the_others(
    database: Database, guests: list[Guest], slug: str
) -> None:
    deal_game(database, guests)
    with transaction(database) as tx:
        tx.connection.exec_driver_sql(f"UPDATE game SET state = 'broken' WHERE slug = '{slug}'")
    letters = _collect(database, kind="your-turn")
    assert len(letters) == 1
    with transaction(database) as tx:
        query = select(Notification.reason).where(
            Notification.kind == "your-turn", Notification.status == "pending"
        )
        assert set(tx.connection.execute(query).scalars()) == {None, "preparing failed"}


def _owe(database: Database, guests: list[Guest], kind: str) -> datetime:
    """Bring about letters of a kind; when they are due."""
    if kind == "ready-check":
        slug = open_table(database, guests[0])
        for guest in guests[1:]:
            seat_guest(database, slug, guest)
        return NOON
    slug = deal_game(database, guests, table_settings(house=HouseRules(rounds=2)))
    if kind == "round-over":
        _play_until_round(database, slug, guests, 2)
    if kind == "game-over":
        play_to_end(database, slug, guests)
    if kind == "reminder":
        _send_calls(database)
        _remind(database)
    return _LATE if kind == "reminder" else NOON


def test_all_letters_of_a_game_are_one_thread_and_no_two_have_one_name(
    database: Database, slug: str
) -> None:
    letters = _collect(database)
    ids = [letter.message_id for letter in letters]
    assert len(set(ids)) == len(ids)
    assert all(len(message_id) < 70 for message_id in ids)
    roots = {each.context.envelope.root_id for each in letters if each.context} - {None}
    assert len(roots) == 1
    assert not roots & set(ids)
    lists = {each.context.envelope.list_id for each in letters if each.context} - {None}
    assert lists == {f"{slug}.lodepost.test"}


def test_the_order_is_claim_compose_keep_send_accept(database: Database, slug: str) -> None:
    out = _one(database, "your-turn")
    with transaction(database) as tx:
        assert _store(tx, out, b"bytes") == {out.claim.id}
    assert _status(database, out.claim) == ("pending", None, b"bytes")
    with transaction(database) as tx:
        mark_sent(tx, [out.claim], now=NOON)
    assert _status(database, out.claim) == ("sent", None, None)
    assert _collect(database, now=NOON + DAY) == []


@pytest.mark.parametrize("died_after", ["claim", "prepare_emails", "store_messages"])
def test_wherever_the_sender_dies_the_letter_goes_out_again(
    database: Database, slug: str, died_after: str
) -> None:
    out = _one(database, "your-turn")
    if died_after == "store_messages":
        with transaction(database) as tx:
            _store(tx, out, b"the same bytes")
    assert _collect(database, now=NOON + LEASE - timedelta(seconds=1)) == []
    again = _one(database, "your-turn", now=NOON + LEASE)
    assert again.claim.attempts == 2
    assert again.message_id == out.message_id
    assert again.message == (b"the same bytes" if died_after == "store_messages" else None)
    assert (again.context is None) == (died_after == "store_messages")


def test_bytes_that_are_no_longer_true_are_not_sent_again(
    database: Database, guests: list[Guest], slug: str
) -> None:
    out = _one(database, "your-turn")
    with transaction(database) as tx:
        _store(tx, out, b"bytes")
    play_turn(database, slug, guests[0])
    assert [letter.address for letter in _collect(database, now=NOON + LEASE)] == [BOB.address]
    assert _status(database, out.claim) == ("dropped", "moved-on", None)


def test_whose_lease_ran_out_may_not_send(database: Database, slug: str) -> None:
    slow = _one(database, "your-turn")
    quick = _one(database, "your-turn", now=NOON + LEASE)
    with transaction(database) as tx:
        assert _store(tx, slow, b"slow") == frozenset()
        assert _store(tx, quick, b"quick") == {quick.claim.id}
        postpone(tx, slow.claim, code="450", now=NOON + LEASE)
        give_up(tx, slow.claim, code="550", now=NOON + LEASE)
        release(tx, [slow.claim])
    assert _status(database, quick.claim) == ("pending", None, b"quick")


def test_a_claim_given_back_is_not_taken_for_the_one_that_follows_it(
    database: Database, guests: list[Guest], slug: str
) -> None:
    later = NOON + LEASE + timedelta(seconds=1)
    slow = _one(database, "your-turn")
    gone = _one(database, "your-turn", now=NOON + LEASE)
    with transaction(database) as tx:
        release(tx, [gone.claim])
    _leave_alone(database, slow, now=later)
    holder = _one(database, "your-turn", now=later)
    assert gone.claim.attempts == holder.claim.attempts
    with transaction(database) as tx:
        assert _store(tx, holder, b"of the holder") == {holder.claim.id}
    _leave_alone(database, slow, now=later)
    _leave_alone(database, gone, now=later)
    with transaction(database) as tx:
        give_up(tx, holder.claim, code="550", now=later)
    assert _status(database, holder.claim) == ("failed", "550", None)


def _leave_alone(database: Database, late: OutgoingEmail, *, now: datetime) -> None:
    """Let a sender that lost its claim do all it can; nothing changes."""
    before = _whole_row(database, late.claim)
    with transaction(database) as tx:
        assert _store(tx, late, b"too late") == frozenset()
        postpone(tx, late.claim, code="450", now=now)
        give_up(tx, late.claim, code="550", now=now)
        release(tx, [late.claim])
    assert _whole_row(database, late.claim) == before


def _whole_row(database: Database, letter: Claim) -> tuple[object, ...]:
    with transaction(database) as tx:
        query = select(*Notification.__table__.columns).where(Notification.id == letter.id)
        return tuple(tx.connection.execute(query).one())


def test_who_lost_a_claim_does_not_drop_the_letter_of_the_next(
    database: Database, guests: list[Guest], slug: str
) -> None:
    with transaction(database) as tx:
        late = claim(tx, now=NOON)
    with transaction(database) as tx:
        claim(tx, now=NOON + LEASE)
    play_turn(database, slug, guests[0], now=NOON + LEASE)
    with transaction(database) as tx:
        prepare_emails(tx, late, keys=KEYS, now=NOON + LEASE)
    assert _dropped(database, "your-turn") == []


def test_many_senders_share_the_letters(database: Database, guests: list[Guest]) -> None:
    for _ in range(5):
        deal_game(database, guests)

    def work(_: int) -> list[int]:
        taken: list[int] = []
        while True:
            with transaction(database) as tx:
                claims = claim(tx, now=NOON, limit=3)
            if not claims:
                return taken
            taken += [each.id for each in claims]

    with ThreadPoolExecutor(4) as pool:
        taken = [number for numbers in pool.map(work, range(4)) for number in numbers]
    with transaction(database) as tx:
        owed = tx.connection.execute(select(Notification.id)).scalars().all()
    assert sorted(taken) == sorted(owed)


def test_a_letter_put_off_is_tried_ever_less_often_and_given_up_in_the_end(
    database: Database, slug: str
) -> None:
    now, pauses = NOON, []
    while True:
        out = _one(database, "your-turn", now=now)
        with transaction(database) as tx:
            postpone(tx, out.claim, code="451 busy", now=now)
        if _status(database, out.claim)[0] == "failed":
            break
        due = _due_at(database, out.claim)
        pauses.append(due - now)
        now = due
    assert pauses[:4] == [timedelta(seconds=seconds) for seconds in (30, 60, 120, 240)]
    assert max(pauses) == timedelta(hours=1)
    assert RETRY_FOR <= now - NOON < RETRY_FOR + timedelta(hours=1)
    assert _status(database, out.claim) == ("failed", "451 busy", None)


def test_a_letter_owed_for_long_has_all_the_patience_from_its_first_attempt_on(
    database: Database, slug: str
) -> None:
    late = NOON + 2 * RETRY_FOR
    with transaction(database) as tx:
        tx.connection.exec_driver_sql("UPDATE game SET deadline_at = '2030-01-01'")
    out = _one(database, "your-turn", now=late)
    with transaction(database) as tx:
        postpone(tx, out.claim, code="451 busy", now=late)
    assert _status(database, out.claim) == ("pending", "451 busy", None)
    assert _due_at(database, out.claim) == late + timedelta(seconds=30)


def test_while_nothing_gets_through_a_letter_waits_ever_longer_and_is_never_given_up(
    database: Database, slug: str
) -> None:
    now, pauses = NOON, []
    while now < NOON + 2 * RETRY_FOR:
        out = _one(database, "your-turn", now=now)
        with transaction(database) as tx:
            postpone_unreachable(tx, out.claim, code="refused", now=now)
        pauses.append(_due_at(database, out.claim) - now)
        now = _due_at(database, out.claim)
    assert pauses[:4] == [timedelta(seconds=seconds) for seconds in (30, 60, 120, 240)]
    assert pauses[8:] == [timedelta(hours=1)] * len(pauses[8:])
    with transaction(database) as tx:
        postpone(tx, _one(database, "your-turn", now=now).claim, code="450 greylisted", now=now)
    assert _status(database, out.claim) == ("pending", "450 greylisted", None)


def test_a_letter_that_no_relay_takes_is_dead(database: Database, slug: str) -> None:
    out = _one(database, "your-turn")
    with transaction(database) as tx:
        _store(tx, out, b"bytes")
        give_up(tx, out.claim, code="550 5.1.1", now=NOON)
    assert _status(database, out.claim) == ("failed", "550 5.1.1", None)


def test_a_claim_given_back_is_as_if_it_had_never_been(database: Database, slug: str) -> None:
    out = _one(database, "your-turn")
    with transaction(database) as tx:
        release(tx, [out.claim])
    assert _one(database, "your-turn").claim.attempts == 1


def test_the_pulse_is_the_age_of_the_oldest_owed_letter(database: Database, slug: str) -> None:
    with read_only(database) as tx:
        assert backlog(tx, now=NOON + DAY).oldest_unsent_email == DAY
    with transaction(database) as tx:
        mark_sent(tx, claim(tx, now=NOON), now=NOON)
    with read_only(database) as tx:
        assert backlog(tx, now=NOON + DAY).oldest_unsent_email is None


def test_nothing_of_a_letter_stands_in_a_traceback(database: Database, slug: str) -> None:
    assert "path-" not in repr(_collect(database))


def test_a_game_over_drops_every_older_call(database: Database, guests: list[Guest]) -> None:
    slug = deal_game(database, guests)
    play_to_end(database, slug, guests)
    kinds = {letter.claim.kind for letter in _collect(database)}
    assert kinds == {"dealt", "game-over"}
    assert set(_dropped(database, "round-over")) == {"moved-on"}


def _play_until_round(database: Database, slug: str, guests: list[Guest], wanted: int) -> None:
    by_id = {guest.person.id: guest for guest in guests}
    while (row := stored_game(database, slug, guests[0]).row).round < wanted:
        assert row.awaiting is not None
        play_turn(database, slug, by_id[row.seats[row.awaiting].account_id or 0])


def _due_at(database: Database, letter: Claim) -> datetime:
    with transaction(database) as tx:
        query = select(Notification.due_at).where(Notification.id == letter.id)
        return tx.connection.execute(query).scalar_one()


def _invite(database: Database, slug: str, guest: Guest, address: str) -> None:
    with transaction(database) as tx:
        game = access.game_for(tx, slug, guest.cookie, now=NOON, mode="change").game
        source = TokenSource(KEYS, secrets.token_bytes)
        invite(tx, game, guest.person, address=address, source=source, now=NOON)


def _token_of_invitation(database: Database) -> str:
    context = _one(database, "invitation").context
    with transaction(database) as tx:
        tx.connection.exec_driver_sql("UPDATE notification SET lease_until = NULL")
    assert isinstance(context, InvitationContext)
    return context.token


def _store(tx: Tx, out: OutgoingEmail, message: bytes) -> frozenset[int]:
    return store_messages(tx, [(out.claim, out.message_id, message)])
