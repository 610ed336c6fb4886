"""`lodepost simulate`: let bots play whole games and print statistics."""

import argparse
import json
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from engine.bots.keen import DEFAULT_ROLLOUTS
from engine.bots.policy import LEVELS
from engine.bots.simulation import Simulation, SimulationSettings, simulate
from engine.cards import HAND_SIZES
from engine.record import write_record
from engine.rulebooks.catalogue import DEFAULT_RULEBOOK, RULEBOOKS

_DEFAULT_PLAYERS: Final = 5


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument(
        "--rulebook",
        metavar="KEY",
        choices=tuple(RULEBOOKS),
        default=DEFAULT_RULEBOOK,
        help=f"the rulebook: {', '.join(RULEBOOKS)}",
    )
    parser.add_argument(
        "--players",
        metavar="N",
        type=int,
        choices=tuple(HAND_SIZES),
        default=_DEFAULT_PLAYERS,
        help=f"the number of players, 3 to 10; {_DEFAULT_PLAYERS} if not given",
    )
    parser.add_argument(
        "--games", metavar="N", type=_parse_positive_number, default=100, help="the number of games"
    )
    parser.add_argument(
        "--seed", metavar="S", default="0", help="the same seed gives the same games"
    )
    _add_levels(parser)
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object instead of a table"
    )
    parser.add_argument(
        "--save", metavar="DIR", type=Path, help="save every game to this folder as a .game file"
    )


def _add_levels(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--diggers", choices=LEVELS, default="steady", help="how gold-diggers play")
    parser.add_argument("--saboteurs", choices=LEVELS, default="steady", help="how saboteurs play")
    parser.add_argument(
        "--rollouts",
        metavar="N",
        type=_parse_number,
        default=DEFAULT_ROLLOUTS,
        help="how many rollouts a keen bot makes for a decision; with 0 it does not look ahead",
    )


def run(arguments: argparse.Namespace) -> int:
    """Play and, if wanted, save the games, and print the statistics."""
    started_at = time.perf_counter()
    tally = Tally()
    for game in _simulated_games(arguments):
        tally.count(game)
        if arguments.save is not None:
            _save_game(game, arguments.save)
    figures = tally.figures(seconds=time.perf_counter() - started_at)
    print(json.dumps(figures) if arguments.json else _statistics_table(figures))
    return 0


def _parse_number(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"expected a number from 0 up, not {text!r}")
    return int(text)


def _parse_positive_number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise argparse.ArgumentTypeError(f"expected a number from 1 up, not {text!r}")
    return int(text)


def _simulated_games(arguments: argparse.Namespace) -> Iterable[Simulation]:
    simulation_settings = SimulationSettings(
        rulebook=arguments.rulebook,
        players=arguments.players,
        levels={"digger": arguments.diggers, "saboteur": arguments.saboteurs},
        rollouts=arguments.rollouts,
    )
    seed = arguments.seed.encode("utf-8", "surrogateescape")
    for number in range(1, arguments.games + 1):
        yield simulate(simulation_settings, name=f"simulated-{number}", seed=seed)


_PRINTED_NAMES: Final = {"nobody": "no one"}
"""The names in the printed table that differ from those of the rules and the JSON."""


class Tally:
    """Statistics of the games played so far."""

    def __init__(self) -> None:
        """Start with zero games."""
        self.games = self.turns = self.gold_paid = 0
        self.rounds_won = Counter({"diggers": 0, "saboteurs": 0, "nobody": 0})
        self.endings: Counter[str] = Counter()

    def count(self, game: Simulation) -> None:
        """Add one finished game."""
        self.games += 1
        self.turns += len(game.record.turns) - 1
        self.rounds_won.update(result.winners for result in game.state.results)
        self.endings.update(result.ending for result in game.state.results)
        self.gold_paid += sum(map(sum, game.state.gold))

    def figures(self, *, seconds: float) -> dict[str, object]:
        """Return the statistics by name; ``turns`` includes choices of goals and gold, ``gold_paid`` is in nuggets."""
        return {
            "games": self.games,
            "rounds": self.rounds_won.total(),
            "turns": self.turns,
            "rounds_won": dict(self.rounds_won),
            "endings": dict(self.endings),
            "gold_paid": self.gold_paid,
            "seconds": round(seconds, 3),
        }


def _save_game(game: Simulation, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{game.record.table.game}.game"
    file.write_text(write_record(game.record), encoding="utf-8")


def _statistics_table(figures: dict[str, object]) -> str:
    width = max(map(len, figures))
    return "\n".join(
        f"{name.replace('_', ' '):{width}}  {_table_cell(value)}" for name, value in figures.items()
    )


def _table_cell(value: object) -> str:
    return (
        ", ".join(f"{count} {_PRINTED_NAMES.get(name, name)}" for name, count in value.items())
        if isinstance(value, dict)
        else str(value)
    )
