"""Values with a hidden repr, because tracebacks, logs and error trackers print whatever a variable holds."""

import msgspec


class Redacted(msgspec.Struct, frozen=True):
    """A struct whose repr shows only its class."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


class RedactedBytes(bytes):
    """Bytes whose repr shows neither their content nor their length."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "<bytes>"


class RedactedText(str):
    """Text whose repr shows neither its content nor its length."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "<text>"
