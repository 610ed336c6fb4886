"""Reaching a goal, the end of a round, the gold, the rounds."""

from typing import Final

from engine.rulebook import Rulebook
from webapp.rules_text.shapes import Chapter, Grid, Rule, Say, rule

_PAYS_NO_LONE_SABOTEUR: Final = "sv-web"
"""The document whose words could mean that with three or four players no saboteur is paid (E33)."""
_THE_CARD_LAID_MUST_REACH: Final = "lt-2009"
"""The document whose words could mean that only a card beside the goal reaches it (E34)."""


def reaching(book: Rulebook, _: Say) -> Chapter:
    return Chapter(
        "reaching",
        _("Reaching a goal"),
        (
            _reached(book, _),
            _several(book, _),
            rule(
                "R29 R30 E21",
                _(
                    "Stone stays where it is, face up, and becomes part of the mine. It is turned so that its tunnels fit, and lies so for good."
                ),
            ),
            rule(
                "E7 E8",
                _(
                    "If the stone fits its neighbours neither way round, whoever laid the last path card says how it lies. A tunnel that then ends at rock is simply not joined."
                ),
            ),
            rule("R31", _("The treasure ends the round at once.")),
        ),
    )


def _reached(book: Rulebook, _: Say) -> Rule:
    reached = _(
        "A goal is reached when a laid path card makes an unbroken path from the start to it. Then it is turned over."
    )
    if book.key != _THE_CARD_LAID_MUST_REACH:
        return rule("R27", reached)
    return rule(
        "R27 E34",
        reached,
        _(
            "The printed rules say that the card laid must reach the goal. Here the path must reach it: a card that closes a gap further back turns the goal over too."
        ),
    )


def _several(book: Rulebook, _: Say) -> Rule:
    if book.reveal_all_goals:
        return rule(
            "R28 E10 E11",
            _(
                "If one card reaches several goals, all of them are turned over. A stone may carry the path on to the next goal; this goes on until nothing new is joined. When several stones fit neither way round, they are asked about from top to bottom."
            ),
        )
    return rule(
        "R28 E4 E5 E10 E11",
        _(
            "If one card reaches several goals, one of them is turned over, and whoever laid the card says which. One always is."
        ),
        _(
            "The others stay face down. As long as such a goal is joined, the next path card, laid anywhere by anybody, turns one over; its player chooses if there are several and counts as the one who reached it."
        ),
    )


def ending(book: Rulebook, _: Say) -> Chapter:
    return Chapter(
        "ending",
        _("The end of a round"),
        (
            _without_treasure(book, _),
            rule(
                "R34",
                _("The gold-diggers win when an unbroken path joins the start to the treasure."),
            ),
            _saboteurs_win(book, _),
            rule(
                "R33 E30",
                _(
                    "When the round is over all roles are shown, and the role card that lay aside too."
                ),
            ),
            rule(
                "E14",
                _(
                    "Nobody ends a round early, not even when no path can lead to the treasure any more."
                ),
            ),
        ),
    )


def _without_treasure(book: Rulebook, _: Say) -> Rule:
    if book.circle_of_passes:
        return rule(
            "R32 E13",
            _(
                "Without treasure the round ends, once the deck is empty, with a full circle of passes: every player in turn passes. Each of these turns must have begun with the deck empty, and any card played starts the count again. It is not checked whether a player held back a playable card."
            ),
            _hands_run_out(book, _),
        )
    return rule("R32", _("Without treasure the round ends when the deck and all hands are empty."))


def _hands_run_out(book: Rulebook, _: Say) -> str:
    if book.pass_with_empty_hand:
        return _(
            "When the deck and all hands are empty, the passes still missing from the circle are made at once and automatically, one for each player in turn. The player who completes the circle has ended the round."
        )
    return _("When the deck and all hands are empty, the round ends at once.")


def _saboteurs_win(book: Rulebook, _: Say) -> Rule:
    nobody = _("If there was no saboteur among the players either, nobody wins the round.")
    if book.treasure_must_be_turned:
        return rule(
            "R35",
            _(
                "The saboteurs win when the treasure was not turned over, even if a path leads to it."
            ),
            nobody,
        )
    return rule("R35", _("The saboteurs win when no path has reached the treasure."), nobody)


def gold(book: Rulebook, _: Say) -> Chapter:
    return Chapter(
        "gold",
        _("Gold"),
        (
            _cards_drawn(book, _),
            rule(
                "R38 R39 E15 E16",
                _(
                    "Whoever's path card turned over the treasure takes these cards and, as a gold-digger, keeps one first. A saboteur who completed the path gets nothing: the next gold-digger counter-clockwise begins."
                ),
            ),
            _passed_on(book, _),
            rule(
                "R41 E31",
                _(
                    "Only the player who holds the gold cards sees them. How many cards each gold-digger took is public, what is on them is not."
                ),
            ),
            _saboteurs_paid(book, _),
            _order_of_pay(book, _),
            rule(
                "E1",
                _(
                    "Now and then no cards left in the pile make the exact sum. Then the pile is put back as it was, and the saboteur gets the first cards, in the order of the pile, that make the sum, or else the best sum below it."
                ),
            ),
            _secrecy(book, _),
        ),
    )


def _cards_drawn(book: Rulebook, _: Say) -> Rule:
    if book.gold_per_digger:
        return rule(
            "R36 R37 E17",
            _(
                "If the gold-diggers win, as many gold cards are drawn as there are gold-diggers among the players; the role card set aside does not count. There is no exception for ten players."
            ),
        )
    if book.nine_gold_cards_for_ten:
        return rule(
            "R36 R37",
            _(
                "If the gold-diggers win, as many gold cards are drawn as there are players; with ten players, nine."
            ),
        )
    return rule(
        "R36 R37",
        _(
            "If the gold-diggers win, as many gold cards are drawn as there are players; with ten players too."
        ),
    )


def _passed_on(book: Rulebook, _: Say) -> Rule:
    if book.leftovers_go_round:
        return rule(
            "R40",
            _(
                "The cards go counter-clockwise from gold-digger to gold-digger; everybody keeps one of those that arrive and passes the others on, round and round until none is left."
            ),
        )
    return rule(
        "R40",
        _(
            "The cards go counter-clockwise from gold-digger to gold-digger; everybody keeps exactly one of those that arrive and passes the others on."
        ),
    )


def _saboteurs_paid(book: Rulebook, _: Say) -> Rule:
    paid = _(
        "If the saboteurs win, each of them is paid in nuggets, to the very nugget. What counts is the saboteurs among the players, not the card set aside."
    )
    if book.key != _PAYS_NO_LONE_SABOTEUR:
        return rule("R42 R43 R44 R45", paid, grid=_pay(_))
    return rule(
        "R42 R43 R44 R45 E33",
        paid,
        _(
            "The printed rules can be read as if with three or four players no one were paid when the treasure is not reached. Here that is so only when there was no saboteur: a lone saboteur is paid."
        ),
        grid=_pay(_),
    )


def _order_of_pay(book: Rulebook, _: Say) -> Rule:
    draw = _(
        "A card that is too much goes under the pile, and another is drawn. The sum paid is public, the cards are not."
    )
    if book.pass_with_empty_hand:
        return rule(
            "E2",
            _(
                "Saboteurs draw from the top of the gold pile, one after another, clockwise from the left of the player who ended the round."
            ),
            draw,
        )
    return rule(
        "E2",
        _(
            "Saboteurs draw from the top of the gold pile, one after another, clockwise from the left of the player who had the last turn."
        ),
        draw,
    )


def _pay(_: Say) -> Grid:
    return Grid(
        _("What each saboteur is paid"),
        (_("Saboteurs among the players"), "1", "2", "3", "4"),
        ((_("Nuggets for each"), "4", "3", "3", "2"),),
    )


def _secrecy(book: Rulebook, _: Say) -> Rule:
    if book.gold_secrecy == "must":
        return rule("R46", _("Gold that was won stays secret until the end of the game."))
    if book.gold_secrecy == "should":
        return rule(
            "R46",
            _(
                "Gold that was won should stay secret until the end of the game, and here it does, unless the table plays with open gold."
            ),
        )
    return rule(
        "R46",
        _(
            "The table may choose whether won gold is secret. Here it is, until the end of the game, unless the table plays with open gold."
        ),
    )


def rounds(book: Rulebook, _: Say) -> Chapter:
    return Chapter(
        "rounds",
        _("Three rounds"),
        (
            rule("R47", _("A game has three rounds, unless the table has agreed on fewer.")),
            rule(
                "R48 E3",
                _(
                    "For each round all role cards, the one set aside included, the goals and the deck are shuffled anew. Won gold is kept, and the gold pile goes on as it lies, never shuffled again."
                ),
            ),
            _next_starter(book, _),
            rule(
                "R50",
                _(
                    "After the last round most nuggets win the game. Those with equally many share the place."
                ),
            ),
        ),
    )


def _next_starter(book: Rulebook, _: Say) -> Rule:
    if book.next_starter == "left-of-first-starter":
        return rule(
            "R49 E28",
            _(
                "Rounds two and three are both begun by the player to the left of whoever began round one."
            ),
        )
    if book.pass_with_empty_hand:
        return rule(
            "R49",
            _(
                "The next round is begun by the player to the left of the one who ended the round: who turned over the treasure, or completed the circle of passes."
            ),
        )
    return rule(
        "R49",
        _("The next round is begun by the player to the left of the one who had the last turn."),
    )
