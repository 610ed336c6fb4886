"""The dashboard and the alert rules of `deploy/`, and what their expressions select."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import yaml

DEPLOY: Final = Path(__file__).parents[2] / "deploy"
RULES_FILE: Final = DEPLOY / "prometheus" / "lodepost.rules.yml"
RULES_TEST_FILE: Final = DEPLOY / "prometheus" / "lodepost.rules.test.yml"
_SELECTOR: Final = re.compile(r"\b((?:lodepost|process|python)_\w+)(?:\{([^}]*)\})?")
_MATCHER: Final = re.compile(r'(\w+)(=~|!~|!=|=)"([^"]*)"')
_GROUPING: Final = re.compile(r"\bby \(([^)]*)\)")
_LEGEND_LABEL: Final = re.compile(r"\{\{(\w+)\}\}")
TARGET_LABELS: Final = frozenset({"job", "instance"})
"""Prometheus adds them."""


class Selector(NamedTuple):
    """A metric in an expression, and the labels that it is selected by: name, operator, value."""

    metric: str
    matchers: tuple[tuple[str, str, str], ...]


class Query(NamedTuple):
    """An expression of a panel or an alert, and the labels that its text shows."""

    owner: str
    expression: str
    shown_labels: frozenset[str]

    @property
    def selectors(self) -> list[Selector]:
        return [
            Selector(found[1], tuple(_MATCHER.findall(found[2] or "")))
            for found in _SELECTOR.finditer(self.expression)
        ]

    @property
    def kept_labels(self) -> frozenset[str]:
        """The labels by which the expression groups."""
        found = ",".join(_GROUPING.findall(self.expression)).split(",")
        return frozenset(word.strip() for word in found if word.strip())


def panels() -> list[dict[str, Any]]:
    dashboard = json.loads((DEPLOY / "grafana" / "lodepost.json").read_text(encoding="utf-8"))
    return list(dashboard["panels"])


def alerts() -> list[dict[str, Any]]:
    groups = yaml.safe_load(RULES_FILE.read_text(encoding="utf-8"))["groups"]
    return [rule for group in groups for rule in group["rules"]]


def queries() -> Iterator[Query]:
    """Yield the queries of all panels and alerts."""
    for panel in panels():
        for target in panel.get("targets", ()):
            labels = frozenset(_LEGEND_LABEL.findall(target["legendFormat"]))
            yield Query(panel["title"], target["expr"], labels)
    for alert in alerts():
        labels = frozenset(re.findall(r"\$labels\.(\w+)", alert["annotations"]["description"]))
        yield Query(alert["alert"], alert["expr"], labels)
