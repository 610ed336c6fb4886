"""What the paths of games and links may contain; anything else is not found without a query."""

from werkzeug.routing import BaseConverter


class SlugConverter(BaseConverter):
    """The slug of a game in a path; any other text gets 404 without a query."""

    regex = "[a-z0-9]{1,32}"


class TokenConverter(BaseConverter):
    """A token or the reference of a session in a path."""

    regex = "[A-Za-z0-9_=-]{1,128}"
