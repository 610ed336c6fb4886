"""The site that the people of a simulated year use."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Final

import msgspec

from tests.simulated_year.seeded_random import Random
from tests.support.transactions import transaction
from webapp.clock.pace.pace import LateRules, Pace
from webapp.kernel.keyring import Keyring
from webapp.kernel.refusals import Refused
from webapp.kernel.tx import Database, Tx
from webapp.operations.processes import record_sweep

_TIME_BETWEEN_RECORDS: Final = timedelta(seconds=30)


class Site(msgspec.Struct, kw_only=True):
    """The site that people visit, and the chance of everything that they do."""

    database: Database
    keys: Keyring
    rng: Random
    game_ids: dict[str, int] = msgspec.field(default_factory=dict)
    paces: dict[str, Pace] = msgspec.field(default_factory=dict)
    late_rules: dict[str, LateRules] = msgspec.field(default_factory=dict)
    change_count: int = 0
    """How many transactions began in which anything may have changed."""
    swept_at: datetime | None = None
    """When workers last looked for deadlines: they do all the time while the server runs, also if nothing is due."""
    recorded_sweep_at: datetime | None = None

    def random_below(self, count: int) -> int:
        return self.rng.randrange(count)

    @contextmanager
    def transaction(self) -> Iterator[Tx]:
        """Open a transaction that may change something, in which everyone knows that workers watch the deadlines."""
        self.change_count += 1
        sweep_to_record = self._sweep_to_record()
        with transaction(self.database) as tx:
            if sweep_to_record is not None:
                record_sweep(tx, swept_at=sweep_to_record)
            yield tx
        self.recorded_sweep_at = sweep_to_record or self.recorded_sweep_at

    def _sweep_to_record(self) -> datetime | None:
        """Return when workers last looked for deadlines, if they have not written that down for as long as they ever wait."""
        recorded_at = self.recorded_sweep_at
        if self.swept_at and recorded_at and self.swept_at - recorded_at < _TIME_BETWEEN_RECORDS:
            return None
        return self.swept_at

    def try_step(self, step: Callable[[Tx], object]) -> bool:
        """Do something in a transaction of its own; return False if the site refuses it."""
        try:
            with self.transaction() as tx:
                step(tx)
        except Refused:
            return False
        return True
