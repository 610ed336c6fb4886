"""What it takes to add an act: one module, and nothing that lists it."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.support.acts import ledger_acts, recipients, site_moderator
from tests.support.cast import ALICE, BOB, CAROL
from tests.support.visitors import Site
from webapp.cli import main
from webapp.kernel import urls
from webapp.kernel.rights import GameRight
from webapp.moderation import acts
from webapp.play.changes.acts import Act, ActInput, acts_by_name

_NEW_MODULE: Final = '''"""Wave to everyone at the table."""

import argparse

from webapp.kernel.i18n import N_
from webapp.kernel.rights import GameRight
from webapp.play.changes.acts import NumberField
from webapp.play.changes.acts import Act, ActInput, ActLimit, ActCommand
from webapp.play.changes.public_change import ChangeSource, PlannedChange, PublicChange


class WaveInput(ActInput, frozen=True, kw_only=True):
    """How many hands wave."""

    hands: int = 1


class WaveAct(Act[WaveInput]):
    name = "wave"
    right = GameRight.ANNOUNCE_TO_TABLE
    label = N_("Wave")
    summary = N_("Wave to the table")
    announcement = N_("Someone waves to this table.")
    note = N_("It costs nothing.")
    input_type = WaveInput
    fields = (NumberField("hands", N_("Hands"), low=1, high=2, default="1"),)
    command = ActCommand("game", "wave", "wave to the table", order=10)
    group = ("reach", 4)
    is_bulk = True
    is_on_dashboard = True
    limit = ActLimit(2)

    def plan(self, source: ChangeSource, given: WaveInput) -> PlannedChange:
        assert given.hands in {1, 2}
        return PlannedChange(change=PublicChange())

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--hands", type=int, default=1)


ACT = WaveAct()
'''


@pytest.fixture
def _new_act(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Add a module to the folder of acts for one test."""
    (tmp_path / "wave.py").write_text(_NEW_MODULE)
    monkeypatch.setattr(acts, "__path__", [*acts.__path__, str(tmp_path)])
    acts_by_name.cache_clear()
    yield
    sys.modules.pop("webapp.moderation.acts.wave")
    acts_by_name.cache_clear()


@pytest.mark.usefixtures("_new_act")
def test_module_is_all_that_a_new_act_needs(
    site: Site,
    database_url: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    dealt = site.dealt_game(ALICE, BOB, CAROL)
    alice, bob = dealt.visitors[:2]
    mo = site.signed_out().with_session(site_moderator(site.database).cookie)
    for page in (mo.page(urls.moderated_game(dealt.slug)), mo.page(urls.moderation())):
        assert "Wave" in page.text
    assert "Wave to the table" in alice.page(urls.game(dealt.slug)).text
    act_page = alice.page(urls.moderated_act(dealt.slug, "wave", hands=2))
    for text in ("Wave to the table", "Hands", "Someone waves to this table.", "It costs nothing."):
        assert text in act_page.text
    form = next(form for form in act_page.forms if form.method == "post")
    assert alice.send(form, reason="hello").status_code == 303
    assert "Someone waves to this table." in bob.page(urls.game(dealt.slug)).text
    assert recipients(site.database) == sorted(guest.person.id for guest in dealt.guests)
    monkeypatch.setenv("DATABASE_URL", database_url)
    monkeypatch.setenv("SECRET_KEY", "k" * 32)
    assert main(["game", "wave", dealt.slug, "--hands", "2", "--reason", "hello again"]) == 0
    assert capsys.readouterr().out == "Someone waves to this table.\n"
    assert ledger_acts(site.database) == ["wave", "wave"]
    assert "Wave" in mo.page(urls.ledger(act="wave")).text
    assert "This has been done" in mo.page(urls.moderated_act(dealt.slug, "wave")).text


@pytest.mark.parametrize("act", acts_by_name().values(), ids=lambda act: act.name)
def test_act_names_its_input_and_its_texts(act: Act[ActInput]) -> None:
    assert act.label
    assert act.summary
    assert act.announcement
    assert act.name == act.right
    assert issubclass(act.input_type, ActInput)
    assert act.undone_as is None or acts_by_name()[act.undone_as]
    assert act.has_page or act.right == GameRight.SEAT_PERSON


_PUBLIC_NAMES: Final = frozenset(
    {
        *("actor", "by", "clock", "game", "tx", "now", "row", "seq", "turn_seq", "id", "status"),
        *("awaiting", "deadline_at", "host_id", "is_hosted_by", "seat_of", "seats", "number"),
        *("account_id", "is_before_deal", "seat", "before", "after", "offered_by", "offer"),
        *("extend", "extended_deadline", "deadline_with_time_to_react", "time_shown"),
        *("find_of_game", "has_open_offer", "kind", "is_waiting", "days"),
    }
)
"""What acts read of a game and its clock: what everyone at the table may know. A new name must be public too."""


def test_acts_read_nothing_but_public_facts_of_a_game() -> None:
    """A ``source`` holds the whole game with every role, its plans and its held turn."""
    modules = list(Path(acts.__path__[0]).glob("*.py"))
    reads = {
        (module.name, node.attr)
        for module in modules
        for function in _functions_that_see_a_game(ast.parse(module.read_text()))
        for node in ast.walk(function)
        if isinstance(node, ast.Attribute) and not node.attr.isupper()
        if not (isinstance(node.value, ast.Name) and node.value.id == "given")
    }
    assert len(modules) > len(acts_by_name())
    assert {read for read in reads if read[1] not in _PUBLIC_NAMES} == set()
    assert not [module for module in modules if "getattr" in module.read_text()]


def _functions_that_see_a_game(module: ast.Module) -> Iterator[ast.FunctionDef]:
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef):
            names = {argument.arg for argument in node.args.args}
            if names & {"source", "row", "game"}:
                yield node
