"""The chain of turns is documented byte for byte; a second implementation, written from that text alone, must agree with it."""

import hashlib
import hmac

import msgspec
import pytest

from engine.actions import Discard
from engine.commitments import Secrets
from engine.events import Discarded, Drawn
from engine.record import Record, RecordedTurn, TurnChain, turn_text, write_record
from tests.support.engine.sample_games import eventful_record, sample_secrets
from tests.support.rulebook_groups import every_rulebook

SECRETS = Secrets(gold=bytes(range(32)), round_1=b"1" * 32, round_2=b"2" * 32, round_3=b"3" * 32)
FREEZE = b"what the table froze"
TURN = RecordedTurn(
    seat=1, by="player", action=Discard("map"), events=(Discarded(1, "map"), Drawn(1, "rockfall"))
)
VECTOR_START = "e83dd2d9984992e2bba76d22b419a356f86a0d0e7fbcac18a72cbe039b071358"
VECTOR_NONCE = "0d1476b86077b5c144afbca94a29068283df1e7a47211d43ce017a9f829c6a19"
VECTOR_HEAD = "a4e39535f13bff28c5971e08fbcebd5c39ddbaccf9185bfa368666f5ff9d5dc2"


def field(content: bytes) -> bytes:
    return len(content).to_bytes(4, "big") + content


def reference_heads(record: Record) -> list[str]:
    """Compute the heads from the text of the file, as its description says."""
    lines: list[str] = []
    for line in write_record(record).split("\n"):
        if line.startswith(" " * 6):
            lines[-1] += " " + line.removeprefix(" " * 6)
        else:
            lines.append(line)
    lines = lines[lines.index("") + 1 :]
    lines = lines[: lines.index("")]
    first_lines = [number for number, line in enumerate(lines) if not line.startswith(" ")]
    assert record.secrets is not None
    head = hashlib.sha256(field(b"lodepost chain 1") + field(record.freeze)).digest()
    heads = []
    for seq, first_line in enumerate(first_lines):
        end = [*first_lines, len(lines)][seq + 1]
        text = "".join(f"{line}\n" for line in lines[first_line:end])
        opening = field(record.freeze) + field(b"turns") + seq.to_bytes(8, "big")
        nonce = hmac.new(record.secrets.gold, opening, hashlib.sha256).digest()
        parts = (b"lodepost turn 1", head, nonce, text.encode())
        head = hashlib.sha256(b"".join(map(field, parts))).digest()
        heads.append(head.hex())
    return heads


def test_chain_matches_its_test_vector() -> None:
    chain = TurnChain(SECRETS, FREEZE)
    assert (
        turn_text(7, TURN)
        == "7 seat 2: discard map (by player)\n  2 discarded map\n  2 drew rockfall\n"
    )
    assert chain.start.hex() == VECTOR_START
    assert chain.nonce(7).hex() == VECTOR_NONCE
    assert chain.head_after(chain.start, 7, TURN).hex() == VECTOR_HEAD


@every_rulebook
def test_heads_follow_from_the_text_of_the_file(rulebook: str) -> None:
    record = eventful_record(rulebook)
    assert record.secrets is not None
    heads = TurnChain(record.secrets, record.freeze).heads(record.turns)
    assert [head.hex() for head in heads] == reference_heads(record)
    assert heads[-1].hex() == record.head


@pytest.mark.parametrize(
    "changed_part",
    [
        {"seat": 2},
        {"seat": None},
        {"by": "bot"},
        {"action": Discard("rockfall")},
        {"action": None},
        {"events": TURN.events[:1]},
        {"events": TURN.events[::-1]},
    ],
    ids=str,
)
def test_every_part_of_a_turn_changes_the_head(changed_part: dict[str, object]) -> None:
    chain = TurnChain(SECRETS, FREEZE)
    changed_turn = msgspec.structs.replace(TURN, **changed_part)
    assert chain.head_after(chain.start, 1, changed_turn) != chain.head_after(chain.start, 1, TURN)


def test_head_depends_on_all_turns_before_and_on_the_freeze_record() -> None:
    record = eventful_record("en-2004")
    assert record.secrets is not None
    chain = TurnChain(record.secrets, record.freeze)
    other_chain = TurnChain(record.secrets, record.freeze + b"!")
    heads = chain.heads(record.turns)
    assert len({*heads, *other_chain.heads(record.turns)}) == 2 * len(heads)
    assert chain.heads(record.turns[1:])[-1] != heads[-1]


def test_nonces_differ_by_turn_and_game() -> None:
    nonces = [
        TurnChain(sample_secrets(seed), FREEZE).nonce(seq) for seed in range(3) for seq in range(9)
    ]
    assert len(set(nonces)) == len(nonces)


def test_chain_has_no_secret_in_its_repr() -> None:
    assert repr(TurnChain(SECRETS, FREEZE)) == "<TurnChain>"
