"""What `deploy/` ships for Prometheus and Grafana fits what a server really reports."""

import re
import subprocess
from collections import defaultdict
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from tests.deploy.monitoring import (
    DEPLOY,
    RULES_FILE,
    RULES_TEST_FILE,
    TARGET_LABELS,
    alerts,
    panels,
    queries,
)
from tests.support.cast import ALICE, BOB, CAROL
from tests.support.required_programs import promtool
from tests.support.transactions import transaction
from tests.support.visitors import Site
from webapp.kernel import urls
from webapp.operations import processes
from webapp.operations.alarms import ALARMS
from webapp.operations.audit import run_batch
from webapp.operations.site_figures import WorkReport, count_games

OPEN_LABELS = {"endpoint", "method", "status", "le", "version", "python", "schema"}
"""Their values depend on what was requested or installed."""
DOCUMENT = DEPLOY.parent / "docs" / "operating.md"


def run_promtool(*arguments: str, text: str = "") -> str:
    """Return what promtool says if it finds a fault, else nothing."""
    result = subprocess.run(
        [promtool(), *arguments], input=text, capture_output=True, text=True, check=False
    )
    return result.stdout + result.stderr if result.returncode else ""


@pytest.fixture
def metrics_text(site: Site) -> str:
    """The metrics of a server on which everything has happened once."""
    site.dealt_game(ALICE, BOB, CAROL)
    now = site.clock.now
    with transaction(site.database, now) as tx:
        work = WorkReport(has_looked_for_bots=True)
        processes.record_heartbeat(tx, "host:1", work=work)
        processes.record_beat(tx, "host:2", clock_ahead=timedelta(0))
        processes.record_sweep(tx, swept_at=now)
        run_batch(tx, limit=5)
        count_games(tx)
    client = site.app.test_client()
    client.get(urls.home())
    return client.get(urls.metrics(), headers={"Host": "127.0.0.1:8000"}).text


def label_values(metrics_text: str) -> Mapping[str, Mapping[str, set[str]]]:
    """Return the values of every label by the name of the sample and of the label."""
    values: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for family in text_string_to_metric_families(metrics_text):
        for sample in family.samples:
            values[sample.name].update()
            for label, value in sample.labels.items():
                values[sample.name][label].add(value)
    return values


def test_metrics_follow_the_conventions_of_prometheus(metrics_text: str) -> None:
    assert run_promtool("check", "metrics", text=metrics_text) == ""


def test_faulty_metrics_are_found() -> None:
    assert "no help text" in run_promtool("check", "metrics", text="lodepost_wrong_total 1\n")


def test_every_query_selects_metrics_and_labels_that_a_server_reports(metrics_text: str) -> None:
    known = label_values(metrics_text)
    for query in queries():
        reported_labels = set(TARGET_LABELS)
        for selector in query.selectors:
            assert selector.metric in known, (query.owner, selector.metric)
            labels = known[selector.metric]
            reported_labels |= labels.keys()
            for name, operator, value in selector.matchers:
                assert name in labels.keys() | TARGET_LABELS, (query.owner, name)
                if name not in OPEN_LABELS | TARGET_LABELS and operator.startswith("="):
                    assert set(value.split("|")) <= labels[name], (query.owner, value)
        assert query.kept_labels <= reported_labels, query.owner
        assert query.shown_labels <= reported_labels, query.owner


def test_every_metric_of_the_server_is_on_the_dashboard_or_in_an_alert(metrics_text: str) -> None:
    shown = {selector.metric for query in queries() for selector in query.selectors}
    names = {name for name in label_values(metrics_text) if name.startswith("lodepost_")}
    assert names <= shown


def test_queries_of_the_dashboard_can_be_read(tmp_path: Path) -> None:
    expressions = [
        target["expr"].replace("$__rate_interval", "5m")
        for panel in panels()
        for target in panel.get("targets", ())
    ]
    rules = [{"record": f"panel:{number}", "expr": text} for number, text in enumerate(expressions)]
    file = tmp_path / "panels.yml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "panels", "rules": rules}]}), "utf-8")
    assert len(expressions) > 30
    assert run_promtool("check", "rules", str(file)) == ""


def test_panels_have_their_own_place_and_number() -> None:
    numbers = [panel["id"] for panel in panels()]
    assert len(set(numbers)) == len(numbers)
    cells = [
        (column, line)
        for place in (panel["gridPos"] for panel in panels())
        for column in range(place["x"], place["x"] + place["w"])
        for line in range(place["y"], place["y"] + place["h"])
    ]
    assert len(set(cells)) == len(cells)
    assert max(column for column, _ in cells) < 24


def test_rules_and_example_configuration_are_valid() -> None:
    assert run_promtool("check", "rules", str(RULES_FILE)) == ""
    assert run_promtool("check", "config", str(DEPLOY / "prometheus" / "prometheus.yml")) == ""


def test_each_alert_fires_and_stays_quiet_in_the_tests_of_the_rules() -> None:
    assert run_promtool("test", "rules", str(RULES_TEST_FILE)) == ""
    names = [test["name"] for test in yaml.safe_load(RULES_TEST_FILE.read_text("utf-8"))["tests"]]
    expected = {
        f"{alert['alert']} {what}" for alert in alerts() for what in ("fires", "stays quiet")
    }
    assert set(names) == expected


def test_each_alert_waits_and_leads_to_what_to_do() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    for alert in alerts():
        assert alert["for"]
        assert alert["labels"]["severity"] in {"critical", "warning"}
        assert alert["annotations"]["summary"]
        document, _, anchor = alert["annotations"]["runbook"].partition("#")
        assert document == "docs/operating.md"
        assert f"`{alert['alert']}`" in section_of(text, anchor), alert["alert"]


def test_each_alarm_is_documented() -> None:
    chapter = section_of(DOCUMENT.read_text(encoding="utf-8"), "alarms")
    for alarm in ALARMS:
        assert f"`{alarm}`" in chapter, alarm


def section_of(text: str, anchor: str) -> str:
    """Return the section with this anchor and the smaller ones in it."""
    for found in re.finditer(r"^(#+) (.+)$", text, re.MULTILINE):
        if found[2].lower().replace(" ", "-").replace("'", "") == anchor:
            rest = text[found.end() :]
            following = re.search(rf"^#{{1,{len(found[1])}}} ", rest, re.MULTILINE)
            return rest[: following.start()] if following else rest
    return ""
