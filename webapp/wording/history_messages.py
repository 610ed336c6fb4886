"""The messages of history lines, as data. Languages inflect, so every tool, card and ending has its own whole sentence.

Placeholders: ``name`` is the player who acted, ``target`` the player the action was played on.
"""

from typing import Final, NamedTuple, TypeAlias

from engine.narration import LineKey
from webapp.kernel.i18n import N_, NN_

Message: TypeAlias = str | tuple[str, str]
"""One message, or its two forms when it holds a number (``num``)."""


class LineMessages(NamedTuple):
    """The messages of one line for its three kinds of viewers; ``for_others`` is used where another is None."""

    for_others: Message
    for_actor: Message | None = None
    for_target: Message | None = None


MessageKey: TypeAlias = tuple[LineKey, str]
"""The key of a line and its variant: a tool, a shape, an ending, or nothing."""

LINE_MESSAGES: Final[dict[MessageKey, LineMessages]] = {
    (LineKey.ROUND_DEALT, ""): LineMessages(
        N_("Round %(round)s is dealt. %(name)s goes first."),
        N_("Round %(round)s is dealt. You go first."),
    ),
    (LineKey.ROLE_DEALT, "digger"): LineMessages(
        N_("%(name)s is a gold-digger this round, with this hand: %(cards)s."),
        N_("You're a gold-digger this round. Your hand: %(cards)s."),
    ),
    (LineKey.ROLE_DEALT, "saboteur"): LineMessages(
        N_("%(name)s is a saboteur this round, with this hand: %(cards)s."),
        N_("You're a saboteur this round. Your hand: %(cards)s."),
    ),
    (LineKey.CARD_LAID, "crossing"): LineMessages(
        N_("%(name)s laid a crossing at %(cell)s."), N_("You laid a crossing at %(cell)s.")
    ),
    (LineKey.CARD_LAID, "junction"): LineMessages(
        N_("%(name)s laid a T-junction at %(cell)s."), N_("You laid a T-junction at %(cell)s.")
    ),
    (LineKey.CARD_LAID, "straight"): LineMessages(
        N_("%(name)s laid a straight tunnel at %(cell)s."),
        N_("You laid a straight tunnel at %(cell)s."),
    ),
    (LineKey.CARD_LAID, "bend"): LineMessages(
        N_("%(name)s laid a bend at %(cell)s."), N_("You laid a bend at %(cell)s.")
    ),
    (LineKey.CARD_LAID, "dead-end"): LineMessages(
        N_("%(name)s laid a dead end at %(cell)s."), N_("You laid a dead end at %(cell)s.")
    ),
    (LineKey.GOALS_REACHED, ""): LineMessages(
        N_("%(name)s reached several goals (%(cells)s) and chooses which to reveal."),
        N_("You reached several goals (%(cells)s). You choose which to reveal."),
    ),
    (LineKey.STONE_MISFIT, ""): LineMessages(
        N_("Goal %(cell)s is stone and fits neither way. %(name)s chooses how it lies."),
        N_("Goal %(cell)s is stone and fits neither way. You choose how it lies."),
    ),
    (LineKey.TREASURE_TURNED, ""): LineMessages(
        N_("%(name)s reached goal %(cell)s. It's the treasure!"),
        N_("You reached goal %(cell)s. It's the treasure!"),
    ),
    (LineKey.STONE_TURNED, ""): LineMessages(
        N_("%(name)s reached goal %(cell)s. It's only stone."),
        N_("You reached goal %(cell)s. It's only stone."),
    ),
    (LineKey.TOOL_BROKEN, "pickaxe"): LineMessages(
        N_("%(name)s broke %(target)s's pickaxe."),
        N_("You broke %(target)s's pickaxe."),
        N_("%(name)s broke your pickaxe."),
    ),
    (LineKey.TOOL_BROKEN, "lantern"): LineMessages(
        N_("%(name)s broke %(target)s's lantern."),
        N_("You broke %(target)s's lantern."),
        N_("%(name)s broke your lantern."),
    ),
    (LineKey.TOOL_BROKEN, "cart"): LineMessages(
        N_("%(name)s broke %(target)s's cart."),
        N_("You broke %(target)s's cart."),
        N_("%(name)s broke your cart."),
    ),
    (LineKey.OWN_TOOL_BROKEN, "pickaxe"): LineMessages(
        N_("%(name)s broke their own pickaxe."), N_("You broke your own pickaxe.")
    ),
    (LineKey.OWN_TOOL_BROKEN, "lantern"): LineMessages(
        N_("%(name)s broke their own lantern."), N_("You broke your own lantern.")
    ),
    (LineKey.OWN_TOOL_BROKEN, "cart"): LineMessages(
        N_("%(name)s broke their own cart."), N_("You broke your own cart.")
    ),
    (LineKey.TOOL_REPAIRED, "pickaxe"): LineMessages(
        N_("%(name)s repaired %(target)s's pickaxe."),
        N_("You repaired %(target)s's pickaxe."),
        N_("%(name)s repaired your pickaxe."),
    ),
    (LineKey.TOOL_REPAIRED, "lantern"): LineMessages(
        N_("%(name)s repaired %(target)s's lantern."),
        N_("You repaired %(target)s's lantern."),
        N_("%(name)s repaired your lantern."),
    ),
    (LineKey.TOOL_REPAIRED, "cart"): LineMessages(
        N_("%(name)s repaired %(target)s's cart."),
        N_("You repaired %(target)s's cart."),
        N_("%(name)s repaired your cart."),
    ),
    (LineKey.OWN_TOOL_REPAIRED, "pickaxe"): LineMessages(
        N_("%(name)s repaired their pickaxe."), N_("You repaired your pickaxe.")
    ),
    (LineKey.OWN_TOOL_REPAIRED, "lantern"): LineMessages(
        N_("%(name)s repaired their lantern."), N_("You repaired your lantern.")
    ),
    (LineKey.OWN_TOOL_REPAIRED, "cart"): LineMessages(
        N_("%(name)s repaired their cart."), N_("You repaired your cart.")
    ),
    (LineKey.ROCK_FELL, "crossing"): LineMessages(
        N_("%(name)s played a rockfall at %(cell)s. It removed a crossing."),
        N_("You played a rockfall at %(cell)s. It removed a crossing."),
    ),
    (LineKey.ROCK_FELL, "junction"): LineMessages(
        N_("%(name)s played a rockfall at %(cell)s. It removed a T-junction."),
        N_("You played a rockfall at %(cell)s. It removed a T-junction."),
    ),
    (LineKey.ROCK_FELL, "bend"): LineMessages(
        N_("%(name)s played a rockfall at %(cell)s. It removed a bend."),
        N_("You played a rockfall at %(cell)s. It removed a bend."),
    ),
    (LineKey.ROCK_FELL, "straight"): LineMessages(
        N_("%(name)s played a rockfall at %(cell)s. It removed a straight tunnel."),
        N_("You played a rockfall at %(cell)s. It removed a straight tunnel."),
    ),
    (LineKey.ROCK_FELL, "dead-end"): LineMessages(
        N_("%(name)s played a rockfall at %(cell)s. It removed a dead end."),
        N_("You played a rockfall at %(cell)s. It removed a dead end."),
    ),
    (LineKey.GOAL_LOOKED_AT, ""): LineMessages(
        N_("%(name)s looked at goal %(cell)s with a map."),
        N_("You looked at goal %(cell)s with a map."),
    ),
    (LineKey.GOAL_SEEN, "treasure"): LineMessages(
        N_("%(name)s looked at goal %(cell)s with a map and saw the treasure."),
        N_("You looked at goal %(cell)s with a map and saw the treasure."),
    ),
    (LineKey.GOAL_SEEN, "stone"): LineMessages(
        N_("%(name)s looked at goal %(cell)s with a map and saw only stone."),
        N_("You looked at goal %(cell)s with a map and saw only stone."),
    ),
    (LineKey.DISCARDED, ""): LineMessages(
        N_("%(name)s discarded a card face down."), N_("You discarded a card face down.")
    ),
    (LineKey.DISCARDED, "time-ran-out"): LineMessages(
        N_("%(name)s's time ran out; a card was discarded face down."),
        N_("Your time ran out; a card was discarded face down."),
    ),
    (LineKey.CARD_DISCARDED, ""): LineMessages(
        N_("%(name)s discarded a card face down: %(card)s."),
        N_("You discarded a card face down: %(card)s."),
    ),
    (LineKey.CARD_DISCARDED, "time-ran-out"): LineMessages(
        N_("%(name)s's time ran out; their %(card)s card was discarded."),
        N_("Your time ran out; your %(card)s card was discarded."),
    ),
    (LineKey.PASSED, ""): LineMessages(
        N_("%(name)s had no cards left and passed."), N_("You had no cards left and passed.")
    ),
    (LineKey.PASSED, "time-ran-out"): LineMessages(
        N_("%(name)s's time ran out; they had no cards left and passed."),
        N_("Your time ran out; you had no cards left and passed."),
    ),
    (LineKey.CARD_DRAWN, ""): LineMessages(
        N_("%(name)s drew: %(card)s."), N_("You drew: %(card)s.")
    ),
    (LineKey.ROUND_ENDED, "treasure"): LineMessages(
        N_("Round %(round)s is over: the treasure was found.")
    ),
    (LineKey.ROUND_ENDED, "exhausted"): LineMessages(
        N_("Round %(round)s is over: the deck and all hands are empty.")
    ),
    (LineKey.ROUND_ENDED, "circle-of-passes"): LineMessages(
        N_("Round %(round)s is over: the deck is empty and everyone discarded or passed in turn.")
    ),
    (LineKey.GOLD_DRAWN, ""): LineMessages(
        NN_(
            "The gold-diggers share %(num)s gold card. %(name)s picks first.",
            "The gold-diggers share %(num)s gold cards. %(name)s picks first.",
        ),
        NN_(
            "The gold-diggers share %(num)s gold card. You pick first.",
            "The gold-diggers share %(num)s gold cards. You pick first.",
        ),
    ),
    (LineKey.GOLD_HELD, ""): LineMessages(
        N_("%(name)s picks from gold cards with these nuggets: %(gold)s."),
        N_("You pick from gold cards with these nuggets: %(gold)s."),
    ),
    (LineKey.GOLD_TAKEN, ""): LineMessages(
        N_("%(name)s kept a gold card."), N_("You kept a gold card.")
    ),
    (LineKey.GOLD_KEPT, ""): LineMessages(
        NN_(
            "%(name)s kept a gold card with %(num)s nugget.",
            "%(name)s kept a gold card with %(num)s nuggets.",
        ),
        NN_(
            "You kept a gold card with %(num)s nugget.",
            "You kept a gold card with %(num)s nuggets.",
        ),
    ),
    (LineKey.PAID, ""): LineMessages(
        NN_(
            "%(name)s was paid %(num)s nugget as a saboteur.",
            "%(name)s was paid %(num)s nuggets as a saboteur.",
        ),
        NN_(
            "You were paid %(num)s nugget as a saboteur.",
            "You were paid %(num)s nuggets as a saboteur.",
        ),
    ),
    (LineKey.PAID_IN_CARDS, ""): LineMessages(
        NN_(
            "%(name)s was paid %(num)s nugget as a saboteur. Gold cards: %(gold)s.",
            "%(name)s was paid %(num)s nuggets as a saboteur. Gold cards: %(gold)s.",
        ),
        NN_(
            "You were paid %(num)s nugget as a saboteur. Gold cards: %(gold)s.",
            "You were paid %(num)s nuggets as a saboteur. Gold cards: %(gold)s.",
        ),
    ),
    (LineKey.PAID_IN_CARDS, "nothing"): LineMessages(
        N_("%(name)s got no gold: no cards add up to the exact amount."),
        N_("You got no gold: no cards add up to the exact amount."),
    ),
    (LineKey.PAID, "nothing"): LineMessages(
        N_("%(name)s got no gold: no cards add up to the exact amount."),
        N_("You got no gold: no cards add up to the exact amount."),
    ),
    (LineKey.GAME_ENDED, "one"): LineMessages(
        N_("The game is over. %(names)s won! Nuggets: %(standings)s."),
        N_("The game is over. You won! Nuggets: %(standings)s."),
    ),
    (LineKey.GAME_ENDED, "shared"): LineMessages(
        N_("The game is over. %(names)s share first place. Nuggets: %(standings)s."),
    ),
    (LineKey.SEAT_GIVEN_UP, ""): LineMessages(
        N_("%(name)s's seat was given up for good. Its cards were discarded face down."),
        N_("Your seat was given up for good. Its cards were discarded face down."),
    ),
    (LineKey.SEAT_HANDED_OVER, ""): LineMessages(
        N_("%(name)s has taken over this seat."),
        N_("You have taken over this seat."),
    ),
    (LineKey.GAME_SHORTENED, ""): LineMessages(
        N_("The players agreed to end the game after round %(round)s."),
    ),
    (LineKey.REWOUND, ""): LineMessages(
        N_("The game was taken back to how it stood after turn %(to_seq)s."),
    ),
}
