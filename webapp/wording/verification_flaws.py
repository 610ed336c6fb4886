"""The result of verifying a game file, in sentences."""

from typing import Final

from engine.errors import Reason
from engine.verification import Flaw, FlawCode, VerificationReport
from webapp.i18n import N_, Language
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
    return flaw.detail
