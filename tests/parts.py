"""Parts of the machine that some tests need and that may be missing on a developer's.

A missing part skips the test and says what would bring it; with CI set every skip is a failure,
so that a green run there has run everything.
"""

import os
import shutil

import pytest

_CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def chromium() -> str:
    """Return the path of a Chromium, or skip the test."""
    named = os.environ.get("LODEPOST_TEST_CHROMIUM")
    found = named or next(filter(None, map(shutil.which, _CHROMIUM_NAMES)), None)
    if not found:
        pytest.skip("no Chromium here: apt-get install chromium, or set LODEPOST_TEST_CHROMIUM")
    return found
