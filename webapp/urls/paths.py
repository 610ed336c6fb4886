"""What the paths of all subjects are made from, and full URLs."""

from urllib.parse import quote, urlencode


def absolute_url(base_url: str, path: str) -> str:
    """Return the full URL of a path, for emails and for links to share."""
    return base_url.rstrip("/") + path


def quoted_part(text: str) -> str:
    """Return text as one part of a path."""
    return quote(text, safe="")


def query_string(**parameters: str | int | None) -> str:
    """Return a query with a question mark before it, without the parameters that are None; empty if all are."""
    present_parameters = {name: value for name, value in parameters.items() if value is not None}
    return f"?{urlencode(present_parameters)}" if present_parameters else ""
