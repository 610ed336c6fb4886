"""The heads of the chain of turns in what a site has sent.

Two sites that a reader cannot tell apart send different heads for the turns that are taken during a crawl, because the secrets differ from
which their nonces follow. ``tests/rules/test_secrecy_of_heads.py`` shows that nothing can be computed from a head; here each is replaced
by its turn, and everything else must be the same.
"""

import re
from typing import Final

from sqlalchemy import text as sql

from engine.record import SHORT_HEAD_DIGITS
from tests.leaks.observed_site import ObservedSite

_GROUPED_DIGITS: Final = re.compile(r"[0-9a-f]{4}(?:[\s=]*[0-9a-f]{4}){4,15}")
"""Digits in groups, as pages and emails show them; a long line of an email may be broken anywhere between groups."""


def without_heads(outputs: dict[str, str], observed_site: ObservedSite) -> dict[str, str]:
    """Return the outputs with every head of a turn of this site replaced by the number of the turn."""
    name_by_digits = _names_of_heads(observed_site)

    def replace_head(match: re.Match[str]) -> str:
        digits = re.sub(r"[\s=]", "", match[0])
        return name_by_digits.get(digits, match[0])

    return {output: _GROUPED_DIGITS.sub(replace_head, text) for output, text in outputs.items()}


def _names_of_heads(observed_site: ObservedSite) -> dict[str, str]:
    """Return the turn of every head, as a whole and as the part of it that emails show."""
    with observed_site.database.engine.begin() as connection:
        rows = connection.execute(sql("SELECT seq, encode(head, 'hex') FROM turn")).all()
    return {
        digits: f"HEAD OF TURN {seq}"
        for seq, head in rows
        for digits in (head, head[:SHORT_HEAD_DIGITS])
    }
