"""What the check of a game came to, in sentences."""

from typing import Final

from engine.errors import Reason
from engine.verification import Flaw, FlawCode, VerificationReport
from webapp.i18n import N_, Language
from webapp.wording.refusals import refusal

_FLAWS: Final[dict[FlawCode, str]] = {
    FlawCode.NOT_OPENED: N_(
        "The secrets are not in this file, so that the deal cannot be checked. They are opened when a game has ended or is cancelled."
    ),
    FlawCode.COMMITMENT_BROKEN: N_(
        "The secret %(detail)s is not the one that the table was promised: it does not match its commitment."
    ),
    FlawCode.FREEZE_UNREADABLE: N_("The freeze record is damaged and cannot be read."),
    FlawCode.FREEZE_DIFFERS: N_(
        "The head of the file does not say what was frozen before the deal: %(detail)s."
    ),
    FlawCode.DEAL_DIFFERS: N_(
        "Turn %(seq)s: the secrets and the freeze record do not give this deal of round %(detail)s."
    ),
    FlawCode.NO_DEAL: N_("The game does not begin with the deal that its rules and secrets give."),
    FlawCode.ACTION_REFUSED: N_("Turn %(seq)s: the rules do not allow this action. %(detail)s"),
    FlawCode.EVENTS_DIFFER: N_(
        "Turn %(seq)s: what the file says happened is not what the rules make of this action."
    ),
}
_FIELDS: Final = {
    "game": N_("the name of the game"),
    "rulebook": N_("the rulebook"),
    "house": N_("the house rules"),
    "starter": N_("who starts"),
    "commitments": N_("the commitments"),
    "seats": N_("the seats, their names or their salt"),
}


def flaw_sentence(flaw: Flaw, language: Language) -> str:
    """Return the sentence for one flaw."""
    detail = _detail(flaw, language)
    return language.gettext(_FLAWS[flaw.code], seq=flaw.seq, detail=detail)


def report_sentences(report: VerificationReport, language: Language) -> tuple[str, ...]:
    """What was checked and is right, and how far the game came."""
    return (
        language.ngettext(
            "%(num)s deal is as the secrets give it.",
            "%(num)s deals are as the secrets give them.",
            report.deals,
        ),
        language.ngettext(
            "%(num)s turn is as the rules have it.",
            "%(num)s turns are as the rules have them.",
            report.turns,
        ),
        language.gettext("The game was played to its end.")
        if report.finished
        else language.gettext("The game did not come to its end."),
    )


def _detail(flaw: Flaw, language: Language) -> str:
    if flaw.code is FlawCode.FREEZE_DIFFERS:
        return language.gettext(_FIELDS[flaw.detail])
    if flaw.code is FlawCode.ACTION_REFUSED:
        return refusal(Reason(flaw.detail), language).text
    return flaw.detail
