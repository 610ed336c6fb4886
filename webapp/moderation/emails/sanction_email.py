"""What the emails about warnings and bans have in common."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from webapp.clock.pace.calendar import has_passed
from webapp.kernel.email_outcomes import DropReason
from webapp.kernel.tx import Tx
from webapp.mail.email import Email, EmailLocale, EmailSource, Superseded
from webapp.mail.envelope import EmailContext
from webapp.mail.mime import one_line
from webapp.moderation.queries import sanctions
from webapp.moderation.queries.sanctions import SanctionRow
from webapp.moderation.sanctions import appeal_token


class SanctionContext(EmailContext, frozen=True, kw_only=True):
    """Why, until when a ban lasts, and how to appeal."""

    is_rename: bool
    """Whether a moderator changed the recipient's name, which is then the one in the envelope."""
    reason: str
    until: datetime | None
    appeal_token: str


class SanctionEmail(Email[SanctionRow, SanctionContext]):
    """An email to a warned, renamed or banned person."""

    is_about_account = True

    def read_facts(
        self, tx: Tx, sources: Sequence[EmailSource[SanctionRow]]
    ) -> Mapping[int, SanctionRow]:
        keys_by_id = {each.notification.id: each.notification.dedup_key for each in sources}
        rows = sanctions.find_many(tx, list(keys_by_id.values()))
        return {number: rows[key] for number, key in keys_by_id.items() if key in rows}

    def context(self, source: EmailSource[SanctionRow]) -> SanctionContext:
        sanction = source.require_facts(DropReason.NO_SANCTION)
        is_over = sanction.until is not None and has_passed(sanction.until, now=source.now)
        if is_over or sanction.lifted_at is not None:
            raise Superseded(DropReason.LIFTED)
        return SanctionContext(
            envelope=self.envelope(source),
            is_rename=sanction.kind == "rename",
            reason=sanction.reason,
            until=sanction.until,
            appeal_token=appeal_token(sanction, source.keys),
        )

    def variables(self, context: SanctionContext, locale: EmailLocale) -> Mapping[str, object]:
        del locale
        return {"reason_line": one_line(context.reason)}
