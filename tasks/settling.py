"""What became of the letters of one round, written down soon after it happened."""

from collections.abc import Callable, Collection, Iterable
from types import TracebackType
from typing import Final, Self

from tasks.context import WorkerContext
from webapp.services.errors import Unavailable
from webapp.services.notifications import delivery
from webapp.services.notifications.delivery import Claim
from webapp.services.tx import Tx, transaction

_GROUP: Final = 20
"""Letters that a killed worker may have sent without writing that down; they go out twice."""
_PAUSES: Final = (0.2, 1.0, 5.0)


class Settling:
    """The open claims of a round. At its end, however it ends, those that nothing was done with are given back."""

    def __init__(self, context: WorkerContext, claims: Iterable[Claim]) -> None:
        self._shop = context
        self._open = {claim.id: claim for claim in claims}
        self._accepted: list[Claim] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._write_accepted()
        untouched = tuple(self._open.values())
        if untouched:
            self._write(lambda tx: delivery.release(tx, untouched))

    def leave_out(self, claims: Iterable[Claim], *, but: Collection[int] = ()) -> None:
        """These are no longer ours to settle."""
        for claim in claims:
            if claim.id not in but:
                self._open.pop(claim.id, None)

    def accept(self, claim: Claim) -> None:
        """Somebody else is responsible for it now."""
        del self._open[claim.id]
        self._accepted.append(claim)
        if len(self._accepted) >= _GROUP:
            self._write_accepted()

    def postpone(self, claim: Claim, code: str) -> None:
        del self._open[claim.id]
        self._write(lambda tx: delivery.postpone(tx, claim, code=code, now=self._shop.now()))

    def wait(self, claim: Claim, code: str) -> None:
        del self._open[claim.id]
        self._write(lambda tx: delivery.wait(tx, claim, code=code, now=self._shop.now()))

    def give_up(self, claim: Claim, code: str) -> None:
        del self._open[claim.id]
        self._write(lambda tx: delivery.give_up(tx, claim, code=code, now=self._shop.now()))

    def _write_accepted(self) -> None:
        accepted, self._accepted = self._accepted, []
        if accepted:
            self._write(lambda tx: delivery.accepted(tx, accepted, now=self._shop.now()))

    def _write(self, step: Callable[[Tx], None], pauses: tuple[float, ...] = _PAUSES) -> None:
        """A database that comes back within seconds makes no letter go out twice."""
        try:
            with transaction(self._shop.database) as tx:
                step(tx)
        except Unavailable:
            if not pauses:
                raise
            self._shop.pause(pauses[0])
            self._write(step, pauses[1:])
