"""A site with a fake clock: browsers open it, and a worker looks for deadlines whenever time passes."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

from playwright.sync_api import Browser

from tasks import deadlines, delivery
from tasks.context import WorkerContext
from tests.browser.browser_player import BrowserPlayer
from tests.support.cast import Character
from tests.support.fakes import FakeClock
from tests.support.filed_emails import MaildirInbox
from tests.support.serve_process import RunningServer
from tests.support.served_sites import server_address
from tests.support.visitors import Site
from webapp.mail.compose import Composer
from webapp.mail.transport import MaildirTransport
from webapp.operations.maintenance import SHORTEST_OUTAGE


@dataclass
class SlowSite:
    """A served site, its worker, and the emails that were filed."""

    browser: Browser
    clock: FakeClock
    worker: WorkerContext
    server: RunningServer
    inbox: MaildirInbox

    def player(self, character: Character) -> BrowserPlayer:
        """Return a character with a browser of their own."""
        return BrowserPlayer(self.browser, self.server, self.inbox, character)

    def pass_time(self, duration: timedelta) -> None:
        """Let this time pass in steps that no worker takes for an outage."""
        end = self.clock.now + duration
        while self.clock.now < end:
            self.clock.now = min(self.clock.now + SHORTEST_OUTAGE, end)
            deadlines.sweep_deadlines(self.worker)
            self._write_heartbeat()
            delivery.deliver(self.worker)

    def _write_heartbeat(self) -> None:
        self.worker.heartbeats.write_if_due(
            self.worker.database,
            now=self.worker.now(),
            clock_difference=self.worker.clock_difference,
        )


@contextmanager
def served_slow_site(
    site: Site, browser: Browser, worker: WorkerContext, folder: Path, addresses: Collection[str]
) -> Iterator[SlowSite]:
    """Serve the site until the end of the block; emails to the addresses are filed in the folder."""
    with server_address(site) as address:
        filing_worker = replace(
            worker,
            composer=Composer(base_url=address, mail_from=worker.mail_from),
            transport=MaildirTransport(folder),
        )
        server = RunningServer(url=address, maildir=folder, mailbox="")
        inbox = MaildirInbox(folder, addresses, lambda: delivery.deliver(filing_worker))
        yield SlowSite(browser, site.clock, filing_worker, server, inbox)
