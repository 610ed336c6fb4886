"""The absences and quiet hours of an account, for its owner's download."""

from sqlalchemy import BigInteger, ColumnElement, Executable, bindparam, select

from webapp.clock.schema import Absence, QuietHours

_account_id: ColumnElement[int] = bindparam("account_id", type_=BigInteger)


def absences() -> Executable:
    """Return the query for all absences, those that are over too."""
    return (
        select(
            Absence.kind, Absence.from_at, Absence.until_at, Absence.declared_at, Absence.ended_at
        )
        .where(Absence.account_id == _account_id)
        .order_by(Absence.id)
    )


def quiet_hours() -> Executable:
    """Return the query for the hours in which the owner wants no reminders."""
    return (
        select(QuietHours.weekdays, QuietHours.from_time, QuietHours.until_time)
        .where(QuietHours.account_id == _account_id)
        .order_by(QuietHours.number)
    )
