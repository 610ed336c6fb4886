"""The site that the people of a simulated year use.

Its own module because everything that they do there needs it.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import msgspec

from webapp.pace.late_rules import LateRules
from webapp.pace.pace import Pace
from webapp.services.errors import Refused
from webapp.services.keys import Keyring
from webapp.services.tx import Database, Tx, transaction
from webapp.simulated_year.seeded_random import Random


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

    def random_below(self, count: int) -> int:
        return self.rng.randrange(count)

    @contextmanager
    def transaction(self) -> Iterator[Tx]:
        """Open a transaction that may change something."""
        self.change_count += 1
        with transaction(self.database) as tx:
            yield tx

    def try_step(self, step: Callable[[Tx], object]) -> bool:
        """Do something in a transaction of its own; return False if the site refuses it."""
        try:
            with self.transaction() as tx:
                step(tx)
        except Refused:
            return False
        return True
