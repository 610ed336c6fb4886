"""The pages of a game stay small: what a phone has to load before the viewer sees whose turn it is."""

from typing import Final

import pytest

from tests.browser.table_states import STATES
from tests.support.visitors import Site

MOST_BYTES: Final = 40_000
"""Of a page before compression."""


@pytest.mark.parametrize(
    "state", ["own turn", "card chosen", "preview", "waiting", "wide mine", "round over"]
)
def test_table_page_is_under_40_kilobytes(site: Site, state: str) -> None:
    visitor, path, _ = STATES[state](site)
    assert len(visitor.client.get(path).data) < MOST_BYTES
