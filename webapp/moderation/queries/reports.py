"""Reports by players and appeals, and what moderators decided."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy import Select, and_, func, select, update
from sqlalchemy.dialects import postgresql
from sqlalchemy.orm import aliased

from webapp.accounts.schema import Account
from webapp.kernel.redacted import Redacted
from webapp.kernel.tx import Tx
from webapp.moderation.queries.public_columns import GAME, MESSAGE, SEAT
from webapp.moderation.schema import Report, Sanction


class NewReport(Redacted, frozen=True, kw_only=True):
    """A report; the fields mean what the columns of ``Report`` mean."""

    kind: str
    reporter_id: int | None
    account_id: int | None
    game_id: int | None = None
    seat: int | None = None
    sanction_id: int | None = None
    message_number: int | None = None
    message_text: str | None = None
    complaint: str
    at: datetime


class ReportRow(Redacted, frozen=True):
    """A report with the people and the table that it is about."""

    id: int
    kind: str
    complaint: str
    at: datetime
    decided_at: datetime | None
    decision: str | None
    answer: str | None
    reporter_id: int | None
    reporter_name: str | None
    reporter_ref: str | None
    account_id: int | None
    person_name: str | None
    person_ref: str | None
    seat: int | None
    """None for a report about the table itself, and for an appeal."""
    seat_name: str | None
    """What the person is called at the table, if they still sit in that seat."""
    slug: str | None
    host_name: str | None
    table_name: str | None
    sanction_reason: str | None
    message_number: int | None
    message_text: str | None
    """What the message said when it was reported; None if the report is about none, or the text is no longer kept."""
    present_text: str | None
    """What the message says now; empty or None if it is gone."""
    removed_at: datetime | None
    """When a moderator removed it."""


class Decision(Redacted, frozen=True, kw_only=True):
    """What a moderator decided."""

    decided_by: int | None
    decision: str
    answer: str
    at: datetime


_reporter = aliased(Account, name="reporter")
_person = aliased(Account, name="person")


def add(tx: Tx, report: NewReport) -> bool:
    """Store a report; return False if the same person has one about the same that is not decided yet."""
    added = tx.execute(
        postgresql.insert(Report)
        .values(msgspec.structs.asdict(report))
        .on_conflict_do_nothing()
        .returning(Report.id)
    )
    return added.first() is not None


def count_since(tx: Tx, reporter_id: int, since: datetime) -> int:
    """Return how many reports a person has sent since then."""
    count: int = tx.execute(
        select(func.count())
        .select_from(Report)
        .where(Report.reporter_id == reporter_id, Report.at > since)
    ).scalar_one()
    return count


def find_waiting(tx: Tx, *, limit: int) -> tuple[ReportRow, ...]:
    """Return the reports that wait for a decision, the oldest first."""
    query = _reports_query().where(Report.decided_at.is_(None)).order_by(Report.at, Report.id)
    return tuple(ReportRow(*row) for row in tx.execute(query.limit(limit)))


def find_decided(tx: Tx, *, limit: int) -> tuple[ReportRow, ...]:
    """Return the newest reports that are decided."""
    query = _reports_query().where(Report.decided_at.is_not(None)).order_by(Report.id.desc())
    return tuple(ReportRow(*row) for row in tx.execute(query.limit(limit)))


def find_many(tx: Tx, ids: Sequence[int]) -> dict[int, ReportRow]:
    """Return reports by their ids."""
    if not ids:
        return {}
    rows = tx.execute(_reports_query().where(Report.id.in_(ids)))
    return {row[0]: ReportRow(*row) for row in rows}


def newest_appeal(tx: Tx, *, account_id: int, sanction_id: int) -> ReportRow | None:
    """Return the newest appeal of a person against a sanction."""
    is_matching_appeal = and_(Report.account_id == account_id, Report.sanction_id == sanction_id)
    row = tx.execute(
        _reports_query().where(is_matching_appeal).order_by(Report.id.desc()).limit(1)
    ).first()
    return None if row is None else ReportRow(*row)


def decide_report(tx: Tx, number: int, decision: Decision) -> bool:
    """Store the decision; return False if there is one already."""
    decided_row = tx.execute(
        update(Report)
        .where(Report.id == number, Report.decided_at.is_(None))
        .values(
            decided_at=decision.at,
            decided_by=decision.decided_by,
            decision=decision.decision,
            answer=decision.answer,
        )
    )
    return decided_row.rowcount == 1


def forget_messages(tx: Tx, before: datetime) -> int:
    """Forget what messages said whose reports were decided before this instant; return how many these were."""
    is_due = and_(Report.message_text.is_not(None), Report.decided_at < before)
    return tx.execute(update(Report).where(is_due).values(message_text=None)).rowcount


def _reports_query() -> Select[Any]:
    columns: tuple[Any, ...] = (
        Report.id,
        Report.kind,
        Report.complaint,
        Report.at,
        Report.decided_at,
        Report.decision,
        Report.answer,
        Report.reporter_id,
        _reporter.name,
        _reporter.ref,
        Report.account_id,
        _person.name,
        _person.ref,
        Report.seat,
        SEAT.c.name,
        GAME.c.slug,
        GAME.c.host_name,
        GAME.c.table_name,
        Sanction.reason,
        Report.message_number,
        Report.message_text,
        MESSAGE.c.text,
        MESSAGE.c.removed_at,
    )
    is_seat_of_person = and_(
        SEAT.c.game_id == Report.game_id,
        SEAT.c.number == Report.seat,
        SEAT.c.account_id == Report.account_id,
    )
    # Once an author has deleted their account, someone else's message may have the number.
    is_reported_message = and_(
        MESSAGE.c.game_id == Report.game_id,
        MESSAGE.c.number == Report.message_number,
        MESSAGE.c.account_id == Report.account_id,
    )
    return (
        select(*columns)
        .select_from(Report)
        .outerjoin(_reporter, _reporter.id == Report.reporter_id)
        .outerjoin(_person, _person.id == Report.account_id)
        .outerjoin(GAME, GAME.c.id == Report.game_id)
        .outerjoin(SEAT, is_seat_of_person)
        .outerjoin(Sanction, Sanction.id == Report.sanction_id)
        .outerjoin(MESSAGE, is_reported_message)
    )
