"""Limits on guessing sign-in codes: per code, and per address and day over all browsers."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from webapp.services.tx import Tx
from webapp.store.accounts import sign_ins
from webapp.store.accounts.sign_ins import CodePurpose

TRIES_PER_CODE: Final = 5
_GUESSES_PER_DAY: Final = 20
"""Guesses at the codes of one address in all browsers together; its links are not affected."""


def guesses_left_today(tx: Tx, purpose: CodePurpose, address: str) -> int:
    """Return how many more guesses at this address's codes are allowed, in all browsers.

    Counted for each purpose, so that a stranger who guesses at sign-in codes cannot keep a person from confirming who they are.
    """
    since = tx.now - timedelta(days=1)
    return _GUESSES_PER_DAY - sign_ins.count_tries(tx.connection, purpose, address, since=since)


def codes_to_compare(tries: Sequence[int], guesses_left: int) -> list[int]:
    """Return the indexes of the codes that one typed code is compared with.

    These are the codes with tries left (``tries`` lists those already used), at most as many as today's remaining guesses.
    """
    open_code_indexes = [index for index, count in enumerate(tries) if count < TRIES_PER_CODE]
    return open_code_indexes[: max(guesses_left, 0)]


def tries_left(tries: Sequence[int], guesses_left: int) -> int:
    """Return how many more codes can be typed, given the tries used of each open code."""
    compared_indexes = codes_to_compare(tries, guesses_left)
    if not compared_indexes:
        return 0
    tries_after_guess = [tries[index] + 1 for index in compared_indexes]
    return 1 + tries_left(tries_after_guess, guesses_left - len(compared_indexes))
