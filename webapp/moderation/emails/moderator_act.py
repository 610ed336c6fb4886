"""A moderator or the host has done something to a game.

It has public facts only, because people who have left the table get it too.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime

from webapp.kernel.email_outcomes import DropReason
from webapp.kernel.i18n import N_
from webapp.kernel.public_acts import ShownAct
from webapp.kernel.rights import GameRight
from webapp.kernel.tx import Tx
from webapp.mail.email import Email, EmailLocale, EmailSource, Superseded
from webapp.mail.envelope import EmailContext
from webapp.mail.mime import one_line
from webapp.mail.sections import act_actor, act_text, peeks_section
from webapp.play.queries.email_facts import ActFacts, read_acts
from webapp.play.summaries import TableSummary, table_summary
from webapp.wording.acts import reason_sentence


class ModeratorActContext(EmailContext, frozen=True, kw_only=True):
    """Who did what to the game, and why."""

    table: TableSummary
    act: ShownAct
    may_see_game: bool = True
    """False for someone who has lost their seat, until the game is over."""
    peeks: tuple[ShownAct, ...] = ()
    """If the act ended the game: when moderators looked at its secrets."""


class ModeratorAct(Email[ActFacts, ModeratorActContext]):
    kind = "moderator-act"
    label = N_("News from a moderator")

    def read_facts(
        self, tx: Tx, sources: Sequence[EmailSource[ActFacts]]
    ) -> Mapping[int, ActFacts]:
        return read_acts(tx, [source.notification.id for source in sources])

    def needed_by(self, source: EmailSource[ActFacts]) -> datetime | None:
        return source.own_deadline()

    def context(self, source: EmailSource[ActFacts]) -> ModeratorActContext:
        game, facts = source.require_game(), source.require_facts(DropReason.NO_ACT)
        if facts.act is None:
            raise Superseded(DropReason.NO_ACT)
        return ModeratorActContext(
            envelope=self.envelope(source),
            table=table_summary(game.row),
            act=facts.act,
            may_see_game=source.may_see_game,
            peeks=facts.peeks,
        )

    def variables(self, context: ModeratorActContext, locale: EmailLocale) -> Mapping[str, object]:
        act, language = context.act, locale.language
        return {
            "act_text": act_text(act, locale),
            "actor": act_actor(act, language),
            "reason": reason_sentence(one_line(act.reason), act.acted_as, language),
            "is_announcement": act.act == GameRight.ANNOUNCE_TO_TABLE,
            "peeks_text": peeks_section(context.peeks, locale),
        }


EMAIL = ModeratorAct()
