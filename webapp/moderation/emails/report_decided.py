"""A moderator has answered a report or an appeal of the recipient."""

from collections.abc import Mapping, Sequence

from webapp.kernel.email_outcomes import DropReason
from webapp.kernel.i18n import N_
from webapp.kernel.tx import Tx
from webapp.mail.email import Email, EmailLocale, EmailSource, Superseded
from webapp.mail.envelope import EmailContext
from webapp.mail.mime import one_line
from webapp.moderation.queries import reports
from webapp.moderation.queries.reports import ReportRow


class ReportDecidedContext(EmailContext, frozen=True, kw_only=True):
    """The answer."""

    is_appeal: bool
    answer: str


class ReportDecided(Email[ReportRow, ReportDecidedContext]):
    kind = "report-decided"
    label = N_("Answer to a report")
    is_about_account = True

    def read_facts(
        self, tx: Tx, sources: Sequence[EmailSource[ReportRow]]
    ) -> Mapping[int, ReportRow]:
        keys_by_id = {each.notification.id: each.notification.dedup_key for each in sources}
        rows = reports.find_many(tx, list(keys_by_id.values()))
        return {number: rows[key] for number, key in keys_by_id.items() if key in rows}

    def context(self, source: EmailSource[ReportRow]) -> ReportDecidedContext:
        report = source.require_facts(DropReason.NO_REPORT)
        if report.answer is None:
            raise Superseded(DropReason.NO_REPORT)
        return ReportDecidedContext(
            envelope=self.envelope(source),
            is_appeal=report.kind == "appeal",
            answer=report.answer,
        )

    def variables(self, context: ReportDecidedContext, locale: EmailLocale) -> Mapping[str, object]:
        del locale
        return {"answer_line": one_line(context.answer)}


EMAIL = ReportDecided()
