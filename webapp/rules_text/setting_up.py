"""Chapters about roles and the start of a round."""

from engine.cards import HAND_SIZES, SABOTEUR_COUNTS, role_pile
from engine.rulebook import Rulebook
from webapp.rules_text.page_parts import Chapter, Grid, Rule, Translate, rule


def roles_chapter(_book: Rulebook, _: Translate) -> Chapter:
    return Chapter(
        "roles",
        _("Roles"),
        (
            rule(
                "R2",
                _(
                    "Each round, everyone gets one role card: gold-digger or saboteur. There's one more role card than players, and the unused one stays face down until the round ends. So no one knows exactly how many saboteurs there are, and with three or four players there may be none."
                ),
                grid=_role_and_hand_table(_),
            ),
            rule(
                "R3 E32",
                _(
                    "Roles stay hidden until the round is over. You can say anything about yours, true or false, but never show a card."
                ),
            ),
        ),
    )


def _role_and_hand_table(_: Translate) -> Grid:
    counts = tuple(SABOTEUR_COUNTS)
    return Grid(
        _("Role cards and hands by number of players"),
        (_("Players"), *map(str, counts)),
        (
            (_("Saboteurs in the pile"), *(str(SABOTEUR_COUNTS[count]) for count in counts)),
            (
                _("Gold-diggers in the pile"),
                *(str(role_pile(count).count("digger")) for count in counts),
            ),
            (_("Cards in hand"), *(str(HAND_SIZES[count]) for count in counts)),
        ),
    )


def beginning_chapter(book: Rulebook, _: Translate) -> Chapter:
    return Chapter(
        "beginning",
        _("Starting a round"),
        (
            rule(
                "R4",
                _(
                    "The ladder at A5 is the start. Three shuffled goals lie face down at I3, I5 and I7: one treasure and two stones. There's room for seven cards between the start and the goals, and the mine can grow past them in every direction."
                ),
            ),
            rule(
                "R5",
                _(
                    "The 67 path and action cards are shuffled into one deck, and everyone is dealt a hand from it."
                ),
            ),
            _first_starter_rule(book, _),
        ),
    )


def _first_starter_rule(book: Rulebook, _: Translate) -> Rule:
    if book.first_starter == "youngest":
        return rule(
            "R6 E29",
            _(
                "The youngest player starts round one. We don't know your ages, so the host picks the seat, or it's chosen at random."
            ),
        )
    if book.first_starter == "anyone":
        return rule(
            "R6 E29",
            _(
                "It doesn't matter who starts round one: the host picks the seat, or it's chosen at random."
            ),
        )
    return rule(
        "R6 E29",
        _(
            "The table agrees on who starts round one: the host picks the seat, or it's chosen at random."
        ),
    )
