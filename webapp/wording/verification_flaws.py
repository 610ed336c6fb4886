"""The result of verifying a game file, in sentences."""

import hashlib
from collections.abc import Iterator, Sequence
from typing import Final

from engine.commitments import SECRET_LABELS
from engine.errors import Reason
from engine.record import Record
from engine.verification import Flaw, FlawCode, VerificationReport
from webapp.i18n import N_, Language
from webapp.wording.fingerprints import grouped_digits
from webapp.wording.refusals import refusal

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
