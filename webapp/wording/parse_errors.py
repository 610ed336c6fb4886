"""Reasons why notation or a game file cannot be read, each in a sentence that says what is expected."""

from typing import Final

from engine.errors import ExpectedText, ParseError
from webapp.i18n import N_, Language
from webapp.wording.terminal import printable_line

_EXPECTED_TEXTS: Final[dict[ExpectedText, str]] = {
    ExpectedText.ACTION: N_("An action starts with one of these words: %(form)s."),
    ExpectedText.EVENT: N_("An event starts with one of these words: %(form)s."),
    ExpectedText.CARD: N_("Expected a card such as path-trb, break-cart or map in: %(form)s."),
    ExpectedText.PATH_CARD: N_("Expected a path card such as path-trb or dead-l in: %(form)s."),
    ExpectedText.REPAIR_CARD: N_(
        "Expected a repair card such as cart or pickaxe-cart in: %(form)s."
    ),
    ExpectedText.CELL: N_("Expected a cell such as D5 in: %(form)s."),
    ExpectedText.SEAT: N_("Expected the number of a seat at this table. The first seat is 1."),
    ExpectedText.TOOL: N_("Expected pickaxe, lantern or cart in: %(form)s."),
    ExpectedText.GOAL: N_("Expected treasure, stone-tl or stone-tr in: %(form)s."),
    ExpectedText.ORIENTATION: N_("Expected how the stone lies: way printed or way turned."),
    ExpectedText.GOLD: N_(
        "Expected a gold card as its number of nuggets, 1, 2 or 3, in: %(form)s."
    ),
    ExpectedText.ROLE: N_("Expected a role, digger or saboteur, in: %(form)s."),
    ExpectedText.SIDE: N_(
        'Expected who won, one of the words "diggers", "saboteurs" and "nobody", in: %(form)s.'
    ),
    ExpectedText.ENDING: N_(
        "Expected how the round ended, treasure, exhausted or circle-of-passes, in: %(form)s."
    ),
    ExpectedText.ROUND: N_("Expected a round number, 1, 2 or 3, in: %(form)s."),
    ExpectedText.NUMBER: N_("Expected a number in: %(form)s."),
    ExpectedText.WORD: N_("A word is missing or wrong. The form is: %(form)s."),
    ExpectedText.COUNT: N_("There are too few or too many of these: %(form)s."),
    ExpectedText.END: N_("The text should end here."),
    ExpectedText.SPELLING: N_("This must be written as: %(form)s"),
    ExpectedText.FORMAT: N_("A game file of this version starts with the line: %(form)s"),
    ExpectedText.SIZE: N_("The file is too large. A game file has at most %(form)s bytes."),
    ExpectedText.FREEZE_SIZE: N_("The deal record is too large. It has at most %(form)s bytes."),
    ExpectedText.UTF_8: N_("This isn't valid text. A game file is UTF-8 text."),
    ExpectedText.LINE: N_("Expected a line of the form: %(form)s"),
    ExpectedText.TURN: N_("Turns are numbered in order, so turn %(form)s comes next."),
    ExpectedText.TURN_SOURCE: N_("Expected how the turn was played, one of: %(form)s."),
    ExpectedText.NAME: N_("A name must be in quotation marks, as a JSON string."),
    ExpectedText.RULEBOOK: N_("There's no such rulebook. The rulebooks are: %(form)s."),
    ExpectedText.HOUSE_RULES: N_("Expected house rules such as none, or open-gold rounds=2."),
    ExpectedText.TABLE: N_("A table has 3 to 10 seats, and the starting player has one of them."),
}


def unreadable_text(problem: ParseError, language: Language) -> str:
    """Return what is wrong and what is expected, with the line number for a file."""
    sentences = [language.gettext(_EXPECTED_TEXTS[problem.expected], form=problem.form)]
    if problem.found:
        sentences.append(language.gettext("Found: %(found)s", found=printable_line(problem.found)))
    if problem.line is not None:
        sentences.insert(0, language.gettext("Line %(line)s:", line=problem.line))
    return " ".join(sentences)
