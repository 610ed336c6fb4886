"""The routes of the app with arguments, and the lines of ``rights_matrix.txt`` that say who may use them."""

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from itertools import product
from pathlib import Path
from typing import NamedTuple

from flask import Flask
from werkzeug.routing import Rule

from tests.web.populated_site import ARGUMENTS, GAME_ARGUMENT, PERSONAS, PopulatedSite

MATRIX = Path(__file__).with_name("rights_matrix.txt")
NO_TABLE_MARK = "-"


class MatrixLine(NamedTuple):
    """One line of the matrix: the routes it is about, and the answer for each persona."""

    method: str
    pattern: str
    table: str
    answers: tuple[str, ...]

    def matches(self, route: "Route") -> bool:
        return (
            self.method == route.method
            and fnmatchcase(route.name, self.pattern)
            and fnmatchcase(route.table, self.table)
        )


class Route(NamedTuple):
    """One route with arguments: ``name`` is its endpoint, with the arguments that stand for different rights."""

    method: str
    endpoint: str
    name: str
    table: str
    path: str

    def __str__(self) -> str:
        return f"{self.method} {self.name} {self.table}"


def lines_of_matrix() -> list[MatrixLine]:
    lines = []
    for text in MATRIX.read_text("utf-8").splitlines():
        words = text.split()
        if words and not words[0].startswith("#"):
            method, pattern, table, *answers = words
            lines.append(MatrixLine(method, pattern, table, _answers_of_personas(answers)))
    return lines


def _answers_of_personas(answers: list[str]) -> tuple[str, ...]:
    """Return one answer for each persona: a single one is for all, the second of two for all but visitors."""
    other_persona_count = len(PERSONAS) - 1
    answers_of_all = answers * len(PERSONAS) if len(answers) == 1 else answers
    answers_of_all = (
        [answers_of_all[0], *[answers_of_all[1]] * other_persona_count]
        if len(answers_of_all) == 2
        else answers_of_all
    )
    assert len(answers_of_all) == len(PERSONAS), answers
    return tuple(answers_of_all)


def routes_of(app: Flask, populated_site: PopulatedSite) -> list[Route]:
    """Return every route of the app, at each kind of table and with each argument that stands for a right of its own."""
    return [
        route
        for rule in app.url_map.iter_rules()
        for method in sorted((rule.methods or set()) & {"GET", "POST"})
        for route in _routes_with_arguments(app, rule, method, populated_site)
    ]


def _routes_with_arguments(
    app: Flask, rule: Rule, method: str, populated_site: PopulatedSite
) -> Iterator[Route]:
    names = sorted(rule.arguments)
    for values in product(*(_argument_values(rule, name, populated_site) for name in names)):
        arguments = _with_ids_of_club(
            dict(zip(names, (value for _, value in values), strict=True)), populated_site
        )
        labels = dict(zip(names, (label for label, _ in values), strict=True))
        table = labels.pop(GAME_ARGUMENT, NO_TABLE_MARK)
        name = ":".join([rule.endpoint, *(label for label in labels.values() if label)])
        path = app.url_map.bind("localhost").build(rule.endpoint, arguments, method=method)
        yield Route(method, rule.endpoint, name, table, path)


def _with_ids_of_club(arguments: dict[str, str], populated_site: PopulatedSite) -> dict[str, str]:
    """Return the arguments with the ids of this club's member and season."""
    ids = populated_site.club_arguments.get(arguments.get(GAME_ARGUMENT, ""), {})
    return {name: ids.get(value, value) for name, value in arguments.items()}


def _argument_values(rule: Rule, name: str, populated_site: PopulatedSite) -> list[tuple[str, str]]:
    """Return the labels and values of one argument of a route."""
    blueprint = rule.endpoint.partition(".")[0]
    if f"{blueprint}.{name}" in ARGUMENTS or name in ARGUMENTS:
        values: Mapping[str, str] = ARGUMENTS.get(f"{blueprint}.{name}") or ARGUMENTS[name]
        return list(values.items())
    if name == GAME_ARGUMENT and blueprint.startswith("club"):
        return list(populated_site.clubs.items())
    assert name == GAME_ARGUMENT, f"add {name!r} of {rule.endpoint} to ARGUMENTS"
    return list(populated_site.slugs.items())
