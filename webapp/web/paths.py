"""The parts of paths that name something: anything else is no page, before the database is asked."""

from werkzeug.routing import BaseConverter


class SlugConverter(BaseConverter):
    """The name of a game."""

    regex = "[a-z0-9]{1,32}"


class TokenConverter(BaseConverter):
    """A token that travelled in a link, or the name of a session."""

    regex = "[A-Za-z0-9_=-]{1,128}"


CONVERTERS: dict[str, type[BaseConverter]] = {"slug": SlugConverter, "token": TokenConverter}
