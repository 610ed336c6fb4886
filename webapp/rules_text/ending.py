"""Chapters about reaching goals, the end of a round and the rounds of a game."""

from typing import Final

from engine.rulebook import Rulebook
from webapp.rules_text.page_parts import Chapter, Rule, Translate, rule

_RULEBOOK_WHERE_LAID_CARD_MUST_REACH: Final = "lt-2009"
"""The document whose words could mean that only a card beside the goal reaches it (E34)."""

_RULEBOOK_WHERE_A_GOAL_MAY_BE_REVEALED: Final = "et-2007"
"""The document in which revealing a reached goal reads like an offer (E4)."""
_RULEBOOKS_GIVING_A_REASON_FOR_PASSES: Final = ("et-2007", "uk-2017")
"""The documents whose circle of passes is one of players without a playable card (E13)."""


def reaching_goals_chapter(book: Rulebook, _: Translate) -> Chapter:
    return Chapter(
        "reaching",
        _("Reaching a goal"),
        (
            _reached_goals_rule(book, _),
            _several_goals_rule(book, _),
            rule(
                "R29 R30 E21",
                _(
                    "Stone stays face up and becomes part of the mine. It's turned so that its tunnels fit, and never moves again."
                ),
            ),
            rule(
                "E7 E8",
                _(
                    "If the stone fits neither way, the player of the last path card chooses how it lies. If a tunnel then ends at rock, it just isn't connected."
                ),
            ),
            rule("R31", _("The treasure ends the round right away.")),
        ),
    )


def _reached_goals_rule(book: Rulebook, _: Translate) -> Rule:
    reached_text = _(
        "You reach a goal when your path card completes an unbroken path from the start to it. The goal is then revealed."
    )
    if book.key != _RULEBOOK_WHERE_LAID_CARD_MUST_REACH:
        return rule("R27", reached_text)
    return rule(
        "R27 E34",
        reached_text,
        _(
            "The printed rules say that the card laid must reach the goal. Here it's the path that counts: a card that closes a gap further back reveals the goal too."
        ),
    )


def _several_goals_rule(book: Rulebook, _: Translate) -> Rule:
    if book.reveal_all_goals:
        return rule(
            "R28 E10 E11",
            _(
                "If one card reaches several goals, all of them are revealed. A stone can carry the path on to the next goal, until no new goals are reached. If several stones fit neither way, the player chooses from top to bottom."
            ),
        )
    return rule(
        "R28 E4 E5 E10 E11",
        _(
            "If one card reaches several goals, its player chooses one to reveal. One is always revealed."
        ),
        _(
            "The others stay face down. While a path still joins one of them to the start, the next path card, laid anywhere by any player, reveals one. Its player chooses if there are several, and counts as having reached it."
        ),
        _may_reveal_sentence(book, _),
    )


def _may_reveal_sentence(book: Rulebook, _: Translate) -> str:
    if book.key == _RULEBOOK_WHERE_A_GOAL_MAY_BE_REVEALED:
        return _(
            "The printed rules say that the player may reveal a goal, and nothing about the others that were reached. Revealing one each time, and when the others follow, is our choice."
        )
    return _(
        "The printed rules say nothing about the other goals that were reached. When they're revealed is our choice."
    )


def ending_chapter(book: Rulebook, _: Translate) -> Chapter:
    return Chapter(
        "ending",
        _("The end of a round"),
        (
            _ending_without_treasure_rule(book, _),
            rule(
                "R34",
                _("The gold-diggers win when an unbroken path joins the start to the treasure."),
            ),
            _saboteurs_win_rule(book, _),
            rule(
                "R33 E30",
                _("When the round is over, all roles are shown, including the unused role card."),
            ),
            rule(
                "E14",
                _("A round never ends early, even if no path can reach the treasure any more."),
            ),
        ),
    )


def _ending_without_treasure_rule(book: Rulebook, _: Translate) -> Rule:
    if book.circle_of_passes:
        circle_text = _(
            "If no one finds the treasure, the round ends with a full circle of passes: once the deck is empty, every player passes in turn. Each of these turns must start with the deck empty, and any card played restarts the count. You can pass even if you hold a card you could play."
        )
        if book.key not in _RULEBOOKS_GIVING_A_REASON_FOR_PASSES:
            return rule("R32 E13", circle_text, _hands_run_out_sentence(book, _))
        return rule(
            "R32 E13",
            circle_text,
            _(
                "The printed rules say that everyone passes because no one has a playable card. Here the reason isn't checked."
            ),
            _hands_run_out_sentence(book, _),
        )
    return rule(
        "R32",
        _("If no one finds the treasure, the round ends when the deck and all hands are empty."),
    )


def _hands_run_out_sentence(book: Rulebook, _: Translate) -> str:
    if book.pass_with_empty_hand:
        return _(
            "When the deck and all hands are empty, the missing passes are made automatically, one for each player in turn. The player who completes the circle has ended the round."
        )
    return _("When the deck and all hands are empty, the round ends right away.")


def _saboteurs_win_rule(book: Rulebook, _: Translate) -> Rule:
    no_saboteur_text = _("If there's no saboteur among the players either, no one wins the round.")
    if book.treasure_must_be_turned:
        return rule(
            "R35",
            _(
                "The saboteurs win if the treasure hasn't been revealed, even if a path leads to it."
            ),
            no_saboteur_text,
        )
    return rule(
        "R35", _("The saboteurs win if no path has reached the treasure."), no_saboteur_text
    )


def rounds_chapter(book: Rulebook, _: Translate) -> Chapter:
    return Chapter(
        "rounds",
        _("Three rounds"),
        (
            rule("R47", _("A game has three rounds, unless the table chose fewer.")),
            rule(
                "R48 E3",
                _(
                    "For each round, the goals, the deck and all role cards, including the unused one, are shuffled again. You keep the gold you've won. The gold pile isn't reshuffled."
                ),
            ),
            _next_starter_rule(book, _),
            rule(
                "R50",
                _(
                    "After the last round, the player with the most nuggets wins. Tied players share the place."
                ),
            ),
        ),
    )


def _next_starter_rule(book: Rulebook, _: Translate) -> Rule:
    if book.next_starter == "left-of-first-starter":
        return rule(
            "R49 E28",
            _(
                "The player to the left of the player who started round one starts both round two and round three."
            ),
        )
    if book.pass_with_empty_hand:
        return rule(
            "R49",
            _(
                "The next round is started by the player to the left of the player who ended this one by revealing the treasure or completing the circle of passes."
            ),
        )
    return rule(
        "R49",
        _("The next round is started by the player to the left of the one who had the last turn."),
    )
