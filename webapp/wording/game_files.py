"""Sentences about game files: why one cannot be read, what verifying it found, and fingerprints as people compare them."""

import hashlib
import re
from collections.abc import Iterator, Sequence
from typing import Final

from engine.commitments import SECRET_LABELS
from engine.errors import ExpectedText, ParseError, Reason
from engine.record import SHORT_HEAD_DIGITS, Record
from engine.verification import Flaw, FlawCode, VerificationReport
from webapp.kernel.i18n import N_, Language
from webapp.wording.error_messages import refusal
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
_FLAW_TEXTS: Final[dict[FlawCode, str]] = {
    FlawCode.NOT_OPENED: N_(
        "This file doesn't contain the secrets, so the deal can't be checked. They're revealed when a game ends or is cancelled."
    ),
    FlawCode.COMMITMENT_BROKEN: N_(
        "Secret %(detail)s doesn't match the fingerprint that was published when the table opened."
    ),
    FlawCode.FREEZE_UNREADABLE: N_("The deal record is damaged and can't be read."),
    FlawCode.FREEZE_DIFFERS: N_(
        "The header of this file differs from the deal record: %(detail)s."
    ),
    FlawCode.DEAL_DIFFERS: N_(
        "Turn %(seq)s: the secrets and the deal record don't produce this deal of round %(detail)s."
    ),
    FlawCode.NO_DEAL: N_(
        "The game doesn't start with the deal that its rules and secrets produce."
    ),
    FlawCode.ACTION_REFUSED: N_("Turn %(seq)s: the rules don't allow this action. %(detail)s"),
    FlawCode.EVENTS_DIFFER: N_(
        "Turn %(seq)s: the recorded events don't match what the rules make of this action."
    ),
    FlawCode.NO_HEAD: N_("This file doesn't state its fingerprint of the turns."),
    FlawCode.HEAD_DIFFERS: N_(
        "The turns don't match the fingerprint in this file: a turn was changed, added or left out."
    ),
    FlawCode.HEAD_UNKNOWN: N_(
        "No turn of this file has the fingerprint %(detail)s: this isn't the game that was shown, or its end is missing."
    ),
}
_FIELD_NAMES: Final = {
    "game": N_("the name of the game"),
    "rulebook": N_("the rulebook"),
    "house": N_("the house rules"),
    "starter": N_("the starting player"),
    "commitments": N_("the fingerprints of the secrets"),
    "seats": N_("the seats, their names or their random words"),
}


def unreadable_text(problem: ParseError, language: Language) -> str:
    """Return what is wrong and what is expected, with the line number for a file."""
    sentences = [language.gettext(_EXPECTED_TEXTS[problem.expected], form=problem.form)]
    if problem.found:
        sentences.append(language.gettext("Found: %(found)s", found=printable_line(problem.found)))
    if problem.line is not None:
        sentences.insert(0, language.gettext("Line %(line)s:", line=problem.line))
    return " ".join(sentences)


def flaw_sentence(flaw: Flaw, language: Language) -> str:
    """Return the sentence for one flaw."""
    detail = _detail_text(flaw, language)
    return language.gettext(_FLAW_TEXTS[flaw.code], seq=flaw.seq, detail=detail)


def fingerprint_lines(
    record: Record, report: VerificationReport, language: Language
) -> Iterator[str]:
    """Yield what a player compares with the emails and the page: commitments, digest of the freeze record, and head."""
    yield language.gettext("Fingerprints to compare with your emails:")
    for label, commitment in zip(SECRET_LABELS, record.table.commitments, strict=True):
        yield f"  {label}: {commitment}"
    digest = hashlib.sha256(record.freeze).hexdigest()
    yield "  " + language.gettext("deal record: %(digest)s", digest=digest)
    if report.heads:
        seq, head = len(report.heads) - 1, report.heads[-1]
        yield "  " + language.gettext("turns up to turn %(seq)s: %(head)s", seq=seq, head=head)


def shown_head_sentences(
    report: VerificationReport, shown_heads: Sequence[str], language: Language
) -> Iterator[str]:
    """Yield up to which turn the record is the game that players were shown, for each of their fingerprints that it has."""
    for head in shown_heads:
        if (seq := report.turn_with_head(head)) is None:
            continue
        yield language.gettext(
            "The fingerprint %(head)s is that of turn %(seq)s: up to there, this is the game that was shown.",
            head=grouped_digits(head),
            seq=seq,
        )


def report_sentences(report: VerificationReport, language: Language) -> tuple[str, ...]:
    """Return what was checked and found right, and whether the game was finished."""
    return (
        language.ngettext(
            "%(num)s deal matches the secrets.",
            "%(num)s deals match the secrets.",
            report.deal_count,
        ),
        language.ngettext(
            "%(num)s turn follows the rules.",
            "%(num)s turns follow the rules.",
            report.turn_count,
        ),
        language.gettext("The game was played to the end.")
        if report.is_finished
        else language.gettext("The game isn't finished."),
    )


def _detail_text(flaw: Flaw, language: Language) -> str:
    if flaw.code is FlawCode.FREEZE_DIFFERS:
        return language.gettext(_FIELD_NAMES[flaw.detail])
    if flaw.code is FlawCode.ACTION_REFUSED:
        return refusal(Reason(flaw.detail), language).text
    if flaw.code is FlawCode.HEAD_UNKNOWN:
        return grouped_digits(flaw.detail)
    return flaw.detail


def grouped_digits(digits: str) -> str:
    """Return hexadecimal digits in groups of four, which are easier to compare."""
    return " ".join(re.findall(".{1,4}", digits))


def short_head(head: str) -> str:
    """Return the beginning of a head, long enough that no one can make another game with the same."""
    return grouped_digits(head[:SHORT_HEAD_DIGITS])
