import secrets
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import pytest
from sqlalchemy import select

from engine.fairness import LABELS, commitment, thaw
from engine.rulebook import HouseRules
from engine.rulebooks.catalogue import RULEBOOKS
from tests.support.cast import ALICE, BOB, CAROL, DAVE, MALLORY
from tests.support.factories import (
    KEYS,
    NOON,
    Guest,
    ask,
    deal,
    fill,
    get_ready,
    look,
    mailed_code,
    open_table,
    sign_in_all,
    sign_in_guest,
    sit,
    try_code,
    wish,
)
from webapp.services.accounts.sessions import SignedIn
from webapp.services.errors import Denied, FieldErrors, NotAllowed, NotFound
from webapp.services.lobby import tables
from webapp.services.lobby.game_page import game_page
from webapp.services.lobby.ready_check import MOST_AT_ONCE, PAUSE
from webapp.services.lobby.tables import (
    MAX_ALLOWANCE,
    MIN_ALLOWANCE,
    MOST_OPEN_TABLES,
    TableSettings,
)
from webapp.services.notifications.delivery import accepted, claim, prepare_emails
from webapp.services.play import access
from webapp.services.play.page_data import LobbyPage, TablePage
from webapp.services.play.reading import fairness_page
from webapp.services.tx import Database, read_only, transaction
from webapp.store.schema.notifications import Notification


def _page(database: Database, slug: str, guest: Guest | None) -> LobbyPage:
    with read_only(database) as tx:
        page = game_page(tx, slug, guest and guest.cookie, keys=KEYS, now=NOON)
    assert isinstance(page, LobbyPage)
    return page


def _do(
    database: Database,
    slug: str,
    guest: Guest,
    deed: str,
    *,
    now: datetime = NOON,
    **options: object,
) -> object:
    """Let a guest do something in the lobby, as a page would."""
    with transaction(database) as tx:
        game, _, me = access.game_for(tx, slug, guest.cookie, now=now, mode="change")
        assert me is not None
        return getattr(tables, deed)(tx, game, me, now=now, **options)


def _denied(database: Database, slug: str, guest: Guest, deed: str, **options: object) -> Denied:
    with pytest.raises(NotAllowed) as refused:
        _do(database, slug, guest, deed, **options)
    return refused.value.reason


def _letters(database: Database, kind: str) -> list[tuple[int | None, int]]:
    with transaction(database) as tx:
        query = select(Notification.account_id, Notification.occasion).where(
            Notification.kind == kind
        )
        return [(row[0], row[1]) for row in tx.connection.execute(query.order_by(Notification.id))]


def test_the_host_sits_down_first_and_sees_the_commitments(database: Database) -> None:
    alice = sign_in_guest(database, ALICE)
    page = _page(database, open_table(database, alice), alice)
    assert (page.seat, page.table.taken, page.table.status) == (0, 1, "open")
    assert page.table.host == "Alice"
    assert [commitment.label for commitment in page.commitments] == list(LABELS)


def test_a_form_that_comes_four_times_at_once_opens_one_table(database: Database) -> None:
    alice, bob = sign_in_all(database, ALICE, BOB)

    def press(guest: Guest, seats: int = 3) -> str:
        with transaction(database) as tx:
            wanted, chance = wish(seats=seats), secrets.token_bytes
            return tables.open_game(
                tx, guest.person, wanted, mark="one form", keys=KEYS, tokens=chance, now=NOON
            )

    with ThreadPoolExecutor(4) as pool:
        [slug] = set(pool.map(press, [alice] * 4))
    assert _page(database, slug, alice).table.taken == 1
    assert len({slug, press(alice), press(bob), press(alice, 4)}) == 3


def test_the_commitments_hold_what_is_opened_at_the_end(database: Database) -> None:
    alice = sign_in_guest(database, ALICE)
    slug = open_table(database, alice)
    shown = _page(database, slug, alice).commitments
    _do(database, slug, alice, "cancel")
    with read_only(database) as tx:
        opened = fairness_page(tx, slug, alice.cookie, now=NOON).opened
    made = [commitment(slug, secret.label, bytes.fromhex(secret.secret)) for secret in opened]
    assert made == [each.digest for each in shown]


def test_secrets_stay_closed_while_a_table_waits_and_while_it_plays(
    database: Database, guests: list[Guest]
) -> None:
    for slug in (open_table(database, guests[0]), deal(database, guests)):
        with read_only(database) as tx:
            assert fairness_page(tx, slug, guests[0].cookie, now=NOON).opened == ()


@pytest.mark.parametrize(
    "wanted, field",
    [
        (wish(rulebook="xx-1999"), "rulebook"),
        (wish(seats=2), "seats"),
        (wish(seats=11), "seats"),
        (wish(seats=-3), "seats"),
        (wish(starter=3), "starter"),
        (wish(starter=-1), "starter"),
        (wish(allowance=MIN_ALLOWANCE - timedelta(seconds=1)), "allowance"),
        (wish(allowance=MAX_ALLOWANCE + timedelta(seconds=1)), "allowance"),
        (wish(allowance=timedelta(days=-1)), "allowance"),
    ],
)
def test_a_table_that_no_game_can_have_is_refused(
    database: Database, wanted: TableSettings, field: str
) -> None:
    alice = sign_in_guest(database, ALICE)
    with pytest.raises(FieldErrors) as refused:
        open_table(database, alice, wanted)
    assert [error.field for error in refused.value.errors] == [field]


def test_everything_wrong_with_a_wish_is_said_at_once(database: Database) -> None:
    alice = sign_in_guest(database, ALICE)
    wanted = wish(rulebook="", seats=0, allowance=timedelta(0))
    with pytest.raises(FieldErrors) as refused:
        open_table(database, alice, wanted)
    assert [error.field for error in refused.value.errors] == ["rulebook", "seats", "allowance"]


def test_who_has_no_name_yet_neither_opens_nor_joins(database: Database) -> None:
    alice = sign_in_guest(database, ALICE)
    slug = open_table(database, alice, wish(public=True))
    with transaction(database) as tx:
        ask(tx, BOB)
        outcome = try_code(tx, mailed_code(tx, BOB), browser=BOB.browser)
    assert isinstance(outcome, SignedIn)
    nameless = Guest(outcome.person, outcome.token)
    with pytest.raises(NotAllowed) as refused:
        open_table(database, nameless)
    assert refused.value.reason is Denied.NO_NAME
    assert _denied(database, slug, nameless, "sit_down") is Denied.NO_NAME


def test_a_host_cannot_open_tables_without_end(database: Database) -> None:
    alice = sign_in_guest(database, ALICE)
    for _ in range(MOST_OPEN_TABLES):
        open_table(database, alice)
    with pytest.raises(NotAllowed) as refused:
        open_table(database, alice)
    assert refused.value.reason is Denied.TOO_MANY_TABLES


def test_slugs_cannot_be_guessed_from_one_another(database: Database) -> None:
    alice = sign_in_guest(database, ALICE)
    slugs = {open_table(database, alice) for _ in range(20)}
    assert len(slugs) == 20
    assert {len(slug) for slug in slugs} == {12}
    assert not any(slug.isdigit() for slug in slugs)


def test_a_full_table_asks_everybody_whether_they_are_ready(
    database: Database, guests: list[Guest]
) -> None:
    slug = open_table(database, guests[0])
    sit(database, slug, guests[1])
    assert _letters(database, "ready-check") == []
    sit(database, slug, guests[2])
    assert _page(database, slug, guests[0]).table.status == "ready-check"
    assert _letters(database, "ready-check") == [(guest.person.id, 1) for guest in guests]


def test_the_cards_are_dealt_when_the_last_is_ready(
    database: Database, guests: list[Guest]
) -> None:
    slug = open_table(database, guests[0])
    for guest in guests[1:]:
        sit(database, slug, guest)
    assert [get_ready(database, slug, guest) for guest in guests] == [False, False, True]
    game = look(database, slug, guests[0])
    assert (game.status, game.seq, game.row.round) == ("running", 0, 1)
    assert [who for who, _ in _letters(database, "dealt")] == [each.person.id for each in guests]
    assert len(_letters(database, "your-turn")) == 1


def test_the_freeze_record_holds_what_the_table_agreed_on(
    database: Database, guests: list[Guest]
) -> None:
    slug = open_table(database, guests[0], wish(house=HouseRules(open_gold=True), starter=2))
    for guest in guests[1:]:
        sit(database, slug, guest)
    for guest, salt in zip(guests, ("pepper", "", "s\u0101ls"), strict=True):
        get_ready(database, slug, guest, salt=salt)
    record = look(database, slug, guests[0]).row.record
    assert record is not None
    frozen = thaw(record)
    assert (frozen.game, frozen.rulebook, frozen.starter) == (slug, "en-2004", 2)
    assert frozen.house == HouseRules(open_gold=True)
    assert [(seat.name, seat.salt.decode()) for seat in frozen.seats] == [
        ("Alice", "pepper"),
        ("Bob", ""),
        ("Carol", "s\u0101ls"),
    ]


def test_the_last_two_ready_at_once_deal_once(database: Database, guests: list[Guest]) -> None:
    slug = open_table(database, guests[0])
    for guest in guests[1:]:
        sit(database, slug, guest)
    with ThreadPoolExecutor(3) as pool:
        dealt = list(pool.map(lambda guest: get_ready(database, slug, guest), guests))
    assert sorted(dealt) == [False, False, True]
    assert look(database, slug, guests[0]).seq == 0


def test_two_for_one_seat_and_one_gets_it(database: Database) -> None:
    alice, *others = sign_in_all(database, ALICE, BOB, CAROL, DAVE)
    slug = open_table(database, alice)
    sit(database, slug, others[0])

    def rush(guest: Guest) -> str:
        try:
            sit(database, slug, guest)
        except NotAllowed as refused:
            return refused.reason.value
        return "seated"

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(rush, others[1:])) == ["seated", "table-full"]


def test_a_taken_seat_is_not_given_twice(database: Database) -> None:
    alice, bob = sign_in_all(database, ALICE, BOB)
    slug = open_table(database, alice, wish(public=True))
    assert _denied(database, slug, bob, "sit_down", seat=0) is Denied.SEAT_TAKEN
    assert _do(database, slug, bob, "sit_down", seat=2) == 2
    assert _denied(database, slug, bob, "sit_down", seat=1) is Denied.ALREADY_SEATED
    with pytest.raises(FieldErrors):
        _do(database, slug, sign_in_guest(database, CAROL), "sit_down", seat=3)


def test_standing_up_opens_the_table_again_and_nobody_is_ready_any_more(
    database: Database, guests: list[Guest]
) -> None:
    slug = open_table(database, guests[0])
    for guest in guests[1:]:
        sit(database, slug, guest)
    get_ready(database, slug, guests[0], salt="pepper")
    _do(database, slug, guests[2], "stand_up")
    page = _page(database, slug, guests[0])
    assert page.table.status == "open"
    assert [seat.is_ready for seat in page.seats] == [False, False, False]
    assert page.my_salt == "pepper"
    sit(database, slug, guests[2])
    assert _letters(database, "ready-check")[3:] == [(guest.person.id, 2) for guest in guests]


def test_a_salt_goes_with_whoever_stands_up(database: Database, guests: list[Guest]) -> None:
    slug = open_table(database, guests[0])
    for guest in guests[1:]:
        sit(database, slug, guest)
    get_ready(database, slug, guests[2], salt="mine")
    _do(database, slug, guests[2], "stand_up")
    dave = sign_in_guest(database, DAVE)
    assert sit(database, slug, dave) == 2
    assert _page(database, slug, dave).my_salt == ""


@pytest.mark.parametrize(
    "salt, code",
    [
        ("x" * 65, "too-long"),
        ("\u0101" * 33, "too-long"),
        ("a\nb", "control-characters"),
        ("\ud800", "control-characters"),
        ("\0", "control-characters"),
    ],
)
def test_a_pinch_of_salt_is_small_and_printable(
    database: Database, guests: list[Guest], salt: str, code: str
) -> None:
    slug = open_table(database, guests[0])
    for guest in guests[1:]:
        sit(database, slug, guest)
    with pytest.raises(FieldErrors) as refused:
        get_ready(database, slug, guests[0], salt=salt)
    assert [(error.field, error.code) for error in refused.value.errors] == [("salt", code)]
    assert not _page(database, slug, guests[0]).seats[0].is_ready


def test_readiness_can_be_taken_back(database: Database, guests: list[Guest]) -> None:
    slug = open_table(database, guests[0])
    for guest in guests[1:]:
        sit(database, slug, guest)
    get_ready(database, slug, guests[0])
    _do(database, slug, guests[0], "not_ready")
    assert [get_ready(database, slug, guest) for guest in guests[1:]] == [False, False]
    assert get_ready(database, slug, guests[0])


def test_sitting_down_and_standing_up_again_and_again_fills_no_mailbox(
    database: Database, guests: list[Guest]
) -> None:
    slug = open_table(database, guests[0], wish(public=True))
    sit(database, slug, guests[1])
    calls = 0
    for _ in range(2 * MOST_AT_ONCE):
        sit(database, slug, guests[2])
        calls += _calls_sent(database, now=NOON) == [1, 1, 1]
        _do(database, slug, guests[2], "stand_up")
    assert calls == MOST_AT_ONCE
    sit(database, slug, guests[2])
    assert _calls_sent(database, now=NOON) == []
    assert _calls_sent(database, now=NOON + PAUSE) == [1, 1, 1]
    assert len(_letters(database, "ready-check")) == 3 * (MOST_AT_ONCE + 1)
    assert _page(database, slug, guests[0]).may >= {"ready"}


def test_the_newest_ready_check_is_always_called_in_the_end(
    database: Database, guests: list[Guest]
) -> None:
    slug = open_table(database, guests[0])
    for guest in guests[1:]:
        sit(database, slug, guest)
    with transaction(database) as tx:
        tx.connection.exec_driver_sql("UPDATE game SET checks = 32767")
    for turn in (1, 2):
        later = NOON + PAUSE * turn
        _do(database, slug, guests[0], "choose_starter", seat=turn, now=later)
        assert _calls_sent(database, now=later + PAUSE - timedelta(seconds=1)) == []
        _do(database, slug, guests[0], "choose_starter", seat=None, now=later)
        assert _calls_sent(database, now=later + PAUSE) == [1, 1, 1]
        assert _page(database, slug, guests[0]).table.starter is None


def _calls_sent(database: Database, *, now: datetime) -> list[int]:
    """Send what is due; how many ready-checks each person got."""
    with transaction(database) as tx:
        outgoing = prepare_emails(tx, claim(tx, now=now, limit=1000), keys=KEYS, now=now)
        accepted(tx, [out.claim for out in outgoing], now=now)
    called = Counter(out.address for out in outgoing if out.claim.kind == "ready-check")
    return sorted(called.values())


def test_nobody_is_ready_at_a_table_with_free_seats(
    database: Database, guests: list[Guest]
) -> None:
    slug = open_table(database, guests[0])
    assert _denied(database, slug, guests[0], "get_ready") is Denied.FREE_SEATS


def test_a_newcomer_alone_fills_the_table_with_bots_and_plays_at_once(database: Database) -> None:
    alice = sign_in_guest(database, ALICE)
    slug = open_table(database, alice, wish(seats=10))
    assert fill(database, slug, alice)
    with read_only(database) as tx:
        page = game_page(tx, slug, alice.cookie, keys=KEYS, now=NOON)
    assert isinstance(page, TablePage)
    names = [seat.name for seat in page.seats]
    assert len(set(names)) == 10
    assert [seat.is_bot for seat in page.seats] == [False] + [True] * 9


def test_with_other_persons_bots_wait_for_them(database: Database) -> None:
    alice, bob = sign_in_all(database, ALICE, BOB)
    slug = open_table(database, alice, wish(seats=5))
    sit(database, slug, bob)
    assert not fill(database, slug, alice)
    assert _letters(database, "ready-check") == [(bob.person.id, 1)]
    assert get_ready(database, slug, bob)


def test_bots_do_not_play_among_themselves(database: Database) -> None:
    alice = sign_in_guest(database, ALICE)
    slug = open_table(database, alice)
    _do(database, slug, alice, "stand_up")
    assert _denied(database, slug, alice, "fill_with_bots") is Denied.NOT_SEATED


def test_a_host_who_stands_up_may_still_fill_the_table_for_the_others(database: Database) -> None:
    alice, bob = sign_in_all(database, ALICE, BOB)
    slug = open_table(database, alice)
    sit(database, slug, bob)
    _do(database, slug, alice, "stand_up")
    assert not fill(database, slug, alice)
    assert _page(database, slug, bob).table.status == "ready-check"


def test_only_the_host_fills_cancels_and_names_the_starter(
    database: Database, guests: list[Guest]
) -> None:
    slug = open_table(database, guests[0], wish(seats=4))
    sit(database, slug, guests[1])
    for deed, options in (("fill_with_bots", {}), ("cancel", {}), ("choose_starter", {"seat": 1})):
        assert _denied(database, slug, guests[1], deed, **options) is Denied.NOT_HOST


def test_another_starter_is_another_agreement(database: Database, guests: list[Guest]) -> None:
    slug = open_table(database, guests[0], wish(starter=None))
    for guest in guests[1:]:
        sit(database, slug, guest)
    get_ready(database, slug, guests[1])
    _do(database, slug, guests[0], "choose_starter", seat=None)
    assert _page(database, slug, guests[0]).seats[1].is_ready
    _do(database, slug, guests[0], "choose_starter", seat=2)
    assert not _page(database, slug, guests[0]).seats[1].is_ready
    assert _letters(database, "ready-check")[3:] == [(guest.person.id, 2) for guest in guests]
    with pytest.raises(FieldErrors):
        _do(database, slug, guests[0], "choose_starter", seat=3)
    for guest in guests:
        get_ready(database, slug, guest)
    assert look(database, slug, guests[0]).row.awaiting == 2


def test_what_is_dealt_stays_dealt(database: Database, guests: list[Guest], slug: str) -> None:
    for deed, options in (
        ("stand_up", {}),
        ("get_ready", {}),
        ("not_ready", {}),
        ("fill_with_bots", {}),
        ("cancel", {}),
        ("choose_starter", {"seat": 1}),
        ("sit_down", {}),
    ):
        assert _denied(database, slug, guests[0], deed, **options) is Denied.NOT_OPEN


def test_a_cancelled_table_is_over(database: Database, guests: list[Guest]) -> None:
    slug = open_table(database, guests[0])
    _do(database, slug, guests[0], "cancel")
    page = _page(database, slug, guests[0])
    assert (page.table.status, page.may, page.link_token) == ("cancelled", frozenset(), None)
    assert _denied(database, slug, guests[0], "cancel") is Denied.NOT_OPEN


def test_a_table_by_invitation_is_hidden_from_strangers(database: Database) -> None:
    alice, mallory = sign_in_all(database, ALICE, MALLORY)
    slug = open_table(database, alice)
    for viewer in (None, mallory.cookie, mallory.person, "made up"):
        with read_only(database) as tx, pytest.raises(NotFound):
            game_page(tx, slug, viewer, keys=KEYS, now=NOON)


def test_a_public_table_is_seen_by_everybody_and_its_link_by_those_who_sit_there(
    database: Database,
) -> None:
    alice, mallory = sign_in_all(database, ALICE, MALLORY)
    slug = open_table(database, alice, wish(public=True))
    assert _page(database, slug, None).may == frozenset()
    assert _page(database, slug, None).link_token is None
    assert _page(database, slug, mallory).may == {"sit"}
    assert _page(database, slug, mallory).link_token is None
    assert _page(database, slug, alice).link_token is not None


def test_what_the_page_offers_is_what_the_services_accept(
    database: Database, guests: list[Guest]
) -> None:
    slug = open_table(database, guests[0], wish(public=True))
    assert _page(database, slug, guests[0]).may == {"stand", "fill", "invite", "cancel", "starter"}
    for guest in guests[1:]:
        sit(database, slug, guest)
    assert _page(database, slug, guests[1]).may == {"stand", "ready"}
    get_ready(database, slug, guests[1])
    assert _page(database, slug, guests[1]).may == {"stand", "unready"}
    assert _page(database, slug, sign_in_guest(database, DAVE)).may == frozenset()


@pytest.mark.parametrize("rulebook", sorted(RULEBOOKS))
@pytest.mark.parametrize("seats", [3, 10])
def test_every_rulebook_is_dealt(database: Database, rulebook: str, seats: int) -> None:
    alice = sign_in_guest(database, ALICE)
    slug = deal(database, [alice], wish(rulebook=rulebook, seats=seats, starter=None))
    game = look(database, slug, alice)
    assert (game.status, game.state.rulebook, game.state.seats) == ("running", rulebook, seats)
