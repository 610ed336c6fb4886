"""A worker whose consumer fails with an error from which Celery does not recover."""

import sys

from celery import bootsteps

from tasks.celery import celery_for, run_celery
from tests.support.redis import settings


class BrokenStep(bootsteps.StartStopStep):
    """A part of the consumer that cannot start."""

    def start(self, parent: object) -> None:  # noqa: ARG002 - the library's own
        sys.stdout.write("The consumer breaks.")
        raise ZeroDivisionError


if __name__ == "__main__":
    celery = celery_for(settings())
    celery.steps["consumer"].add(BrokenStep)
    sys.exit(run_celery(celery, "worker"))
