"""The chapter about gold: how gold-diggers share it and how saboteurs are paid."""

from typing import Final

from engine.rulebook import Rulebook
from webapp.rules_text.page_parts import Chapter, Grid, Rule, Translate, rule

_RULEBOOK_PAYING_NO_LONE_SABOTEUR: Final = "sv-web"
"""The document whose words could mean that with three or four players no saboteur is paid (E33)."""


_RULEBOOK_SILENT_ON_ORDER_OF_PAY: Final = "uk-2017"
"""The document whose page says that the order of pay is this site's (E2)."""


def gold_chapter(book: Rulebook, _: Translate) -> Chapter:
    return Chapter(
        "gold",
        _("Gold"),
        (
            _cards_drawn_rule(book, _),
            rule(
                "R38 R39 E15 E16",
                _(
                    "The player whose path card revealed the treasure takes these cards and, if a gold-digger, picks first. A saboteur who completed the path gets nothing: the next gold-digger counter-clockwise picks first."
                ),
            ),
            _passing_gold_rule(book, _),
            rule(
                "R41 E31",
                _(
                    "Only the player who's picking sees the gold cards. Everyone knows how many cards each gold-digger kept, but not their value."
                ),
            ),
            _saboteurs_paid_rule(book, _),
            _order_of_pay_rule(book, _),
            rule(
                "E1",
                _(
                    "Sometimes no draw makes the exact amount. Then the pile is put back as it was, and the saboteur gets the first cards in the pile that make the sum, or else the best sum below it."
                ),
            ),
            _secrecy_rule(book, _),
        ),
    )


def _cards_drawn_rule(book: Rulebook, _: Translate) -> Rule:
    if book.gold_per_digger:
        return rule(
            "R36 R37 E17",
            _(
                "If the gold-diggers win, one gold card is drawn for each gold-digger among the players. The unused role card doesn't count, and there's no exception for ten players."
            ),
        )
    if book.nine_gold_cards_for_ten:
        return rule(
            "R36 R37",
            _(
                "If the gold-diggers win, one gold card is drawn for each player; with ten players, nine cards."
            ),
        )
    return rule(
        "R36 R37",
        _("If the gold-diggers win, one gold card is drawn for each player, with ten players too."),
    )


def _passing_gold_rule(book: Rulebook, _: Translate) -> Rule:
    if book.leftovers_go_round:
        return rule(
            "R40",
            _(
                "The cards go counter-clockwise from gold-digger to gold-digger. Each keeps one and passes the rest on, round and round until none are left."
            ),
        )
    return rule(
        "R40",
        _(
            "The cards go counter-clockwise from gold-digger to gold-digger. Each keeps exactly one and passes the rest on."
        ),
    )


def _saboteurs_paid_rule(book: Rulebook, _: Translate) -> Rule:
    paid_text = _(
        "If the saboteurs win, each of them is paid an exact number of nuggets. It depends on the saboteurs among the players; the unused role card doesn't count."
    )
    if book.key != _RULEBOOK_PAYING_NO_LONE_SABOTEUR:
        return rule("R42 R43 R44 R45", paid_text, grid=_pay_table(_))
    return rule(
        "R42 R43 R44 R45 E33",
        paid_text,
        _(
            "The printed rules can be read to mean that with three or four players, no one is paid if the treasure isn't reached. Here that's true only if there was no saboteur: a lone saboteur is paid."
        ),
        grid=_pay_table(_),
    )


def _order_of_pay_rule(book: Rulebook, _: Translate) -> Rule:
    draw = _(
        "A card that's too large goes under the pile and another is drawn. Everyone sees the sum paid, but not the cards."
    )
    if book.pass_with_empty_hand:
        return rule(
            "E2",
            _(
                "Saboteurs draw from the top of the gold pile one after another, clockwise from the left of the player who ended the round."
            ),
            _(
                "The printed rules say that it doesn't matter which saboteur draws first. This order is our choice."
            ),
            draw,
        )
    order_text = _(
        "Saboteurs draw from the top of the gold pile one after another, clockwise from the left of the player who had the last turn."
    )
    if book.key != _RULEBOOK_SILENT_ON_ORDER_OF_PAY:
        return rule("E2", order_text, draw)
    return rule(
        "E2",
        order_text,
        _("The printed rules don't settle which saboteur draws first. This order is our choice."),
        draw,
    )


def _pay_table(_: Translate) -> Grid:
    return Grid(
        _("What each saboteur gets"),
        (_("Saboteurs among the players"), "1", "2", "3", "4"),
        ((_("Nuggets each"), "4", "3", "3", "2"),),
    )


def _secrecy_rule(book: Rulebook, _: Translate) -> Rule:
    if book.gold_secrecy == "must":
        return rule("R46", _("Won gold stays secret until the end of the game."))
    if book.gold_secrecy == "should":
        return rule(
            "R46",
            _(
                "Won gold should stay secret until the end of the game. Here it does, unless the table plays with open gold."
            ),
        )
    if book.gold_secrecy == "recommended":
        return rule(
            "R46",
            _(
                "The printed rules recommend keeping won gold secret until the end of the game. Here it stays secret, unless the table chooses open gold."
            ),
        )
    return rule(
        "R46",
        _(
            "The printed rules don't say whether won gold is secret. Here it stays secret until the end of the game, unless the table chooses open gold."
        ),
    )
