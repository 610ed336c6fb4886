"""Values that stay out of tracebacks, logs and trackers of errors, which print whatever a variable holds."""

import msgspec


class Redacted(msgspec.Struct, frozen=True):
    """A value of which only the kind is shown."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


class RedactedBytes(bytes):
    """Bytes that are not shown, not even by their number."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "<bytes>"
