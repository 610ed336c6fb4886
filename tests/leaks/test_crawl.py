"""Nothing that leaves a site with a running game reveals to a reader what they may not know."""

from collections.abc import Iterator
from typing import Final

import pytest

from tests.leaks.crawl import READER_OF_EVERYTHING, crawl
from tests.leaks.known_secrets import KnownSecret, find_secrets, secrets_of
from tests.leaks.observed_site import READERS, ObservedSite, Reader, running_observed_site
from tests.leaks.output_differences import FAULTS_OUTPUT, differences
from tests.leaks.planted_leaks import PLANTED_LEAKS, PlantedLeak, crawled_endpoints, plant_together
from tests.leaks.routes import FORMS_BY_ENDPOINT, PATHS_BY_ENDPOINT
from tests.leaks.seed_data import SeedData, seed
from tests.leaks.shown_heads import without_heads
from tests.support.compiled_templates import create_app
from tests.support.postgres import Postgres
from tests.support.sizes import is_full_run
from tests.support.visitors import settings_for
from webapp.mail.email import emails_by_kind

_CRAWLING_READERS: Final = tuple(
    reader for reader in READERS if is_full_run() or reader not in {2, 3}
)
"""The usual run leaves out two seats: those before them see the same pages, and host the tables and the clubs."""
_PLANTED_LEAKS_BY_NAME: Final = {
    f"to {reader}": tuple(leak for leak in PLANTED_LEAKS if leak.reader == reader)
    for reader in dict.fromkeys(leak.reader for leak in PLANTED_LEAKS)
} | ({leak.name: (leak,) for leak in PLANTED_LEAKS} if is_full_run() else {})
"""The leaks to each reader are planted together, in the full run also one by one."""
_EXPECTED_STATUSES: Final = frozenset(
    {"200", "302", "303", "400", "404", "405", "409", "413", "415", "422", "429", "500"}
)
_INTERNAL_OUTPUTS: Final = ("log", FAULTS_OUTPUT, "nudges")
"""Outputs that are not sent to the reader."""

_EMAILS_TO_EVERYONE: Final[frozenset[str]] = frozenset(
    {
        "invitation",
        "table-cancelled",
        "table-waiting",
        "player-removed",
        "ready-check-missed",
        "ready-check-over",
        "club-invitation",
        "club-announcement",
        "club-act",
        "player-left",
        "turn-missed",
        "seat-opened",
        "open-seats",
        "ban-lifted",
    }
)
"""What anyone with an account may get, whether they play in the running game or not."""
_EMAILS_TO_PLAYERS: Final[frozenset[str]] = frozenset(
    {
        "dealt",
        "your-turn",
        "reminder",
        "reply-answered",
        "deadlines-moved",
        "briefing",
        "round-over",
        "moderator-act",
        "vote-opened",
        "vote-ended",
        "nudge",
        "warning",
        "ban",
        "report-decided",
        "address-change",
        "address-requested",
        "address-changed",
    }
)


@pytest.fixture(scope="module")
def seed_data(postgres: Postgres) -> Iterator[SeedData]:
    with postgres.migrated_database() as url:
        yield seed(url)


def found_leaks(
    postgres: Postgres,
    seed_data: SeedData,
    reader: Reader,
    *,
    planted_leaks: tuple[PlantedLeak, ...] = (),
) -> dict[str, str]:
    """Return the outputs that reveal something to this reader, each with what it reveals.

    With planted leaks, crawl only their endpoints.
    """
    plant_leak = plant_together(planted_leaks) if planted_leaks else None
    only_endpoints = crawled_endpoints(planted_leaks)
    with running_observed_site(
        postgres, seed_data, reader, is_counterfactual=False, plant_leak=plant_leak
    ) as observed_site:
        secrets = list(secrets_of(observed_site))
        actual = without_heads(crawl(observed_site, only_endpoints=only_endpoints), observed_site)
        missing_outputs = {} if only_endpoints else _missing_outputs(observed_site, actual)
    with running_observed_site(
        postgres, seed_data, reader, is_counterfactual=True, plant_leak=plant_leak
    ) as observed_site:
        counterfactual = without_heads(
            crawl(observed_site, only_endpoints=only_endpoints), observed_site
        )
    known_secrets = _secrets_in_logs(actual, secrets) | find_secrets(
        _sent_to_reader(actual), secrets, reader
    )
    diffs = differences(actual, counterfactual)
    return missing_outputs | {
        output: f"{known_secrets.get(output, '')}\n{diffs.get(output, '')}"
        for output in known_secrets | diffs
    }


def _missing_outputs(observed_site: ObservedSite, outputs: dict[str, str]) -> dict[str, str]:
    """Return what the crawl should have got and did not: it was not compared."""
    missing_emails = _missing_emails(outputs, observed_site.reader)
    if observed_site.reader != READER_OF_EVERYTHING:
        return missing_emails
    return missing_emails | _missing_kinds(observed_site) | _missing_statuses(outputs)


def _missing_kinds(observed_site: ObservedSite) -> dict[str, str]:
    """Return the kinds of email that the site did not send, and those that it should not have sent."""
    sent_kinds = {
        email.message.partition(b"Feedback-ID: ")[2].partition(b":")[0].decode()
        for email in observed_site.recording_transport.emails
    }
    # Once a game is over, nothing in it is secret.
    expected_kinds = set(emails_by_kind()) - {"game-over"}
    return {f"emails of kind {kind}": "" for kind in sent_kinds ^ expected_kinds}


def _missing_statuses(outputs: dict[str, str]) -> dict[str, str]:
    statuses = {text[:3] for text in _sent_to_reader(outputs).values()}
    return {f"missing status {status}": "" for status in _EXPECTED_STATUSES - statuses}


def _missing_emails(outputs: dict[str, str], reader: Reader) -> dict[str, str]:
    """Return the kinds of email that this reader should have got and did not: their content was not compared."""
    expected = _EMAILS_TO_EVERYONE if reader != "onlooker" else frozenset[str]()
    if isinstance(reader, int):
        expected |= _EMAILS_TO_PLAYERS
    caused_kinds = {output.split()[1] for output in outputs if output.startswith("email ")}
    return {f"missing email {kind}": "" for kind in expected - caused_kinds}


def _sent_to_reader(outputs: dict[str, str]) -> dict[str, str]:
    return {output: text for output, text in outputs.items() if output not in _INTERNAL_OUTPUTS}


def _secrets_in_logs(outputs: dict[str, str], secrets: list[KnownSecret]) -> dict[str, str]:
    """Return secrets in internal outputs, where no reader may find any. Row ids are allowed: they help to find a fault."""
    secrets_except_row_ids = [secret for secret in secrets if not secret.is_row_id]
    log_outputs = {output: outputs[output] for output in ("log", "nudges")}
    # The variables of a fault contain the session of the request: error trackers remove cookies.
    forbidden_in_faults = [secret for secret in secrets_except_row_ids if not secret.is_session]
    faults = {FAULTS_OUTPUT: outputs[FAULTS_OUTPUT]}
    return find_secrets(log_outputs, secrets_except_row_ids, "no one") | find_secrets(
        faults, forbidden_in_faults, "no one"
    )


def test_crawl_lists_every_route() -> None:
    app = create_app(settings_for("postgresql+psycopg://user@127.0.0.1:9/none"))
    rules = list(app.url_map.iter_rules())
    assert set(PATHS_BY_ENDPOINT) == {rule.endpoint for rule in rules}
    assert set(FORMS_BY_ENDPOINT) == {
        rule.endpoint for rule in rules if "POST" in (rule.methods or ())
    }


@pytest.mark.parametrize("reader", _CRAWLING_READERS)
def test_no_output_reveals_what_the_reader_may_not_know(
    postgres: Postgres, seed_data: SeedData, reader: Reader
) -> None:
    assert found_leaks(postgres, seed_data, reader) == {}


@pytest.mark.parametrize(
    "planted_leaks", _PLANTED_LEAKS_BY_NAME.values(), ids=_PLANTED_LEAKS_BY_NAME
)
def test_planted_leak_is_found_in_its_output(
    postgres: Postgres, seed_data: SeedData, planted_leaks: tuple[PlantedLeak, ...]
) -> None:
    findings = found_leaks(
        postgres, seed_data, planted_leaks[0].reader, planted_leaks=planted_leaks
    )
    found_names = [leak.name for leak in PLANTED_LEAKS if leak.is_among(findings)]
    assert found_names == [leak.name for leak in planted_leaks]
