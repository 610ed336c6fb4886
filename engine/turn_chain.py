"""The chain of turns: one hash, the *head*, that stands for a game up to a turn.

Players get the head in their emails while they play. After the game anyone can compute every head again from the record, so a record
in which any turn was changed, replaced or left out does not match the emails. The format never changes.

Fields and numbers are those of :mod:`engine.commitments`, and ``record`` is the freeze record. All hashes are SHA-256.

1. The *start* is the hash over the fields ``lodepost chain 1`` and ``record``.
2. The *nonce* of turn ``n`` is HMAC-SHA-256 with the secret ``gold`` as key over the field ``record``, the field ``turns`` and ``n`` as a
   big-endian unsigned 64-bit number. That is block ``n`` of the shuffles (:mod:`engine.commitments`) for the label ``turns``, under
   which nothing is shuffled.
3. The *text* of a turn is what the game file says of it, in UTF-8: its line and the lines of its events, each with its continuation
   lines joined by single spaces, and with one line feed after each line (:func:`engine.record.turn_text`).
4. The head after turn ``n`` is the hash over the fields ``lodepost turn 1``, the head after turn ``n - 1`` (for turn 0 the start, and in
   both cases 32 raw bytes), the nonce and the text of turn ``n``.

A turn holds secrets that are easy to guess, such as one of a few cards. Its nonce keeps everyone from testing a guess against the
head: it is known to no one before the secrets of the deal are revealed, and the commitment to the secret ``gold`` fixes it. A rewind
is a turn like any other: the turns that it undoes stay in the log and in the chain.
"""

import hashlib
import hmac
from collections.abc import Iterable
from typing import Final

from engine.commitments import Secrets, length_prefixed
from engine.record import RecordedTurn, turn_text

SHORT_HEAD_DIGITS: Final = 20
"""How many hexadecimal digits of a head an email shows where the whole head is one link away: 80 bits."""
_START_TAG: Final = b"lodepost chain 1"
_TURN_TAG: Final = b"lodepost turn 1"
_NONCE_LABEL: Final = b"turns"
_TURN_NUMBER_SIZE: Final = 8


class TurnChain:
    """Computes the heads of one game. Its repr shows no secret."""

    def __init__(self, secrets: Secrets, record: bytes) -> None:
        """Use the secrets of the game and its freeze record."""
        self.start = hashlib.sha256(length_prefixed(_START_TAG) + length_prefixed(record)).digest()
        opening = length_prefixed(record) + length_prefixed(_NONCE_LABEL)
        self._nonce_hash = hmac.new(secrets.gold, opening, "sha256")

    def __repr__(self) -> str:
        return "<TurnChain>"

    def nonce(self, seq: int) -> bytes:
        """Return the nonce of a turn; it is as secret as the deck until the game is over."""
        nonce_hash = self._nonce_hash.copy()
        nonce_hash.update(seq.to_bytes(_TURN_NUMBER_SIZE, "big"))
        return nonce_hash.digest()

    def head_after(self, head: bytes, seq: int, turn: RecordedTurn) -> bytes:
        """Return the head after turn ``seq``, from the head before it."""
        parts = (_TURN_TAG, head, self.nonce(seq), turn_text(seq, turn).encode())
        return hashlib.sha256(b"".join(map(length_prefixed, parts))).digest()

    def heads(self, turns: Iterable[RecordedTurn]) -> tuple[bytes, ...]:
        """Return the head after every turn of a game, from the first deal on."""
        heads = [self.start]
        for seq, turn in enumerate(turns):
            heads.append(self.head_after(heads[-1], seq, turn))
        return tuple(heads[1:])
