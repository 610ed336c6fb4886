"""Section 2 of the rulebooks, row by row, in the order of its columns.

R14's first row (never on face-down goals alone) and R39 (a saboteur who completes the path is
passed over) read alike in all six and need no switch; R33 and R46 are about what may be seen,
which this model does not judge. R12 is "yes" only where empty hands pass without giving up a card;
elsewhere that cannot arise or does not arise (E13).
"""

RULEBOOKS = ("lv-2009", "et-2007", "sv-web", "lt-2009", "uk-2017", "en-2004")


def _values_by_rulebook(column_words: str) -> dict[str, str]:
    return dict(zip(RULEBOOKS, column_words.split(), strict=True))


def _flags_by_rulebook(column_words: str) -> dict[str, bool]:
    return {
        rulebook: {"yes": True, "no": False}[word]
        for rulebook, word in _values_by_rulebook(column_words).items()
    }


R6_WHO_STARTS = _values_by_rulebook("agreed anyone agreed agreed youngest youngest")
R13_MUST_CONTINUE_FROM_START = _flags_by_rulebook("yes no yes yes no no")
R14_PATH_CARD_MAY_TOUCH_ONLY_A_STONE = _flags_by_rulebook("yes yes no yes yes yes")
R12_EMPTY_HANDS_PASS_TO_COMPLETE_THE_CIRCLE = _flags_by_rulebook("no yes no no no no")
R28_ALL_REACHED_GOALS_ARE_TURNED = _flags_by_rulebook("yes no yes yes no yes")
R32_A_CIRCLE_OF_PASSES_ENDS_THE_ROUND = _flags_by_rulebook("no yes no no yes yes")
R35_TREASURE_MUST_BE_TURNED_OVER = _flags_by_rulebook("no yes no no yes no")
R36_ONE_GOLD_CARD_PER_DIGGER = _flags_by_rulebook("no no no no yes no")
R37_NINE_CARDS_WITH_TEN_PLAYERS = _flags_by_rulebook("yes yes yes yes no yes")
R40_REMAINING_GOLD_GOES_ROUND_AGAIN = _flags_by_rulebook("yes yes yes yes no yes")
R49_LEFT_OF_ROUND_ONES_STARTER = _flags_by_rulebook("no no yes no no no")
