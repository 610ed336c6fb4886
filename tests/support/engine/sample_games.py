"""Sample games with hostile player names and salts, played randomly and recorded."""

from hashlib import sha256
from typing import Final

from engine.commitments import FrozenSeat, FrozenTable, Secrets, commitments
from engine.record import Record
from engine.rulebook import HouseRules
from tests.support.engine.game_recorder import GameRecorder
from tests.support.engine.seeded_random import SeededRng

NAMES: Final = (
    "Anna",
    'Bob "the cart" O\'Neil \\',
    "Žanete Ķēniņa",
    "Олена\nseat 5: forged",
    "\u202eevil\u202c \x1b[2J\t\x00\x7f",
    "\U0001f9d1\u200d\U0001f33e \u2028",
    "",
    " blank ",
    "名前",
    "نام",
)


def sample_secrets(seed: int) -> Secrets:
    gold, round_1, round_2, round_3 = (
        sha256(f"{seed}/{part}".encode()).digest() for part in range(4)
    )
    return Secrets(gold=gold, round_1=round_1, round_2=round_2, round_3=round_3)


def sample_recorder(
    rulebook: str = "en-2004",
    *,
    seats: int = 4,
    seed: int = 0,
    house: HouseRules | None = None,
    starter: int | None = None,
) -> GameRecorder:
    """Return the recorder of a game just dealt."""
    secrets = sample_secrets(seed)
    table = FrozenTable(
        game="brave-otter-3",
        rulebook=rulebook,
        house=house or HouseRules(),
        starter=starter,
        commitments=commitments("brave-otter-3", secrets),
        seats=tuple(
            FrozenSeat(name, bytes([number]) * (number * 7 % 65))
            for number, name in enumerate(NAMES[:seats])
        ),
    )
    return GameRecorder(table, secrets, SeededRng(seed))


def eventful_record(rulebook: str, *, seats: int = 5, seed: int = 1) -> Record:
    """Return the record of a finished game with hand-overs, seats given up and rewinds."""
    recorder = sample_recorder(rulebook, seats=seats, seed=seed, house=HouseRules(open_gold=True))
    recorder.play_randomly(7).hand_over(2).play_randomly(40).rewind(30)
    recorder.play_randomly(3).rewind(44).play_randomly(30).give_up(1)
    recorder.play_randomly(5).rewind(20).play_randomly(60).give_up(0)
    return recorder.play_randomly().record()
