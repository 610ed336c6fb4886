"""The option `--database-tests-share`: run a part of the tests that use the shared database.

The quick tests use it to end within a minute however many tests the project has. Tests without a database are fast and
always run.
"""

from itertools import groupby
from typing import Final

import pytest

OPTION: Final = "--database-tests-share"


def add_option(parser: pytest.Parser) -> None:
    parser.addoption(
        OPTION,
        type=int,
        default=1,
        metavar="N",
        help="of the tests of pages and services run the first, the N+1st, ... of each file",
    )


def deselect_unsampled(
    config: pytest.Config, items: list[pytest.Item], sampled: list[pytest.Item]
) -> None:
    """Remove from ``items`` all but every Nth of the ``sampled`` tests of each file.

    The choice is the same in every run and in every process of a run.
    """
    step = config.getoption(OPTION)
    deselected = {
        test
        for _, tests_of_file in groupby(sampled, key=lambda test: test.path)
        for index, test in enumerate(tests_of_file)
        if index % step != 0
    }
    config.hook.pytest_deselected(items=[test for test in items if test in deselected])
    items[:] = [test for test in items if test not in deselected]
