"""Chapters about a turn: laying path cards, playing action cards, discarding."""

from typing import Final

from engine.rulebook import Rulebook
from webapp.rules_text.page_parts import Chapter, Rule, Translate, rule

_RULEBOOKS_COUNTING_GOALS_AS_NEIGHBOURS: Final = ("et-2007", "uk-2017")
"""The documents that, read literally, let a card lie beside a face-down goal alone (E36)."""


def turns_chapter(book: Rulebook, _: Translate) -> Chapter:
    return Chapter(
        "turns",
        _("Your turn"),
        (
            rule("R7", _("Turns go round the table clockwise, one player at a time.")),
            rule(
                "R8 R9",
                _(
                    "On your turn, use exactly one card from your hand: lay a path card, play an action card or discard."
                ),
            ),
            rule(
                "R10 R52",
                _(
                    "You can always discard instead. Discard face down, so that no one sees the card. Everyone sees the cards you play."
                ),
            ),
            rule(
                "R11",
                _("Then draw one card while the deck lasts. Discards are never shuffled back in."),
            ),
            _passing_rule(book, _),
        ),
    )


def _passing_rule(book: Rulebook, _: Translate) -> Rule:
    if book.pass_with_empty_hand:
        return rule(
            "R12",
            _(
                "Every discard counts as a pass. Once your hand is empty, you pass without giving up a card."
            ),
        )
    if book.circle_of_passes:
        return rule(
            "R12",
            _(
                "Every discard counts as a pass: while you hold a card, you can't pass without giving one up. Every turn costs one card, so all hands run out together."
            ),
        )
    return rule(
        "R12",
        _(
            "You can't pass while you hold a card. Everyone uses one card per turn, so all hands run out together."
        ),
    )


def laying_chapter(book: Rulebook, _: Translate) -> Chapter:
    return Chapter(
        "laying",
        _("Path cards"),
        (
            _placement_rule(book, _),
            _building_from_goals_rule(book, _),
            rule(
                "R15",
                _(
                    "The card must match its face-up neighbours on all four sides: tunnel meets tunnel, rock meets rock."
                ),
                cards=("path-trbl", "path-trb", "path-rl", "path-tr"),
            ),
            rule(
                "E6",
                _("Face-down goals accept any card next to them: tunnel or rock."),
            ),
            rule(
                "R16 E35",
                _(
                    "You can turn a card upside down before you lay it, but never on its side. A card that looks the same both ways is recorded as printed."
                ),
            ),
            rule(
                "E27",
                _(
                    "You can lay a dead end like any path card, but its tunnels are blocked in the middle. No path goes through it, so it never reaches a goal."
                ),
                cards=("dead-b", "dead-tb", "dead-rbl", "dead-trbl"),
            ),
        ),
    )


def _placement_rule(book: Rulebook, _: Translate) -> Rule:
    if book.continue_path:
        return rule(
            "R13 R25 E24",
            _(
                "A path card must continue a path: in an empty cell, one of its tunnels has to meet a tunnel of a card that's joined to the start by an unbroken path."
            ),
            _(
                "Cards cut off by a rockfall or a dead end stay in the mine and must be matched, but you can't build on from them until they're joined again."
            ),
        )
    return rule(
        "R13 R25 E23",
        _(
            "Lay a path card in an empty cell next to a card in the mine. It doesn't have to connect to the start. It can even touch only rock, or a card that's cut off."
        ),
    )


def _building_from_goals_rule(book: Rulebook, _: Translate) -> Rule:
    face_down_text = _("You can't build on from a face-down goal.")
    if book.key in _RULEBOOKS_COUNTING_GOALS_AS_NEIGHBOURS:
        return rule(
            "R14 E9 E36",
            face_down_text,
            _no_neighbour_goals_sentence(_),
            _building_from_stone_sentence(_),
        )
    if book.build_from_goal_alone:
        return rule("R14 E9", face_down_text, _building_from_stone_sentence(_))
    return rule(
        "R14 E9 E25",
        face_down_text,
        _(
            "A revealed stone carries the path, cards must match it, and a rockfall can't remove it. But you can't build on from goals alone: your card must also continue the path from a path card or the start. Ending at a goal is always fine."
        ),
    )


def _no_neighbour_goals_sentence(_: Translate) -> str:
    return _(
        "Read literally, the printed rules count goals as tunnel cards, so you could lay a card beside nothing but a face-down goal. Here you can't."
    )


def _building_from_stone_sentence(_: Translate) -> str:
    return _(
        "A revealed stone is part of the mine: you can build on from it alone. Cards must match it, and a rockfall can't remove it."
    )


def tools_chapter(_book: Rulebook, _: Translate) -> Chapter:
    return Chapter(
        "tools",
        _("Broken tools and repairs"),
        (
            rule(
                "R17 E18",
                _(
                    "Play a broken-tool card on any player still in the game, even yourself unless the table rules that out."
                ),
                cards=("break-pickaxe", "break-lantern", "break-cart"),
            ),
            rule(
                "R18",
                _(
                    "A player can't have two broken tools of the same kind, so at most three in all."
                ),
            ),
            rule(
                "R19 R20",
                _(
                    "While any of your tools is broken, you can't lay path cards. You can still play action cards and discard."
                ),
            ),
            rule(
                "R21",
                _(
                    "A repair card removes one broken tool from any player, including yourself. Both cards are discarded."
                ),
                cards=("repair-pickaxe", "repair-lantern", "repair-cart"),
            ),
            rule("R22", _("You can only play it on a player who has a matching broken tool.")),
            rule(
                "R23",
                _("A card with two tools repairs one of them, never both."),
                cards=("repair-pickaxe-lantern", "repair-pickaxe-cart", "repair-lantern-cart"),
            ),
        ),
    )


def rocks_and_maps_chapter(_book: Rulebook, _: Translate) -> Chapter:
    return Chapter(
        "rocks-and-maps",
        _("Rockfall and map"),
        (
            rule(
                "R24 E19 E20",
                _(
                    "A rockfall removes any one path card from the mine, but never the start or a goal. There has to be a card to remove. The cards behind the gap stay, and the gap can be filled again."
                ),
                cards=("rockfall",),
            ),
            rule(
                "R26 E22",
                _(
                    "With a map, you secretly look at one face-down goal, even one you've seen before. You can tell the others anything you like about it."
                ),
                cards=("map",),
            ),
        ),
    )
