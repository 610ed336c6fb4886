"""Every key has a sentence; sentences are whole, name people as they are, and say "you" to whom they concern."""

import re
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any, get_args

import msgspec
import pytest

from engine import actions, errors, events
from engine.actions import Break, Lay, Look, Repair, Rockfall, TakeGold, TurnGoal
from engine.cards import ACTION_CARDS, GOALS, PATH_CARDS, SHAPES, TOOLS, Role
from engine.rulebook import HouseRules
from engine.rulebooks.catalogue import RULEBOOKS
from engine.story import Line, LineKey
from engine.view import Awaiting, ChoiceKind, legal_actions
from tests.support.views import WINDING, view_of
from webapp.i18n import language_for, zone_for
from webapp.wording import cards, people, rulebooks, times
from webapp.wording.actions import action_name
from webapp.wording.history import changed_cell, latest_deal, line_cell, sentence
from webapp.wording.history_messages import SAYINGS
from webapp.wording.mine import goals_in_words
from webapp.wording.perspective import Perspective
from webapp.wording.refusals import refusal

ENGLISH = language_for("en")
NAMES = ("Anna", "Bob & Co <b>", "Carol", "100% Dave %(x)s")
ANNA = Perspective(language=ENGLISH, names=NAMES, me=0)
BOB = Perspective(language=ENGLISH, names=NAMES, me=1)
ONLOOKER = Perspective(language=ENGLISH, names=NAMES)
NOW = datetime(2026, 3, 27, 16, 0, tzinfo=UTC)
RIGA = zone_for("Europe/Riga")

LINES = {
    LineKey.ROUND_DEALT: Line(key=LineKey.ROUND_DEALT, round=2, seat=1),
    LineKey.ROLE_DEALT: Line(
        key=LineKey.ROLE_DEALT, seat=1, role="digger", cards=("map", "path-rl")
    ),
    LineKey.CARD_LAID: Line(key=LineKey.CARD_LAID, seat=1, card="path-tr", cell="D5", turned=True),
    LineKey.GOALS_REACHED: Line(key=LineKey.GOALS_REACHED, seat=1, cells=("I3", "I5")),
    LineKey.STONE_MISFIT: Line(key=LineKey.STONE_MISFIT, seat=1, cell="I3", goal="stone-tl"),
    LineKey.TREASURE_TURNED: Line(key=LineKey.TREASURE_TURNED, seat=1, cell="I5", goal="treasure"),
    LineKey.STONE_TURNED: Line(key=LineKey.STONE_TURNED, seat=1, cell="I5", goal="stone-tr"),
    LineKey.TOOL_BROKEN: Line(key=LineKey.TOOL_BROKEN, seat=1, target=0, tool="lantern"),
    LineKey.OWN_TOOL_BROKEN: Line(key=LineKey.OWN_TOOL_BROKEN, seat=1, tool="cart"),
    LineKey.TOOL_REPAIRED: Line(
        key=LineKey.TOOL_REPAIRED, seat=1, target=0, tool="cart", card="repair-cart"
    ),
    LineKey.OWN_TOOL_REPAIRED: Line(
        key=LineKey.OWN_TOOL_REPAIRED, seat=1, tool="cart", card="repair-cart"
    ),
    LineKey.ROCK_FELL: Line(key=LineKey.ROCK_FELL, seat=1, cell="D5", card="path-rl"),
    LineKey.GOAL_LOOKED_AT: Line(key=LineKey.GOAL_LOOKED_AT, seat=1, cell="I3"),
    LineKey.GOAL_SEEN: Line(key=LineKey.GOAL_SEEN, seat=1, cell="I3", goal="treasure"),
    LineKey.DISCARDED: Line(key=LineKey.DISCARDED, seat=1),
    LineKey.CARD_DISCARDED: Line(key=LineKey.CARD_DISCARDED, seat=1, card="dead-l"),
    LineKey.PASSED: Line(key=LineKey.PASSED, seat=1),
    LineKey.CARD_DRAWN: Line(key=LineKey.CARD_DRAWN, seat=1, card="rockfall"),
    LineKey.ROUND_ENDED: Line(
        key=LineKey.ROUND_ENDED,
        round=1,
        ending="exhausted",
        side="saboteurs",
        roles=("digger", "saboteur", "digger", "digger"),
        aside="digger",
    ),
    LineKey.GOLD_DRAWN: Line(key=LineKey.GOLD_DRAWN, seat=1, count=4),
    LineKey.GOLD_HELD: Line(key=LineKey.GOLD_HELD, seat=1, gold=(3, 1, 1)),
    LineKey.GOLD_TAKEN: Line(key=LineKey.GOLD_TAKEN, seat=1),
    LineKey.GOLD_KEPT: Line(key=LineKey.GOLD_KEPT, seat=1, nuggets=3),
    LineKey.PAID: Line(key=LineKey.PAID, seat=1, nuggets=4),
    LineKey.PAID_IN_CARDS: Line(
        key=LineKey.PAID_IN_CARDS, seat=1, nuggets=4, gold=(2, 2), overshot=(3,)
    ),
    LineKey.GAME_ENDED: Line(key=LineKey.GAME_ENDED, gold=(1, 9, 4, 0), seats=(1,)),
    LineKey.SEAT_GIVEN_UP: Line(key=LineKey.SEAT_GIVEN_UP, seat=1),
    LineKey.SEAT_HANDED_OVER: Line(key=LineKey.SEAT_HANDED_OVER, seat=1),
    LineKey.REWOUND: Line(key=LineKey.REWOUND, to_seq=12),
}
NAMELESS = {LineKey.REWOUND}


def changed(key: LineKey, **fields: Any) -> Line:
    return msgspec.structs.replace(LINES[key], **fields)


def is_whole(text: str) -> bool:
    left_open = "%(" in text.replace(NAMES[3], "")
    return bool(re.match(r"[A-Z0-9]", text)) and text.endswith((".", "!")) and not left_open


def test_the_samples_hold_every_saying_and_the_table_every_variant() -> None:
    assert set(LINES) == set(LineKey)
    assert {key for key, _ in SAYINGS} == set(LineKey)


@pytest.mark.parametrize("key", LineKey)
@pytest.mark.parametrize("perspective", [ANNA, BOB, ONLOOKER], ids=["other", "actor", "onlooker"])
def test_every_line_is_a_whole_sentence_for_everybody(
    key: LineKey, perspective: Perspective
) -> None:
    assert is_whole(sentence(LINES[key], perspective))


@pytest.mark.parametrize("key", sorted(set(LineKey) - NAMELESS))
def test_others_hear_the_name_uninflected_and_who_acted_hears_you(key: LineKey) -> None:
    assert NAMES[1] in sentence(LINES[key], ANNA)
    mine = sentence(LINES[key], BOB)
    assert mine == sentence(LINES[key], ANNA) or re.search(r"\b(You|Your|Say)\b", mine)


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("key", [LineKey.TOOL_BROKEN, LineKey.TOOL_REPAIRED])
def test_whom_it_befell_hears_your(key: LineKey, tool: str) -> None:
    line = changed(key, tool=tool)
    assert f"your {tool}" in sentence(line, ANNA)
    assert f"the {tool} of Anna" in sentence(line, BOB)
    assert f"the {tool} of Anna" in sentence(line, ONLOOKER)


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("key", [LineKey.OWN_TOOL_BROKEN, LineKey.OWN_TOOL_REPAIRED])
def test_own_tools_have_sentences_of_their_own(key: LineKey, tool: str) -> None:
    assert f"their own {tool}" in sentence(changed(key, tool=tool), ANNA)
    assert f"your own {tool}" in sentence(changed(key, tool=tool), BOB)


def test_a_card_is_told_as_it_lies() -> None:
    assert sentence(LINES[LineKey.CARD_LAID], BOB) == (
        "You laid a path card at D5: bend (down, left)."
    )
    printed = changed(LineKey.CARD_LAID, turned=False)
    assert sentence(printed, BOB) == "You laid a path card at D5: bend (up, right)."


@pytest.mark.parametrize("ending", get_args(events.Ending))
@pytest.mark.parametrize("side", get_args(events.Side))
def test_every_ending_and_every_winner_has_words(ending: Any, side: Any) -> None:
    told = sentence(changed(LineKey.ROUND_ENDED, ending=ending, side=side), ANNA)
    assert is_whole(told)
    result = SimpleNamespace(
        round=1, ending=ending, winners=side, roles=("digger", "saboteur", "digger", "digger")
    )
    assert is_whole(people.round_sentence(result, ANNA))


def test_a_round_end_names_the_saboteurs_or_says_that_there_were_none() -> None:
    one = sentence(LINES[LineKey.ROUND_ENDED], ANNA)
    assert "The saboteur was: Bob & Co <b>." in one
    assert "The role card set aside: gold-digger." in one
    roles: tuple[Role, ...] = ("saboteur", "saboteur", "digger", "digger")
    two = sentence(changed(LineKey.ROUND_ENDED, roles=roles), ANNA)
    assert "The saboteurs were: Anna and Bob & Co <b>." in two
    none = sentence(changed(LineKey.ROUND_ENDED, roles=("digger",) * 4), ANNA)
    assert "There was no saboteur among the players." in none


def test_numbers_follow_the_plural() -> None:
    assert "of 1 nugget." in sentence(changed(LineKey.GOLD_KEPT, nuggets=1), ANNA)
    assert "of 3 nuggets." in sentence(LINES[LineKey.GOLD_KEPT], ANNA)
    assert sentence(LINES[LineKey.GOLD_DRAWN], BOB).startswith("4 gold cards are shared")


def test_a_saboteur_who_could_not_be_paid_is_told_so() -> None:
    for key in (LineKey.PAID, LineKey.PAID_IN_CARDS):
        told = sentence(changed(key, nuggets=0, gold=(), overshot=()), BOB)
        assert "no gold cards add up" in told


def test_cards_that_overshot_are_told_to_the_drawer() -> None:
    told = sentence(LINES[LineKey.PAID_IN_CARDS], BOB)
    assert told.endswith("One more gold card was too much and went under the pile: 3.")


def test_a_draw_that_never_came_out_even_is_told_as_it_was_e1() -> None:
    told = sentence(changed(LineKey.PAID_IN_CARDS, overshot=(3, 3), restored=True), BOB)
    assert "Too much, one after the other: 3 and 3." in told
    assert told.endswith("the pile was put back as it was and the payment was chosen from it.")
    assert "under the pile" not in told


def test_a_shared_win_names_all_winners() -> None:
    line = changed(LineKey.GAME_ENDED, seats=(0, 2), gold=(5, 1, 5, 0))
    told = sentence(line, ANNA)
    assert "share first place: Anna and Carol." in told
    assert "Anna 5, Bob & Co <b> 1, Carol 5 and 100% Dave %(x)s 0." in told


def test_only_what_changed_the_mine_has_a_small_picture() -> None:
    assert line_cell(LINES[LineKey.CARD_LAID]) == "D5"
    assert line_cell(LINES[LineKey.ROCK_FELL]) == "D5"
    assert line_cell(LINES[LineKey.GOAL_LOOKED_AT]) is None
    assert changed_cell((LINES[LineKey.DISCARDED], LINES[LineKey.CARD_LAID])) == "D5"
    assert changed_cell((LINES[LineKey.DISCARDED],)) is None


@pytest.mark.parametrize("reason", errors.Reason)
def test_every_refusal_says_why_and_what_would_be_right(reason: errors.Reason) -> None:
    told = refusal(reason, ENGLISH)
    assert is_whole(told.text)
    assert told.rule == errors.RULES[reason]


def test_no_two_refusals_read_the_same() -> None:
    texts = [refusal(reason, ENGLISH).text for reason in errors.Reason]
    assert len(set(texts)) == len(texts)


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_has_a_name_of_its_own(shape: str) -> None:
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


def test_every_kind_of_action_has_a_name() -> None:
    views = [
        view_of(hand=("path-tr", "break-cart", "repair-pickaxe-cart", "rockfall", "map")),
        view_of(hand=()),
        view_of(awaiting=Awaiting(0, "goal", ("I3", "I5"))),
        view_of(awaiting=Awaiting(0, "way-round", ("I3",))),
        view_of(awaiting=Awaiting(0, "gold"), gold_held=(3, 1)),
    ]
    acted = [(action, view) for view in views for action in legal_actions(view)]
    assert {type(action) for action, _ in acted} == set(get_args(actions.Action))
    assert all(action_name(action, ANNA, view=view) for action, view in acted)


def test_actions_are_told_apart_by_what_they_do() -> None:
    view = view_of()
    names = [action_name(action, ANNA, view=view) for action in legal_actions(view)]
    assert len(set(names)) == len(names)


def test_acting_on_oneself_is_worded_for_oneself() -> None:
    view = view_of()
    assert action_name(Break("break-cart", 0), ANNA, view=view) == "Break your own cart"
    assert action_name(Break("break-cart", 2), ANNA, view=view) == "Break the cart of Carol"
    mend = Repair("repair-pickaxe-cart", 0, "cart")
    assert action_name(mend, ANNA, view=view) == (
        "Mend your own cart with this card: repair: pickaxe or cart"
    )
    assert "of Carol" in action_name(Repair("repair-cart", 2, "cart"), ANNA, view=view)


def test_an_action_says_what_it_befalls() -> None:
    view = view_of()
    assert action_name(Rockfall("G2"), ANNA, view=view) == (
        "Let rock fall at G2 and bury: dead end (right, down)"
    )
    assert action_name(Rockfall("Q9"), ANNA, view=view) == "Let rock fall at Q9"
    assert action_name(Look("I5"), ANNA, view=view) == "Look at goal I5 with a map"
    assert action_name(Lay("path-tr", "E5", turned=True), ANNA, view=view) == (
        "Lay a path card at E5, turned round: bend (down, left)"
    )
    assert action_name(TakeGold(1), ANNA, view=view) == "Keep the gold card of 1 nugget"


def test_the_ways_round_of_a_stone_are_named_by_their_open_sides() -> None:
    view = view_of(
        goals=("stone-tl", None, None),
        turned=(True, False, False),
        awaiting=Awaiting(0, "way-round", ("I3",)),
    )
    assert action_name(TurnGoal(turned=False), ANNA, view=view) == (
        "Let the stone at I3 lie so: stone (up, left)"
    )
    assert action_name(TurnGoal(turned=True), ANNA, view=view).endswith("stone (right, down)")
    elsewhere = {
        action_name(TurnGoal(turned=turned), ANNA, view=view_of()) for turned in (True, False)
    }
    assert elsewhere == {"Turn the stone round", "Leave the stone as it is"}


@pytest.mark.parametrize("kind", get_args(ChoiceKind))
def test_every_kind_of_waiting_is_told_to_whom_it_concerns_and_to_others(kind: Any) -> None:
    due = Awaiting(1, kind, ("I3",))
    assert NAMES[1] in people.awaiting_sentence(due, ANNA)
    assert is_whole(people.awaiting_sentence(due, ANNA))
    assert NAMES[1] not in people.awaiting_sentence(due, BOB)
    assert is_whole(people.awaiting_sentence(due, BOB))


def test_nobody_is_awaited_once_the_game_is_over() -> None:
    assert people.awaiting_sentence(None, ANNA) == "The game is over."


def test_the_role_reminder_says_what_one_wins_by_and_nothing_to_onlookers() -> None:
    assert "gold-digger" in people.role_reminder(view_of(), ANNA)
    assert "saboteur" in people.role_reminder(view_of(role="saboteur"), ANNA)
    assert people.role_reminder(view_of(role=None, seat=None), ONLOOKER) == ""


def test_the_winner_of_a_game_is_named() -> None:
    assert people.game_sentence(view_of(), ANNA) == ""
    assert people.game_sentence(view_of(winners=(0,)), ANNA) == "You win the game!"
    assert people.game_sentence(view_of(winners=(0,)), BOB) == "Anna wins the game."
    assert people.game_sentence(view_of(winners=(0, 2)), ANNA).endswith("Anna and Carol.")


@pytest.mark.parametrize("key", RULEBOOKS)
def test_every_rulebook_has_a_name_and_a_summary(key: str) -> None:
    assert rulebooks.rulebook_name(key, ENGLISH)
    assert is_whole(rulebooks.rulebook_summary(key, ENGLISH))


def test_every_house_rule_has_a_label_and_is_listed_when_it_is_on() -> None:
    fields = HouseRules.__struct_fields__
    labels = [rulebooks.house_rule_label(field, ENGLISH) for field in fields]
    assert len(set(labels)) == len(fields)
    assert rulebooks.house_rules(HouseRules(), ENGLISH) == ()
    everything = HouseRules(
        intact_diggers_only=True, open_gold=True, no_self_breaking=True, rounds=2
    )
    assert len(rulebooks.house_rules(everything, ENGLISH)) == len(fields)
    assert rulebooks.house_rules(HouseRules(rounds=1), ENGLISH) == ("A shorter game of 1 round",)


def test_instants_are_told_in_the_zone_of_the_reader_right_through_daylight_saving() -> None:
    before, after = datetime(2026, 3, 28, 17, tzinfo=UTC), datetime(2026, 3, 29, 17, tzinfo=UTC)
    told = [times.absolute(at, now=NOW, zone=RIGA, language=ENGLISH) for at in (before, after)]
    assert told == ["Sat 28 Mar, 19:00 (EET)", "Sun 29 Mar, 20:00 (EEST)"]
    next_year = datetime(2027, 1, 2, 8, tzinfo=UTC)
    assert times.absolute(next_year, now=NOW, zone=RIGA, language=ENGLISH) == (
        "Sat, 2 Jan 2027, 10:00 (EET)"
    )


def test_a_zone_without_an_abbreviation_is_named_by_its_distance() -> None:
    told = times.absolute(NOW, now=NOW, zone=zone_for("Asia/Dubai"), language=ENGLISH)
    assert told.endswith("(UTC+0400)")


@pytest.mark.parametrize(
    "gap, told",
    [
        (timedelta(hours=3), "in 3 hours"),
        (timedelta(hours=30), "in 30 hours"),
        (timedelta(hours=36), "in 36 hours"),
        (timedelta(days=2), "in 2 days"),
        (timedelta(days=2) - timedelta(seconds=5), "in 2 days"),
        (timedelta(hours=60), "in 60 hours"),
        (timedelta(days=3.8), "in 3 days"),
        (timedelta(days=10.5), "in 10 days"),
        (timedelta(days=24.4), "in 24 days"),
        (timedelta(minutes=90), "in 90 minutes"),
        (timedelta(minutes=59.9), "in 60 minutes"),
        (-timedelta(days=400), "13 months ago"),
        (-timedelta(minutes=20), "20 minutes ago"),
        (-timedelta(seconds=68), "1 minute ago"),
        (timedelta(seconds=20), "in a moment"),
        (-timedelta(seconds=20), "just now"),
        (timedelta(), "just now"),
    ],
)
def test_gaps_are_told_in_the_unit_that_fits(gap: timedelta, told: str) -> None:
    assert times.relative(NOW + gap, now=NOW, language=ENGLISH) == told


def test_a_deadline_is_told_absolutely_and_relatively_and_as_past_when_it_is() -> None:
    ahead = times.deadline(NOW + timedelta(hours=5), now=NOW, zone=RIGA, language=ENGLISH)
    assert ahead == "Time until Fri 27 Mar, 23:00 (EET), in 5 hours."
    past = times.deadline(NOW - timedelta(hours=5), now=NOW, zone=RIGA, language=ENGLISH)
    assert past == "Time ran out on Fri 27 Mar, 13:00 (EET), 5 hours ago."


def test_a_deadline_is_late_soon_or_calm() -> None:
    gaps = (timedelta(), timedelta(hours=3), timedelta(hours=4))
    assert [times.urgency(NOW + gap, now=NOW) for gap in gaps] == ["late", "soon", "calm"]
    assert times.duration(timedelta(days=2), ENGLISH) == "2 days"
    assert times.duration(timedelta(days=1), ENGLISH) == "1 day"
    assert times.duration(timedelta(hours=36), ENGLISH) == "36 hours"
    assert times.duration(timedelta(minutes=90), ENGLISH) == "90 minutes"


def test_a_goal_turned_over_is_named_as_it_lies() -> None:
    laid = WINDING | {"I3": "goal-tl"}
    view = view_of(
        laid, goals=("stone-tl", None, None), turned=(True, False, False), last_laid="H3"
    )
    assert goals_in_words(view, ENGLISH)[0] == "Goal I3: turned over: stone (up, left)."


def test_the_mine_of_a_turn_before_the_latest_deal_is_gone() -> None:
    laid = Line(key=LineKey.CARD_LAID, seat=1, card="path-tb", cell="H5")
    dealt = Line(key=LineKey.ROUND_DEALT, seat=0, round=2)
    assert latest_deal([(laid,), (laid, dealt), (laid,)]) == 1
    assert latest_deal([(laid,), ()]) == -1
