"""Record that an email could not be sent, and log it.

Every refusal is a line. A cause of delays is an error at most once an hour, however many emails and workers it concerns; a dead
email always is one.
"""

import logging
from typing import Final, NamedTuple

from webapp.kernel.email_outcomes import DelayCause
from webapp.kernel.tx import Tx
from webapp.logs.fields import event_fields, request_id_in_logs
from webapp.mail.outbox import delivery
from webapp.mail.outbox.delivery import Claim, RefusalOutcome
from webapp.mail.transport import (
    AmbiguousFailure,
    DeliveryFailure,
    PermanentFailure,
    SystemRefusal,
    Unreachable,
)
from webapp.operations.alarms import ALARM_BY_DELAY_CAUSE, raise_alarm
from webapp.operations.site_figures import AttemptOutcome, count_attempts

_LEVEL_BY_CAUSE: Final[dict[DelayCause, int]] = {
    "recipient": logging.WARNING,
    "refused": logging.ERROR,
    "unreachable": logging.ERROR,
    "composing": logging.ERROR,
}
_ATTEMPT_OUTCOME_BY_CAUSE: Final[dict[DelayCause, AttemptOutcome]] = {
    "recipient": "waits",
    "refused": "refused",
    "unreachable": "unreachable",
    "composing": "not-composed",
}
_log = logging.getLogger(__name__)


class RecordedFailure(NamedTuple):
    """A failure after its outcome was stored."""

    claim: Claim
    code: str
    cause: DelayCause
    outcome: RefusalOutcome
    is_cause_logged: bool = False
    """Whether this failure is the one that is logged for its cause in this hour."""


def record_failure(tx: Tx, claim: Claim, failure: DeliveryFailure) -> RecordedFailure:
    """Store the outcome of an email that was not accepted."""
    outcome = _settle(tx, claim, failure)
    # A final refusal that turned out to be about everyone does not concern the recipient.
    cause = "refused" if outcome == "all-wait" and failure.cause == "recipient" else failure.cause
    return _recorded(tx, RecordedFailure(claim, failure.code, cause, outcome))


def record_failed_composition(tx: Tx, claim: Claim) -> RecordedFailure:
    """Store that an email could not be written."""
    code = "composing failed"
    outcome = delivery.postpone(tx, claim, code=code, cause="composing")
    return _recorded(tx, RecordedFailure(claim, code, "composing", outcome))


def log_failure(failure: RecordedFailure) -> None:
    """Log a refused or dead email with its cause, and the first email in an hour that is delayed for its cause."""
    claim = failure.claim
    fields: dict[str, str | int] = {
        "email": claim.id,
        "kind": claim.kind,
        "cause": failure.cause,
        "reason": failure.code,
        "attempts": claim.attempts,
    }
    with request_id_in_logs(claim.request_id):
        if failure.outcome == "dead":
            extra = event_fields("email-dead", **fields)
            _log.error(
                "Email %s (%s) is given up: %s", claim.id, claim.kind, failure.code, extra=extra
            )
        elif failure.is_cause_logged:
            _log.log(
                _LEVEL_BY_CAUSE[failure.cause],
                "Emails are delayed (%s), email %s (%s) among them: %s",
                failure.cause,
                claim.id,
                claim.kind,
                failure.code,
                extra=event_fields("emails-delayed", **fields),
            )
        else:
            extra = event_fields("email-delayed", **fields)
            _log.info(
                "Email %s (%s) is delayed: %s", claim.id, claim.kind, failure.code, extra=extra
            )


def log_failed_composition(claim: Claim) -> None:
    """Log an email that cannot be composed, with the exception that is being handled."""
    with request_id_in_logs(claim.request_id):
        _log.exception(
            "Email %s cannot be composed.",
            claim.id,
            extra=event_fields("email-not-composed", email=claim.id, kind=claim.kind),
        )


def _settle(tx: Tx, claim: Claim, failure: DeliveryFailure) -> RefusalOutcome:
    code, cause = failure.code, failure.cause
    match failure:
        case AmbiguousFailure():
            return delivery.postpone(tx, claim, code=code, cause=cause)
        case Unreachable():
            return delivery.postpone_unreachable(tx, claim, code=code, cause=cause)
        case SystemRefusal():
            return delivery.postpone_refused(tx, claim, code=code)
        case PermanentFailure():
            return delivery.give_up(tx, claim, code=code)
    return delivery.postpone(tx, claim, code=code, cause=cause)


def _recorded(tx: Tx, failure: RecordedFailure) -> RecordedFailure:
    if failure.outcome == "dead":
        raise_alarm(tx, "dead-email")
        count_attempts(tx, "dead")
        return failure
    is_logged = raise_alarm(tx, ALARM_BY_DELAY_CAUSE[failure.cause])
    count_attempts(tx, _ATTEMPT_OUTCOME_BY_CAUSE[failure.cause])
    return failure._replace(is_cause_logged=is_logged)
