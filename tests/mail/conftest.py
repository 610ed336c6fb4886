from collections.abc import Iterator

import pytest

from tests.support.smtp_sink import Sink, running_sink


@pytest.fixture
def sink() -> Iterator[Sink]:
    with running_sink() as running:
        yield running
