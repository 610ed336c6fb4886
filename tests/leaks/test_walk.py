"""Everything that leaves a site with a running game, told to every reader, holds nothing that this reader may not know."""

from collections.abc import Iterator
from typing import get_args

import pytest

from tests.leaks.ground import READERS, Plant, Reader, ground
from tests.leaks.needles import Needle, found, needles
from tests.leaks.planted_leaks import PLANTED, Planted
from tests.leaks.routes import FORMS, PATHS
from tests.leaks.stock import Stock, stocked
from tests.leaks.walk import differences, walk
from tests.support.compiled_templates import create_app
from tests.support.postgres import Postgres
from tests.support.visitors import settings_for
from webapp.services.email_kinds import NotificationKind

_WRITTEN_DOWN = ("journal", "locals of faults", "nudges")


@pytest.fixture(scope="module")
def stock(postgres: Postgres) -> Iterator[Stock]:
    with postgres.migrated_database() as url:
        yield stocked(url)


def leaks(
    postgres: Postgres,
    stock: Stock,
    reader: Reader,
    *,
    plant: Plant | None = None,
    only: frozenset[str] = frozenset(),
) -> dict[str, str]:
    """Where this reader is told something, each with what it is."""
    with ground(postgres, stock, reader, other=False, plant=plant) as one:
        hidden = list(needles(one))
        here = walk(one, only=only)
    with ground(postgres, stock, reader, other=True, plant=plant) as one:
        there = walk(one, only=only)
    return (
        _written_down(here, hidden)
        | found(_answers(here), hidden, reader)
        | differences(here, there)
    )


def _answers(said: dict[str, str]) -> dict[str, str]:
    return {place: words for place, words in said.items() if place not in _WRITTEN_DOWN}


def _written_down(said: dict[str, str], hidden: list[Needle]) -> dict[str, str]:
    """What is written down is for nobody's eyes; but the number of a row helps who looks for a fault."""
    hidden = [needle for needle in hidden if not needle.name.startswith("the number of")]
    journal = {place: said[place] for place in ("journal", "nudges")}
    # Of the variables of a fault, the session is the asker's own: whoever collects them hides cookies.
    kept = [needle for needle in hidden if not needle.name.startswith("the session of")]
    faults = {"locals of faults": said["locals of faults"]}
    return found(journal, hidden, "nobody") | found(faults, kept, "nobody")


def test_the_walk_knows_every_route() -> None:
    app = create_app(settings_for("postgresql+psycopg://nobody@127.0.0.1:9/none"))
    rules = list(app.url_map.iter_rules())
    assert set(PATHS) == {rule.endpoint for rule in rules}
    assert set(FORMS) == {rule.endpoint for rule in rules if "POST" in (rule.methods or ())}


@pytest.mark.parametrize("reader", READERS)
def test_nothing_tells_a_reader_what_it_may_not_know(
    postgres: Postgres, stock: Stock, reader: Reader
) -> None:
    assert leaks(postgres, stock, reader) == {}


def test_the_walk_meets_every_kind_of_letter_and_of_answer(
    postgres: Postgres, stock: Stock
) -> None:
    with ground(postgres, stock, 0, other=False) as one:
        said = walk(one)
        sent = {
            parcel.message.partition(b"Feedback-ID: ")[2].partition(b":")[0]
            for parcel in one.recording.parcels
        }
    assert {kind.decode() for kind in sent} | {"game-over"} == set(get_args(NotificationKind))
    statuses = {words[:3] for words in _answers(said).values()}
    assert statuses >= {
        "200",
        "302",
        "303",
        "400",
        "404",
        "405",
        "409",
        "413",
        "415",
        "422",
        "429",
        "500",
    }


@pytest.mark.parametrize("planted", PLANTED, ids=lambda planted: planted.name)
def test_a_planted_leak_is_found_where_it_was_planted(
    postgres: Postgres, stock: Stock, planted: Planted
) -> None:
    only = frozenset({planted.endpoint} - {"refusals"} or {"lobby.sit"})
    places = leaks(postgres, stock, 1, plant=planted.put, only=only)
    assert [place for place in places if place.startswith(planted.place)]
