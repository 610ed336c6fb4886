"""Why a message was not accepted: later or never. ``code`` is short, for the row of the letter."""

_LONGEST = 200


class DeliveryFailure(Exception):
    """The message was not accepted; ``code`` says why in the words of the other side."""

    def __init__(self, code: str) -> None:
        self.code = _one_line(code)
        super().__init__(self.code)


class TransientFailure(DeliveryFailure):
    """This message may be accepted another time (RFC 5321 4.2.1: 4yz)."""


class Unreachable(TransientFailure):
    """Nothing gets through at present: other messages need not be tried now."""


class AmbiguousFailure(Unreachable):
    """The line was lost while the relay had the message: it may have been accepted, and every attempt more may be a double."""


class PermanentFailure(DeliveryFailure):
    """This message will not be accepted however often it is tried (RFC 5321 4.2.1: 5yz)."""


def _one_line(code: str) -> str:
    printable = (sign if sign.isprintable() else " " for sign in code)
    return " ".join("".join(printable).split())[:_LONGEST]
