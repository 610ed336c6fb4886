import hashlib

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.commitments import (
    MAX_SALT_SIZE,
    SECRET_LABELS,
    FrozenSeat,
    FrozenTable,
    Secrets,
    commitment,
    commitments,
    freeze,
    house_rule_words,
    length_prefixed,
    parse_house_rules,
    thaw,
)
from engine.rulebook import HouseRules

SECRETS = Secrets(
    gold=b"\x00" * 32, round_1=b"\x01" * 32, round_2=b"\x02" * 32, round_3=b"\x03" * 32
)
TABLE = FrozenTable(
    game="brave-otter-3",
    rulebook="en-2004",
    house=HouseRules(open_gold=True, rounds=2),
    starter=1,
    commitments=commitments("brave-otter-3", SECRETS),
    seats=(FrozenSeat("Anna", b"salt"), FrozenSeat("Bob", b"\xff" * 64), FrozenSeat("Žanete")),
)

player_names = st.text(st.characters(codec="utf-8"), max_size=30)
house_rules = st.builds(
    HouseRules,
    intact_diggers_only=st.booleans(),
    open_gold=st.booleans(),
    no_self_breaking=st.booleans(),
    rounds=st.integers(1, 3),
)


@st.composite
def frozen_tables(draw: st.DrawFn) -> FrozenTable:
    seats = draw(
        st.lists(
            st.builds(FrozenSeat, player_names, st.binary(max_size=MAX_SALT_SIZE)),
            min_size=3,
            max_size=10,
        )
    )
    digests = [draw(st.binary(min_size=32, max_size=32)).hex() for _ in SECRET_LABELS]
    return FrozenTable(
        game=draw(player_names),
        rulebook=draw(player_names),
        house=draw(house_rules),
        starter=draw(st.none() | st.integers(0, len(seats) - 1)),
        commitments=(digests[0], digests[1], digests[2], digests[3]),
        seats=tuple(seats),
    )


def test_commitment_is_the_documented_hash() -> None:
    secret = bytes(range(32))
    parts = [b"lodepost commitment 1", b"brave-otter-3", b"round-2", secret]
    message = b"".join(len(part).to_bytes(4, "big") + part for part in parts)
    digest = commitment("brave-otter-3", "round-2", secret)
    assert digest == hashlib.sha256(message).hexdigest()
    assert digest == "0c48963ccaff29cde9010c4e109a13e10f8284e62f1a6b40510fd0daab7c7c8e"


def test_commitments_are_in_the_order_of_their_labels() -> None:
    assert commitments("g", SECRETS) == tuple(
        commitment("g", label, SECRETS.secret_for(label)) for label in SECRET_LABELS
    )


def test_commitment_depends_on_its_game_and_label() -> None:
    digests = {
        commitment(game, label, b"s" * 32) for game in ("a", "ab") for label in ("b", "bb", "")
    }
    assert len(digests) == 6


def test_label_selects_the_secret_of_its_round() -> None:
    assert SECRETS.secret_for("gold") == SECRETS.gold
    assert SECRETS.secret_for("round-1/deck") == SECRETS.secret_for("round-1") == SECRETS.round_1
    assert SECRETS.secret_for("round-2/roles") == SECRETS.round_2
    assert SECRETS.secret_for("round-3/goals") == SECRETS.round_3


@pytest.mark.parametrize("label", ["", "round-4", "round-1x/deck", "by_label", "gold "])
def test_unknown_label_has_no_secret(label: str) -> None:
    with pytest.raises(ValueError, match="no secret"):
        SECRETS.secret_for(label)


@pytest.mark.parametrize("size", [0, 31, 33])
def test_secret_must_have_32_bytes(size: int) -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        msgspec.structs.replace(SECRETS, round_2=b"x" * size)


def test_repr_of_secrets_shows_no_bytes() -> None:
    assert repr(SECRETS) == str(SECRETS) == f"{SECRETS}" == "<Secrets>"


def test_freeze_record_has_the_documented_bytes() -> None:
    record = freeze(TABLE)
    expected = [
        b"\x00\x00\x00\x11lodepost freeze 1",
        b"\x00\x00\x00\x0dbrave-otter-3",
        b"\x00\x00\x00\x07en-2004",
        b"\x00\x00\x00\x02\x00\x00\x00\x09open-gold\x00\x00\x00\x08rounds=2",
        b"\x00\x00\x00\x02",
        *(b"\x00\x00\x00\x20" + bytes.fromhex(digest) for digest in TABLE.commitments),
        b"\x00\x00\x00\x03",
        b"\x00\x00\x00\x04Anna\x00\x00\x00\x04salt",
        b"\x00\x00\x00\x03Bob\x00\x00\x00\x40" + b"\xff" * 64,
        b"\x00\x00\x00\x07\xc5\xbdanete\x00\x00\x00\x00",
    ]
    assert record == b"".join(expected)
    assert (
        hashlib.sha256(record).hexdigest()
        == "35ba0fa6296b857b0c8afded02dbc0ce912715b224acb989935586665b84299f"
    )


@given(frozen_tables())
def test_freeze_record_is_read_back_as_the_same_table(table: FrozenTable) -> None:
    assert thaw(freeze(table)) == table


@given(frozen_tables(), frozen_tables())
def test_different_tables_freeze_to_different_bytes(
    table: FrozenTable, other_table: FrozenTable
) -> None:
    assert (freeze(table) == freeze(other_table)) == (table == other_table)


@given(st.data())
def test_truncated_or_extended_freeze_record_is_refused(data: st.DataObject) -> None:
    record = freeze(TABLE)
    length = data.draw(st.integers(0, len(record) - 1))
    with pytest.raises(ValueError, match=r"\S"):
        thaw(record[:length])
    with pytest.raises(ValueError, match="after its end"):
        thaw(record + b"\x00")


@given(st.binary(max_size=200))
def test_random_bytes_are_refused_or_read_as_the_same_record(random_bytes: bytes) -> None:
    assert is_refused_or_exact(random_bytes)
    assert is_refused_or_exact(length_prefixed(b"lodepost freeze 1") + random_bytes)


@given(st.data())
def test_changed_byte_gives_another_table_or_is_refused(data: st.DataObject) -> None:
    record = bytearray(freeze(TABLE))
    place = data.draw(st.integers(0, len(record) - 1))
    record[place] ^= data.draw(st.integers(1, 255))
    assert bytes(record) != freeze(TABLE)
    assert is_refused_or_exact(bytes(record))


def is_refused_or_exact(record: bytes) -> bool:
    """Return whether a freeze record is refused, or thaws to a table that freezes to the same bytes."""
    try:
        return freeze(thaw(record)) == record
    except ValueError:
        return True


@pytest.mark.parametrize("seats", [0, 2, 11])
def test_frozen_table_must_have_three_to_ten_seats(seats: int) -> None:
    with pytest.raises(ValueError, match="three to ten"):
        msgspec.structs.replace(TABLE, starter=None, seats=(FrozenSeat("Anna"),) * seats)


@pytest.mark.parametrize("starter", [-1, 3])
def test_frozen_starter_must_sit_at_the_table(starter: int) -> None:
    with pytest.raises(ValueError, match="starter"):
        msgspec.structs.replace(TABLE, starter=starter)


def test_freeze_record_of_more_than_8192_bytes_is_refused_unread() -> None:
    with pytest.raises(ValueError, match="8192 bytes at most"):
        thaw(bytes(8193))
    with pytest.raises(ValueError, match="not a freeze record"):
        thaw(bytes(8192))


def test_salt_must_have_at_most_64_bytes() -> None:
    with pytest.raises(ValueError, match="salt"):
        msgspec.structs.replace(TABLE, seats=(FrozenSeat("Anna", b"x" * 65), *TABLE.seats[1:]))


@pytest.mark.parametrize("digest", ["", "A" * 64, "a" * 63, "g" * 64, "a " * 32])
def test_commitment_must_be_64_hexadecimal_digits(digest: str) -> None:
    with pytest.raises(ValueError, match="hexadecimal"):
        msgspec.structs.replace(TABLE, commitments=(digest, *TABLE.commitments[1:]))


def test_name_with_an_unpaired_surrogate_is_refused() -> None:
    with pytest.raises(ValueError, match="surrogates"):
        msgspec.structs.replace(TABLE, seats=(FrozenSeat("\ud83d"), *TABLE.seats[1:]))


@given(house_rules)
def test_house_rules_are_read_as_they_were_written(house: HouseRules) -> None:
    assert parse_house_rules(house_rule_words(house)) == house


def test_default_house_rules_are_written_as_nothing() -> None:
    assert house_rule_words(HouseRules()) == ()
    assert house_rule_words(
        HouseRules(intact_diggers_only=True, no_self_breaking=True, rounds=1)
    ) == (
        "intact-diggers-only",
        "no-self-breaking",
        "rounds=1",
    )


@pytest.mark.parametrize(
    "house_words",
    [
        ["open"],
        ["open-gold=1"],
        ["rounds"],
        ["rounds=3"],
        ["rounds=0"],
        ["rounds=4"],
        ["rounds=two"],
        ["rounds= 2"],
        ["rounds=02"],
        ["rounds=\u0662"],
        ["rounds=" + "9" * 5000],
        ["open-gold", "open-gold"],
        ["rounds=2", "open-gold"],
        ["open_gold"],
        [""],
    ],
)
def test_house_rules_in_another_spelling_or_order_are_refused(house_words: list[str]) -> None:
    with pytest.raises(ValueError, match=r"\S"):
        parse_house_rules(house_words)
