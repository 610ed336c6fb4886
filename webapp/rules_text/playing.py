"""A turn: laying path cards, playing action cards, discarding."""

from typing import Final

from engine.rulebook import Rulebook
from webapp.rules_text.shapes import Chapter, Rule, Say, rule

_COUNTS_GOALS_AS_NEIGHBOURS: Final = ("et-2007", "uk-2017")
"""The documents that, by the letter, let a card lie beside a face-down goal alone (E36)."""


def turns(book: Rulebook, _: Say) -> Chapter:
    return Chapter(
        "turns",
        _("Your turn"),
        (
            rule("R7", _("Turns go round the table clockwise, one player at a time.")),
            rule(
                "R8 R9",
                _(
                    "In your turn you do exactly one thing with one card of your hand: lay a path card, play an action card, or discard."
                ),
            ),
            rule(
                "R10 R52",
                _(
                    "You may always discard instead of playing. The discarded card goes face down and nobody sees what it was; whatever is played, everybody sees."
                ),
            ),
            rule(
                "R11",
                _(
                    "Then you draw one card, as long as the deck lasts. Discards are never shuffled back into it."
                ),
            ),
            _passing(book, _),
        ),
    )


def _passing(book: Rulebook, _: Say) -> Rule:
    if book.pass_with_empty_hand:
        return rule(
            "R12",
            _(
                "Every discard is called a pass. Once your hand is empty you still pass, without giving up a card."
            ),
        )
    if book.circle_of_passes:
        return rule(
            "R12",
            _(
                "Every discard is called a pass: while you hold a card, you cannot pass without giving one up. Every turn costs one card, so hands run out together. Only after a seat was given up can a turn come to an empty hand, and then it is a pass too."
            ),
        )
    return rule(
        "R12",
        _(
            "You cannot pass while you hold a card. Everybody spends one card a turn, so hands run out together; only when a seat was given up can somebody come on turn with an empty hand, and then passes."
        ),
    )


def laying(book: Rulebook, _: Say) -> Chapter:
    return Chapter(
        "laying",
        _("Path cards"),
        (
            _where(book, _),
            _goals_alone(book, _),
            rule(
                "R15",
                _(
                    "The card must agree with every face-up neighbour, on all four sides: tunnel meets tunnel, rock meets rock."
                ),
                cards=("path-trbl", "path-trb", "path-rl", "path-tr"),
            ),
            rule(
                "E6",
                _("A goal that lies face down asks nothing: tunnel or rock may end at it."),
            ),
            rule(
                "R16 E35",
                _(
                    "You may turn a card upside down before you lay it, but never on its side: an upright card stays upright. A card that looks the same both ways is recorded as printed."
                ),
            ),
            rule(
                "E27",
                _(
                    "A dead end can be laid like any path card, but no path goes through it: its tunnels are blocked in the middle. Nothing is reached through it."
                ),
                cards=("dead-b", "dead-tb", "dead-rbl", "dead-trbl"),
            ),
        ),
    )


def _where(book: Rulebook, _: Say) -> Rule:
    if book.continue_path:
        return rule(
            "R13 R25 E24",
            _(
                "A path card must carry on a path: one of its tunnels has to meet a tunnel of a card that is joined to the start without a break, and the cell must be empty."
            ),
            _(
                "Cards cut off by a rockfall or a dead end still lie there and must be agreed with, but nothing is built from them until they are joined again."
            ),
        )
    return rule(
        "R13 R25 E23",
        _(
            "A path card goes into an empty cell next to a card that is already laid. It need not be joined to the start: rock against rock is enough, and so is a neighbour that is cut off."
        ),
    )


def _goals_alone(book: Rulebook, _: Say) -> Rule:
    face_down = _("A goal that lies face down is nothing to build from.")
    if book.key in _COUNTS_GOALS_AS_NEIGHBOURS:
        return rule("R14 E9 E36", face_down, _against_the_letter(_), _from_stone(_))
    if book.build_from_goal_alone:
        return rule("R14 E9", face_down, _from_stone(_))
    return rule(
        "R14 E9 E25",
        face_down,
        _(
            "A stone that was turned over must be agreed with and carries the path, and no rockfall removes it; but a card may not go on from goals alone. At least one of the cards from which it continues the path must be a path card or the start. Ending at a goal is always fine."
        ),
    )


def _against_the_letter(_: Say) -> str:
    return _(
        "By the letter of the printed rules a card beside a face-down goal alone would be legal, because they count the goals among the tunnel cards. Here it is not."
    )


def _from_stone(_: Say) -> str:
    return _(
        "A stone that was turned over is part of the mine: you may go on from it alone. It must be agreed with, and no rockfall removes it."
    )


def tools(_book: Rulebook, _: Say) -> Chapter:
    return Chapter(
        "tools",
        _("Broken tools and repairs"),
        (
            rule(
                "R17 E18",
                _(
                    "A broken-tool card is laid before any player who is still in the game, yourself included unless the table has ruled that out."
                ),
                cards=("break-pickaxe", "break-lantern", "break-cart"),
            ),
            rule(
                "R18", _("Nobody has two broken tools of the same kind, so at most three in all.")
            ),
            rule(
                "R19 R20",
                _(
                    "As long as one of your tools is broken you cannot lay path cards. You can still play action cards and discard."
                ),
            ),
            rule(
                "R21",
                _(
                    "A repair card takes one broken tool away from any player, yourself included. Both cards go to the discards."
                ),
                cards=("repair-pickaxe", "repair-lantern", "repair-cart"),
            ),
            rule("R22", _("It can only be played where a broken tool of its own kind lies.")),
            rule(
                "R23",
                _("A card with two tools mends one of them, never both."),
                cards=("repair-pickaxe-lantern", "repair-pickaxe-cart", "repair-lantern-cart"),
            ),
        ),
    )


def rocks_and_maps(_book: Rulebook, _: Say) -> Chapter:
    return Chapter(
        "rocks-and-maps",
        _("Rockfall and map"),
        (
            rule(
                "R24 E19 E20",
                _(
                    "A rockfall removes one laid path card of your choice, never the start and never a goal. It needs a card to fall on. What lay behind the gap stays where it is, and the gap may be filled again."
                ),
                cards=("rockfall",),
            ),
            rule(
                "R26 E22",
                _(
                    "A map lets you alone look at one goal that lies face down. You may look again at one that you have already seen, and say about it what you like."
                ),
                cards=("map",),
            ),
        ),
    )
