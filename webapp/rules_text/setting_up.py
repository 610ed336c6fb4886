"""Who sits there, who is what, how the mine begins."""

from engine.cards import HAND_SIZES, SABOTEURS, role_pile
from engine.rulebook import Rulebook
from webapp.rules_text.shapes import Chapter, Grid, Rule, Say, rule


def roles(_book: Rulebook, _: Say) -> Chapter:
    return Chapter(
        "roles",
        _("Who you are"),
        (
            rule(
                "R2",
                _(
                    "Each round everybody is dealt one role card: gold-digger or saboteur. The pile holds one card more than there are players; the one left over lies aside, face down, until the round ends. So nobody knows exactly how many saboteurs are about, and with three or four players there may be none."
                ),
                grid=_numbers(_),
            ),
            rule(
                "R3 E32",
                _(
                    "Roles stay hidden until the round is over. Say about yours what you like, true or false; a card is never shown to anybody."
                ),
            ),
        ),
    )


def _numbers(_: Say) -> Grid:
    counts = tuple(SABOTEURS)
    return Grid(
        _("Role cards and hands by number of players"),
        (_("Players"), *map(str, counts)),
        (
            (_("Saboteurs in the pile"), *(str(SABOTEURS[count]) for count in counts)),
            (
                _("Gold-diggers in the pile"),
                *(str(role_pile(count).count("digger")) for count in counts),
            ),
            (_("Cards in a hand"), *(str(HAND_SIZES[count]) for count in counts)),
        ),
    )


def beginning(book: Rulebook, _: Say) -> Chapter:
    return Chapter(
        "beginning",
        _("How a round begins"),
        (
            rule(
                "R4",
                _(
                    "The ladder at A5 is the start. Three goals lie face down at I3, I5 and I7, shuffled: one is the treasure, two are stone. Between them there is room for seven cards, and the mine may grow beyond them in every direction."
                ),
            ),
            rule(
                "R5",
                _(
                    "Path cards and action cards, 67 in all, are shuffled into one deck, and everybody is dealt a hand from it."
                ),
            ),
            _first_starter(book, _),
        ),
    )


def _first_starter(book: Rulebook, _: Say) -> Rule:
    if book.first_starter == "youngest":
        return rule(
            "R6 E29",
            _(
                "The youngest player begins round one. Nobody's age is kept here: the host names the seat, and chance decides if none is named."
            ),
        )
    return rule(
        "R6 E29",
        _(
            "The table agrees on who begins round one: the host names the seat, and chance decides if none is named."
        ),
    )
