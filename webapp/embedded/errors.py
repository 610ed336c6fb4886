class EmbeddedError(Exception):
    """The embedded Postgres cannot run here; the message tells the operator why and what helps."""


class InUse(EmbeddedError):
    """Another Lodepost serves this folder."""
