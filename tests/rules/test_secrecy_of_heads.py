"""Heads reveal nothing during play: two games that a seat cannot tell apart show it heads from which nothing can be computed.

The attacker here knows everything but the secrets of the deal: the freeze record, all heads, and every secret of both games. It only
has to say which of the two games was played. Heads without a secret nonce would tell it, and the tests prove that first.
"""

import hashlib
import hmac
from collections.abc import Iterator
from itertools import product

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.commitments import Secrets, commitments, length_prefixed
from engine.record import RecordedTurn, TurnChain, turn_text
from engine.rulebooks.catalogue import RULEBOOKS
from engine.view import awaiting
from tests.support.engine.counterfactual_games import (
    Move,
    PlayedGame,
    counterfactual_game,
    play_moves,
)
from tests.support.engine.in_memory_game import InMemoryGame
from tests.support.engine.positions import DEFAULT_HOUSE
from tests.support.engine.random_players import mostly_digging_action
from tests.support.engine.sample_games import sample_secrets
from tests.support.engine.seeded_random import ScriptedChance, SeededRng

FREEZE = b"the freeze record, which every player has"
PUBLIC_COMMITMENTS = tuple(map(bytes.fromhex, commitments("a game", sample_secrets(1))))


class PredictableChain(TurnChain):
    """A chain whose nonces are no secret; the chain of the format must not be one."""

    def __init__(self, secrets: Secrets, record: bytes, known_nonce: bytes) -> None:
        super().__init__(secrets, record)
        self._known_nonce = known_nonce

    def nonce(self, seq: int) -> bytes:  # noqa: ARG002 - the same for every turn
        return self._known_nonce


def game_and_counterfactual(rulebook: str, seed: int) -> tuple[PlayedGame, PlayedGame]:
    """Return two games of four that seat 0 cannot tell apart."""
    rng = SeededRng(seed)
    game = InMemoryGame(
        rulebook, seats=4, house=DEFAULT_HOUSE, starter=None, chance=ScriptedChance(seed)
    )
    played_game = play_moves(
        game, 30, lambda game: Move("play", action=mostly_digging_action(game.state, rng))
    )
    return played_game, counterfactual_game(played_game, 0, rng)


def turns_of(played_game: PlayedGame) -> list[RecordedTurn]:
    actions = [None, *(move.action for move in played_game.moves)]
    seats = [None, *(awaiting(state) for state in played_game.states[:-1])]
    return [
        RecordedTurn(
            seat=None if awaited is None else awaited.seat,
            by="player",
            action=action,
            events=events,
        )
        for action, awaited, events in zip(actions, seats, played_game.game.log, strict=True)
    ]


def known_byte_strings(previous_head: bytes) -> Iterator[bytes]:
    """Yield what an attacker could try as the nonce of a turn, or as the key of one."""
    yield from (b"", bytes(32), previous_head, FREEZE, hashlib.sha256(FREEZE).digest())
    yield from PUBLIC_COMMITMENTS
    yield TurnChain(sample_secrets(1), FREEZE).start


def guessed_heads(previous_head: bytes, seq: int, turn: RecordedTurn) -> Iterator[bytes]:
    """Yield every head that an attacker can compute for a turn without a secret of the deal."""
    known = list(known_byte_strings(previous_head))
    messages = (
        b"",
        seq.to_bytes(8, "big"),
        length_prefixed(FREEZE) + length_prefixed(b"turns") + seq.to_bytes(8, "big"),
    )
    keyed = [hmac.digest(key, message, "sha256") for key, message in product(known, messages)]
    text = turn_text(seq, turn).encode()
    for nonce in (*known, *keyed):
        parts = (b"lodepost turn 1", previous_head, nonce, text)
        yield hashlib.sha256(b"".join(map(length_prefixed, parts))).digest()
        yield hashlib.sha256(b"".join(parts)).digest()
    yield hashlib.sha256(text).digest()
    yield hashlib.sha256(previous_head + text).digest()


def recognized_turns(heads: tuple[bytes, ...], start: bytes, guess: PlayedGame) -> list[int]:
    """Return the turns of which an attacker can say that they were as in the guessed game."""
    previous_heads = (start, *heads)
    return [
        seq
        for seq, (head, turn) in enumerate(zip(heads, turns_of(guess), strict=True))
        if head in set(guessed_heads(previous_heads[seq], seq, turn))
    ]


@given(st.integers(0, 2**30), st.sampled_from(list(RULEBOOKS)))
def test_attacker_recognizes_neither_of_two_games(seed: int, rulebook: str) -> None:
    actual, counterfactual = game_and_counterfactual(rulebook, seed)
    chain = TurnChain(sample_secrets(1), FREEZE)
    heads = chain.heads(turns_of(actual))
    assert recognized_turns(heads, chain.start, actual) == []
    assert recognized_turns(heads, chain.start, counterfactual) == []


@pytest.mark.parametrize("nonce", [b"", bytes(32), *PUBLIC_COMMITMENTS])
def test_attacker_recognizes_the_game_by_heads_with_known_nonces(nonce: bytes) -> None:
    actual, counterfactual = game_and_counterfactual("en-2004", 3)
    chain = PredictableChain(sample_secrets(1), FREEZE, nonce)
    heads = chain.heads(turns_of(actual))
    assert recognized_turns(heads, chain.start, actual) == list(range(len(heads)))
    assert len(recognized_turns(heads, chain.start, counterfactual)) < len(heads)


def test_no_bit_of_a_head_depends_on_what_a_seat_cannot_know() -> None:
    """Over the secrets that a game may have, every bit of the head is as often set in one game as in the other."""
    samples = 600
    turns_of_games = [turns_of(game) for game in game_and_counterfactual("en-2004", 5)]
    counts = [[0] * 256, [0] * 256]
    for seed in range(samples):
        chain = TurnChain(sample_secrets(seed), FREEZE)
        for count, turns in zip(counts, turns_of_games, strict=True):
            head = int.from_bytes(chain.head_after(chain.start, 0, turns[0]), "big")
            for bit in range(256):
                count[bit] += head >> bit & 1
    # Five standard deviations of a fair coin.
    tolerance = 5 * (samples / 4) ** 0.5
    assert all(abs(count - samples / 2) < tolerance for bits in counts for count in bits)


def test_nonces_follow_from_the_secret_of_the_gold_alone() -> None:
    """It is revealed with all others when the game is over, and no deal shows more of it than the order of the gold."""
    secrets, other_secrets = sample_secrets(1), sample_secrets(2)
    with_same_gold = msgspec.structs.replace(other_secrets, gold=secrets.gold)
    nonce = TurnChain(secrets, FREEZE).nonce(4)
    assert TurnChain(with_same_gold, FREEZE).nonce(4) == nonce
    assert TurnChain(other_secrets, FREEZE).nonce(4) != nonce
