"""The time of a turn in its emails: what it is made up of, and the link to the reasons for the deadline."""

from collections.abc import Iterator, Sequence
from datetime import timedelta

from webapp import urls
from webapp.mail.blocks import Block, FinePrint, SmallLink
from webapp.mail.email import EmailLocale
from webapp.services.play.summaries import SeatSummary, TableSummary
from webapp.wording.paces import turn_time_sentence


def turn_time_section(
    table: TableSummary, seats: Sequence[SeatSummary], locale: EmailLocale
) -> Iterator[Block]:
    """Yield of what the time of the recipient's turn is made up, unless it is only the time per turn, and the link."""
    language = locale.language
    bank = next((seat.bank for seat in seats if seat.is_me), timedelta())
    if sentence := turn_time_sentence(table.pace, bank, language):
        yield FinePrint(sentence)
    deadline_url = urls.absolute_url(locale.base_url, urls.deadlines(table.slug))
    yield SmallLink(language.gettext("How this deadline came about"), deadline_url)
