"""`python3 dev.py bench roles`: let bots play, and print who wins and how well their roles can be guessed from what they do."""

import argparse
import json
import os
from collections.abc import Callable, Iterable

from bench.roles.report import evidence_of, matches_of, report_lines, report_object, report_rows
from engine.bots.keen import DEFAULT_ROLLOUTS
from engine.bots.policy import LEVELS
from engine.cards import HAND_SIZES
from engine.rulebooks.catalogue import DEFAULT_RULEBOOK, RULEBOOKS

REPORTED_SIZES = (3, 4, 5, 7, 10)


def main() -> None:
    """Play every match and print the report, or with ``--evidence`` the fit of how much public actions say."""
    arguments = parser().parse_args()
    sizes = (arguments.players,) if arguments.players else REPORTED_SIZES
    matches = [
        match._replace(rollouts=arguments.rollouts)
        for match in matches_of(arguments.rulebook, sizes, arguments.diggers, arguments.saboteurs)
    ]
    options = {
        "games": arguments.games,
        "seed": arguments.seed.encode(),
        "processes": len(os.sched_getaffinity(0)),
    }
    if arguments.evidence:
        evidence = evidence_of(matches, **options)
        print_object_or_lines(arguments, evidence.json_object, evidence.lines)
        return
    rows = report_rows(matches, **options)
    print_object_or_lines(arguments, lambda: report_object(rows), lambda: report_lines(rows))


def parser() -> argparse.ArgumentParser:
    """Return the parser of the options."""
    option_parser = argparse.ArgumentParser(prog="dev.py bench roles")
    option_parser.add_argument("--rulebook", choices=tuple(RULEBOOKS), default=DEFAULT_RULEBOOK)
    option_parser.add_argument(
        "--players",
        metavar="N",
        type=int,
        choices=tuple(HAND_SIZES),
        help=f"the number of players; if not given, {', '.join(map(str, REPORTED_SIZES))}",
    )
    option_parser.add_argument(
        "--games", metavar="N", type=int, default=100, help="the number of games of each match"
    )
    option_parser.add_argument("--seed", default="0", help="the same seed gives the same games")
    option_parser.add_argument("--diggers", choices=LEVELS, default="steady")
    option_parser.add_argument("--saboteurs", choices=LEVELS, default="steady")
    option_parser.add_argument(
        "--rollouts",
        metavar="N",
        type=int,
        default=DEFAULT_ROLLOUTS,
        help="how many rollouts a keen bot makes for a decision; with 0 it does not look ahead",
    )
    option_parser.add_argument(
        "--evidence",
        action="store_true",
        help="print how much each kind of public action says about a role, beside what bots take it for",
    )
    option_parser.add_argument("--json", action="store_true", help="print one JSON object")
    return option_parser


def print_object_or_lines(
    arguments: argparse.Namespace,
    json_object: Callable[[], dict[str, object]],
    lines: Callable[[], Iterable[str]],
) -> None:
    """Print one JSON object if that is wanted, or else each line as soon as it is known."""
    for line in [json.dumps(json_object())] if arguments.json else lines():
        print(line, flush=True)


if __name__ == "__main__":
    main()
