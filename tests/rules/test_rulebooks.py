"""The six rulebooks as values: they differ as the reference model says, and a released one never changes."""

import ast
import hashlib
from pathlib import Path

import msgspec
import pytest

import engine
from engine.rulebook import Rulebook
from engine.rulebooks.catalogue import RULEBOOKS
from tests.reference_model import differences
from tests.support.rulebook_groups import ALL_RULEBOOKS

DIGESTS = {
    "en-2004": "af7c9a78f703e03274b8b8a55b13336e52c5697131ea05df37b4ce5d529ee383",
    "lv-2009": "102a0dde8bfbbb234e95c7d6bec5cf3793c5c50ca586b8079841647df9399587",
    "et-2007": "4de565858c333e6f706c3d9fd02b4b345a5c025ea778b98cd5f43f3cd9cd0cdf",
    "sv-web": "d44375a9727d22bbc5155a528dca6b55207c2928de452958ad0a4c09f859a3eb",
    "lt-2009": "2602ebaa4d2eea986d917e2706f33a764488a3fe0dde3da1efea12f171caf567",
    "uk-2017": "690bd529594c8f9a57986b7d94875e3954473897e8fd3678ebef0d979013cde7",
}
"""A released rulebook is frozen, because running and finished games use it; a changed rule needs a new key."""

SWITCHES_IN_MODEL = {
    "continue_path": differences.R13_MUST_CONTINUE_FROM_START,
    "build_from_goal_alone": differences.R14_PATH_CARD_MAY_TOUCH_ONLY_A_STONE,
    "reveal_all_goals": differences.R28_ALL_REACHED_GOALS_ARE_TURNED,
    "circle_of_passes": differences.R32_A_CIRCLE_OF_PASSES_ENDS_THE_ROUND,
    "pass_with_empty_hand": differences.R12_EMPTY_HANDS_PASS_TO_COMPLETE_THE_CIRCLE,
    "treasure_must_be_turned": differences.R35_TREASURE_MUST_BE_TURNED_OVER,
    "gold_per_digger": differences.R36_ONE_GOLD_CARD_PER_DIGGER,
    "nine_gold_cards_for_ten": differences.R37_NINE_CARDS_WITH_TEN_PLAYERS,
    "leftovers_go_round": differences.R40_REMAINING_GOLD_GOES_ROUND_AGAIN,
}
GOLD_SECRECY = {
    "en-2004": "should",
    "lv-2009": "must",
    "et-2007": "recommended",
    "sv-web": "must",
    "lt-2009": "should",
    "uk-2017": "table-may-choose",
}


def digest(rulebook: Rulebook) -> str:
    """Return a hash over the switches in alphabetical order, so that their order in the source does not matter."""
    switches = sorted(msgspec.structs.asdict(rulebook).items())
    text = "".join(f"{name}={value}\n" for name, value in switches)
    return hashlib.sha256(text.encode()).hexdigest()


def test_released_rulebooks_keep_their_digests() -> None:
    assert {key: digest(rulebook) for key, rulebook in RULEBOOKS.items()} == DIGESTS


def test_every_rulebook_is_listed_under_its_key() -> None:
    assert set(RULEBOOKS) == set(differences.RULEBOOKS) == set(ALL_RULEBOOKS)
    assert all(rulebook.key == key for key, rulebook in RULEBOOKS.items())


def test_switches_equal_the_table_of_differences() -> None:
    assert {
        switch: {key: getattr(rulebook, switch) for key, rulebook in RULEBOOKS.items()}
        for switch in SWITCHES_IN_MODEL
    } == SWITCHES_IN_MODEL


def test_starters_equal_the_table_of_differences_r6_r49() -> None:
    rulebooks_with_youngest = {
        key for key, rulebook in RULEBOOKS.items() if rulebook.first_starter == "youngest"
    }
    assert rulebooks_with_youngest == {
        key for key, starter_kind in differences.R6_WHO_STARTS.items() if starter_kind == "youngest"
    }
    assert {key for key, rulebook in RULEBOOKS.items() if rulebook.first_starter == "anyone"} == {
        key for key, starter_kind in differences.R6_WHO_STARTS.items() if starter_kind == "anyone"
    }
    left_of_first_starter = {
        key: rulebook.next_starter == "left-of-first-starter" for key, rulebook in RULEBOOKS.items()
    }
    assert left_of_first_starter == differences.R49_LEFT_OF_ROUND_ONES_STARTER


def test_gold_secrecy_equals_the_rulebooks_r46() -> None:
    assert {key: rulebook.gold_secrecy for key, rulebook in RULEBOOKS.items()} == GOLD_SECRECY


def test_every_switch_is_compared_with_the_table_of_differences() -> None:
    compared_fields = {*SWITCHES_IN_MODEL, "key", "first_starter", "next_starter", "gold_secrecy"}
    assert compared_fields == set(Rulebook.__struct_fields__)


def test_rulebook_is_immutable() -> None:
    rulebook = RULEBOOKS["en-2004"]
    with pytest.raises(AttributeError):
        rulebook.continue_path = True  # type: ignore[misc]


def test_no_rule_compares_rulebook_keys() -> None:
    """Switches name a rule and never a rulebook, so that a new rulebook needs no new code."""
    folder = Path(engine.__file__ or "").parent
    files_with_rulebook_keys = [
        path.name
        for path in folder.rglob("*.py")
        if path.parent.name != "rulebooks" and RULEBOOKS.keys() & _constants_of(path)
    ]
    assert files_with_rulebook_keys == []


def _constants_of(path: Path) -> set[object]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
