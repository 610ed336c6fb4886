"""Errors whose message is for the operator: commands print it to standard error and exit with status 2."""


class OperatorError(Exception):
    """Lodepost cannot do what it was asked to do; the message says why and what to do about it."""


class Misconfigured(OperatorError):
    """Some settings cannot be used; ``problems`` has one sentence for each of them."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


class EmbeddedError(OperatorError):
    """The embedded Postgres cannot run here."""


class StartCancelled(EmbeddedError):
    """The process was asked to end while the embedded Postgres was starting."""


class FolderInUse(EmbeddedError):
    """Another Lodepost process runs on this data folder."""


class DatabaseFailure(OperatorError):
    """The database cannot be reached or failed; the message is the driver's."""


class UnsuitableDatabase(OperatorError):
    """The database is not empty, not writable or in use, so nothing can be restored into it."""


class SchemaMismatch(OperatorError):
    """The database has the schema of another release."""


class InvalidBackup(OperatorError):
    """The file is not a complete backup that this release can read."""


class InvalidGameFile(OperatorError):
    """The file is not a game file that can be shown."""
