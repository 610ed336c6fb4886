"""Emails that come back, until no more are sent to their address."""

from tests.support.transactions import transaction
from tests.support.visitors import Site
from webapp.accounts.queries import accounts
from webapp.mail.outbox.bounces import DeliveryReport, ReportKind, count_undelivered


def let_emails_come_back(site: Site, address: str) -> None:
    with transaction(site.database) as tx:
        account = accounts.find_by_address(tx, address)
        assert account is not None
        for _ in range(2):
            report = DeliveryReport(ReportKind.BOUNCE, "5.1.1")
            count_undelivered(tx.at(site.clock()), account.id, report)
