"""The outcome of an answer by email: stored with it, and shown in the email that answers it."""

from typing import Final

import msgspec

from webapp.kernel.redacted import Redacted


class CommandOutcome(Redacted, frozen=True, array_like=True):
    """One command as it was typed, and its outcome in the player's language."""

    typed: str
    sentence: str
    is_done: bool
    public_reason: str = ""
    """Why it was not done, without cards, moves and typed words; empty if that can't be said without them."""
    action: str = ""
    """The move that was understood, but not played without a proof, in the notation of the engine."""


class ReplyOutcome(Redacted, frozen=True, kw_only=True):
    """All commands of an email that is answered, in their order."""

    commands: tuple[CommandOutcome, ...] = ()
    is_proven: bool = True
    """Whether it was proven that the email came from the player: nothing is played otherwise."""
    understood_action: str = ""
    """The one move that was understood in an email without a proof; empty if there was none, or several."""
    other_domain: str | None = None
    """The domain of an email that came from another address, empty if it can't be shown; None if it came from the player's own one.

    Nothing that was typed in such an email is in the answer: anyone may have written it.
    """


def encode_outcome(outcome: ReplyOutcome) -> str:
    return _ENCODER.encode(outcome).decode()


def decode_outcome(text: str) -> ReplyOutcome:
    return _DECODER.decode(text)


_ENCODER: Final = msgspec.json.Encoder()
_DECODER: Final = msgspec.json.Decoder(ReplyOutcome)
