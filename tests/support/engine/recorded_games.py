"""Whole games with their records: dealt by provable chance, and played with all that may befall a game."""

from collections.abc import Sequence
from hashlib import sha256
from typing import Final

from engine.actions import Action
from engine.events import Event
from engine.fairness import FrozenSeat, FrozenTable, Secrets, commitments, freeze
from engine.record import Record, RecordedTurn, TurnSource
from engine.rulebook import HouseRules
from engine.shuffle import ProvableChance
from tests.support.positions import Dice, Game, due_seat, erring_action

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


def secrets_for(seed: int) -> Secrets:
    gold, first, second, third = (sha256(f"{seed}/{part}".encode()).digest() for part in range(4))
    return Secrets(gold=gold, round_1=first, round_2=second, round_3=third)


def table_for(
    rulebook: str,
    seats: int,
    secrets: Secrets,
    *,
    house: HouseRules,
    starter: int | None = None,
) -> FrozenTable:
    return FrozenTable(
        game="brave-otter-3",
        rulebook=rulebook,
        house=house,
        starter=starter,
        commitments=commitments("brave-otter-3", secrets),
        seats=tuple(
            FrozenSeat(name, bytes([number]) * (number * 7 % 65))
            for number, name in enumerate(NAMES[:seats])
        ),
    )


class Recorder:
    """A game that is written down as it is played."""

    def __init__(
        self,
        rulebook: str = "en-2004",
        *,
        seats: int = 4,
        seed: int = 0,
        house: HouseRules | None = None,
        starter: int | None = None,
    ) -> None:
        self.secrets = secrets_for(seed)
        self.dice = Dice(seed)
        self.table = table_for(
            rulebook, seats, self.secrets, house=house or HouseRules(), starter=starter
        )
        self.game = Game(
            rulebook,
            seats=seats,
            house=self.table.house,
            starter=starter,
            chance=ProvableChance(self.secrets, freeze(self.table)),
        )
        self.turns: list[RecordedTurn] = []
        self.note(None, None, self.game.log[0])

    def note(
        self,
        seat: int | None,
        action: Action | None,
        events: Sequence[Event],
        by: TurnSource = "player",
    ) -> None:
        self.turns.append(RecordedTurn(seat=seat, by=by, action=action, events=tuple(events)))

    def play(self, times: int | None = None) -> "Recorder":
        """Play on, to the end or for so many turns."""
        while not self.game.is_over and times != 0:
            seat, action = due_seat(self.game.state), erring_action(self.game.state, self.dice)
            self.note(seat, action, self.game.play(action))
            times = None if times is None else times - 1
        return self

    def give_up(self, seat: int) -> "Recorder":
        events = self.game.give_up(seat, self.dice.below)
        self.note(None, None, events, by="moderator")
        return self

    def hand_over(self, seat: int) -> "Recorder":
        self.note(seat, None, self.game.hand_over(seat), by="moderator")
        return self

    def rewind(self, to_seq: int) -> "Recorder":
        self.note(None, None, self.game.rewind(to_seq), by="moderator")
        return self

    def record(self, *, opened: bool = True) -> Record:
        return Record(
            table=self.table,
            freeze=freeze(self.table),
            turns=tuple(self.turns),
            secrets=self.secrets if opened else None,
        )


def eventful(rulebook: str, *, seats: int = 5, seed: int = 1) -> Record:
    """A finished game in which people came, went and went back."""
    recorder = Recorder(rulebook, seats=seats, seed=seed, house=HouseRules(open_gold=True))
    recorder.play(7).hand_over(2).play(40).rewind(30).play(3).rewind(44).play(30).give_up(1)
    recorder.play(5).rewind(20).play(60).give_up(0)
    return recorder.play().record()
