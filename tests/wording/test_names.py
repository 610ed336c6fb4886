"""Names of cards, roles, goals and rulebooks, and sentences about players, refusals and goals."""

from typing import Any, get_args

import pytest

from engine import errors
from engine.cards import ACTION_CARDS, GOALS, PATH_CARDS, SHAPES, TOOLS, Role
from engine.rulebook import HouseRules
from engine.rulebooks.catalogue import RULEBOOKS
from engine.view import Awaiting, ChoiceKind
from tests.support.perspectives import ANNA, BOB, ENGLISH, NAMES, ONLOOKER, is_whole_sentence
from tests.support.views import WINDING_TUNNEL, view_of
from webapp.wording import cards, results, tables, turns
from webapp.wording.error_messages import refusal
from webapp.wording.mine import goal_sentences


@pytest.mark.parametrize("reason", errors.Reason)
def test_every_refusal_is_a_whole_sentence_with_its_rule(reason: errors.Reason) -> None:
    refusal_text = refusal(reason, ENGLISH)
    assert is_whole_sentence(refusal_text.text)
    assert refusal_text.rule == reason.rule


def test_refusals_have_different_sentences() -> None:
    texts = [refusal(reason, ENGLISH).text for reason in errors.Reason]
    assert len(set(texts)) == len(texts)


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_has_a_unique_name(shape: str) -> None:
    name = cards.shape_name(shape, ENGLISH)
    assert [other for other in SHAPES if cards.shape_name(other, ENGLISH) == name] == [shape]


@pytest.mark.parametrize("card", [*PATH_CARDS, *ACTION_CARDS])
def test_every_card_has_a_name(card: str) -> None:
    assert cards.card_name(card, ENGLISH)


def test_roles_tools_goals_and_gold_have_names() -> None:
    assert {cards.role_name(role, ENGLISH) for role in get_args(Role)} == {
        "gold-digger",
        "saboteur",
    }
    assert [cards.tool_name(tool, ENGLISH) for tool in TOOLS] == ["pickaxe", "lantern", "cart"]
    assert [cards.goal_name(goal, ENGLISH) for goal in GOALS] == ["the treasure", "stone", "stone"]
    assert [cards.nuggets(count, ENGLISH) for count in (1, 2)] == ["1 nugget", "2 nuggets"]


@pytest.mark.parametrize("kind", get_args(ChoiceKind))
def test_every_awaited_choice_is_worded_for_its_player_and_for_others(kind: Any) -> None:
    view = view_of(awaiting=Awaiting(1, kind, ("I3",)))
    assert NAMES[1] in turns.awaiting_sentence(view, ANNA)
    assert is_whole_sentence(turns.awaiting_sentence(view, ANNA))
    assert NAMES[1] not in turns.awaiting_sentence(view, BOB)
    assert is_whole_sentence(turns.awaiting_sentence(view, BOB))
    assert is_whole_sentence(turns.late_sentence(view, ENGLISH))
    assert is_whole_sentence(turns.what_to_do_sentence(view, ENGLISH))
    assert turns.what_to_do_sentence(view, ENGLISH) in turns.awaiting_sentence(view, BOB)


def test_finished_game_awaits_no_one() -> None:
    finished_view = view_of(awaiting=None)
    assert turns.awaiting_sentence(finished_view, ANNA) == "The game is over."
    assert turns.late_sentence(finished_view, ENGLISH) == ""
    assert turns.what_to_do_sentence(finished_view, ENGLISH) == ""


def test_player_with_an_empty_hand_is_not_asked_for_a_card() -> None:
    view = view_of(awaiting=Awaiting(1, "turn"), hand_sizes=(6, 0, 6, 6))
    assert turns.awaiting_sentence(view, ANNA) == f"Waiting for {NAMES[1]} to play."
    assert "you can only pass" in turns.awaiting_sentence(view, BOB)
    assert "discard" not in turns.late_sentence(view, ENGLISH)
    assert "discard" in turns.late_sentence(view_of(awaiting=Awaiting(1, "turn")), ENGLISH)


def test_role_reminder_is_empty_for_onlookers() -> None:
    assert "gold-digger" in turns.role_reminder(view_of(), ANNA)
    assert "saboteur" in turns.role_reminder(view_of(role="saboteur"), ANNA)
    for role in ("digger", "saboteur"):
        reminder = turns.role_reminder(view_of(role=role), ANNA)
        assert "reveals the treasure" in reminder, (
            "in two rulebooks reaching it is not enough (R35)"
        )
    assert turns.role_reminder(view_of(role=None, seat=None), ONLOOKER) == ""


def test_winners_of_a_game_are_named() -> None:
    assert results.game_sentence(view_of(), ANNA) == ""
    assert results.game_sentence(view_of(winners=(0,)), ANNA) == "You won the game!"
    assert results.game_sentence(view_of(winners=(0,)), BOB) == "Anna won the game."
    assert results.game_sentence(view_of(winners=(0, 2)), ANNA) == (
        "Anna and Carol share first place."
    )


@pytest.mark.parametrize(
    "other_winners, i_won, sentence",
    [
        (("Bob",), False, "Bob won."),
        (("Bob", "Basalt"), False, "Bob and Basalt won."),
        ((), True, "You won."),
        (("Bob",), True, "You and Bob won."),
        ((), False, "The game is over."),
    ],
)
def test_list_of_games_says_who_won(
    *, other_winners: tuple[str, ...], i_won: bool, sentence: str
) -> None:
    assert results.winners_sentence(other_winners, i_won=i_won, language=ENGLISH) == sentence


@pytest.mark.parametrize("key", RULEBOOKS)
def test_every_rulebook_has_a_name_and_a_summary(key: str) -> None:
    assert tables.rulebook_name(key, ENGLISH)
    assert is_whole_sentence(tables.rulebook_summary(key, ENGLISH))


def test_every_house_rule_has_a_sentence_that_is_listed_when_it_is_on() -> None:
    switches = [field for field in HouseRules.__struct_fields__ if field != "rounds"]
    labels = [tables.house_rule_label(field, ENGLISH) for field in switches]
    all_house_rules = HouseRules(
        intact_diggers_only=True, open_gold=True, no_self_breaking=True, rounds=2
    )
    listed_sentences = tables.house_rules(all_house_rules, ENGLISH)
    assert set(listed_sentences) == {*labels, "The game has only 2 rounds."}
    assert len(set(labels)) == len(switches)
    assert all(map(is_whole_sentence, listed_sentences))
    assert tables.house_rules(HouseRules(), ENGLISH) == ()
    assert tables.house_rules(HouseRules(rounds=1), ENGLISH) == ("The game has only 1 round.",)


def test_revealed_goal_is_named_as_it_lies() -> None:
    laid = WINDING_TUNNEL | {"I3": "goal-tl"}
    view = view_of(
        laid, goals=("stone-tl", None, None), turned=(True, False, False), last_laid="H3"
    )
    assert goal_sentences(view, ENGLISH)[0] == "Goal I3: revealed, stone (up, left)."
