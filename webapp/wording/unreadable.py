"""Why notation or a game file cannot be read, in sentences that say what would be right."""

from typing import Final

from engine.errors import Expected, ParseError
from webapp.i18n import N_, Language
from webapp.wording.terminal import shown

_WANTED: Final[dict[Expected, str]] = {
    Expected.ACTION: N_("An action begins with one of these words: %(form)s."),
    Expected.EVENT: N_("An event is named by one of these words: %(form)s."),
    Expected.CARD: N_("A card belongs here, such as path-trb, break-cart or map, in: %(form)s."),
    Expected.PATH_CARD: N_("A path card belongs here, such as path-trb or dead-l, in: %(form)s."),
    Expected.REPAIR_CARD: N_(
        "A repair card belongs here, such as cart or pickaxe-cart, in: %(form)s."
    ),
    Expected.CELL: N_("A cell belongs here, such as D5, in: %(form)s."),
    Expected.SEAT: N_("A seat of this table belongs here, by its number, the first being 1."),
    Expected.TOOL: N_("A tool belongs here: pickaxe, lantern or cart, in: %(form)s."),
    Expected.GOAL: N_("A goal belongs here: treasure, stone-tl or stone-tr, in: %(form)s."),
    Expected.ORIENTATION: N_("How the stone lies belongs here: way printed, or way turned."),
    Expected.GOLD: N_("A gold card belongs here, by its nuggets: 1, 2 or 3, in: %(form)s."),
    Expected.ROLE: N_("A role belongs here: digger or saboteur, in: %(form)s."),
    Expected.SIDE: N_("Who won belongs here: diggers, saboteurs or nobody, in: %(form)s."),
    Expected.ENDING: N_(
        "How the round ended belongs here: treasure, exhausted or circle-of-passes, in: %(form)s."
    ),
    Expected.ROUND: N_("The number of a round belongs here: 1, 2 or 3, in: %(form)s."),
    Expected.NUMBER: N_("A number belongs here, in: %(form)s."),
    Expected.WORD: N_("A word is missing or another stands in its place. The form is: %(form)s."),
    Expected.COUNT: N_("There are too few or too many of these: %(form)s."),
    Expected.END: N_("The text should end here."),
    Expected.SPELLING: N_("This is written in one way only: %(form)s"),
    Expected.FORMAT: N_("A game file of this release begins with the line: %(form)s"),
    Expected.SIZE: N_("The file is too large; a game file has at most %(form)s bytes."),
    Expected.UTF_8: N_("The text is broken here: a game file is text in UTF-8."),
    Expected.LINE: N_("Another line belongs here, of the form: %(form)s"),
    Expected.TURN: N_("The turns are numbered one after another; turn %(form)s comes next."),
    Expected.TURN_SOURCE: N_("How the turn came in belongs here, one of: %(form)s."),
    Expected.NAME: N_("A name stands between quotation marks, as a JSON string."),
    Expected.RULEBOOK: N_("There is no such rulebook here; the rulebooks are: %(form)s."),
    Expected.HOUSE_RULES: N_(
        "These house rules cannot be read; right would be for example: none, or open-gold rounds=2."
    ),
    Expected.TABLE: N_("A table has 3 to 10 seats, and the starter sits in one of them."),
}


def unreadable(problem: ParseError, language: Language) -> str:
    """What is wrong and what would be right; with the line, for a file."""
    sentences = [language.gettext(_WANTED[problem.expected], form=problem.form)]
    if problem.found:
        sentences.append(language.gettext("Found: %(found)s", found=shown(problem.found)))
    if problem.line is not None:
        sentences.insert(0, language.gettext("Line %(line)s:", line=problem.line))
    return " ".join(sentences)
