"""Reasons why notation or a game file cannot be read, each in a sentence that says what is expected."""

from typing import Final

from engine.errors import Expected, ParseError
from webapp.i18n import N_, Language
from webapp.wording.terminal import printable

_EXPECTED_TEXTS: Final[dict[Expected, str]] = {
    Expected.ACTION: N_("An action starts with one of these words: %(form)s."),
    Expected.EVENT: N_("An event starts with one of these words: %(form)s."),
    Expected.CARD: N_("Expected a card such as path-trb, break-cart or map in: %(form)s."),
    Expected.PATH_CARD: N_("Expected a path card such as path-trb or dead-l in: %(form)s."),
    Expected.REPAIR_CARD: N_("Expected a repair card such as cart or pickaxe-cart in: %(form)s."),
    Expected.CELL: N_("Expected a cell such as D5 in: %(form)s."),
    Expected.SEAT: N_("Expected the number of a seat at this table. The first seat is 1."),
    Expected.TOOL: N_("Expected pickaxe, lantern or cart in: %(form)s."),
    Expected.GOAL: N_("Expected treasure, stone-tl or stone-tr in: %(form)s."),
    Expected.ORIENTATION: N_("Expected how the stone lies: way printed or way turned."),
    Expected.GOLD: N_("Expected a gold card as its number of nuggets, 1, 2 or 3, in: %(form)s."),
    Expected.ROLE: N_("Expected a role, digger or saboteur, in: %(form)s."),
    Expected.SIDE: N_("Expected who won, diggers, saboteurs or nobody, in: %(form)s."),
    Expected.ENDING: N_(
        "Expected how the round ended, treasure, exhausted or circle-of-passes, in: %(form)s."
    ),
    Expected.ROUND: N_("Expected a round number, 1, 2 or 3, in: %(form)s."),
    Expected.NUMBER: N_("Expected a number in: %(form)s."),
    Expected.WORD: N_("A word is missing or wrong. The form is: %(form)s."),
    Expected.COUNT: N_("There are too few or too many of these: %(form)s."),
    Expected.END: N_("The text should end here."),
    Expected.SPELLING: N_("This must be written as: %(form)s"),
    Expected.FORMAT: N_("A game file of this version starts with the line: %(form)s"),
    Expected.SIZE: N_("The file is too large. A game file has at most %(form)s bytes."),
    Expected.UTF_8: N_("This isn't valid text. A game file is UTF-8 text."),
    Expected.LINE: N_("Expected a line of the form: %(form)s"),
    Expected.TURN: N_("Turns are numbered in order, so turn %(form)s comes next."),
    Expected.TURN_SOURCE: N_("Expected how the turn was played, one of: %(form)s."),
    Expected.NAME: N_("A name must be in quotation marks, as a JSON string."),
    Expected.RULEBOOK: N_("There's no such rulebook. The rulebooks are: %(form)s."),
    Expected.HOUSE_RULES: N_("Expected house rules such as none, or open-gold rounds=2."),
    Expected.TABLE: N_("A table has 3 to 10 seats, and the starting player has one of them."),
}


def unreadable(problem: ParseError, language: Language) -> str:
    """Return what is wrong and what is expected, with the line number for a file."""
    sentences = [language.gettext(_EXPECTED_TEXTS[problem.expected], form=problem.form)]
    if problem.found:
        sentences.append(language.gettext("Found: %(found)s", found=printable(problem.found)))
    if problem.line is not None:
        sentences.insert(0, language.gettext("Line %(line)s:", line=problem.line))
    return " ".join(sentences)
