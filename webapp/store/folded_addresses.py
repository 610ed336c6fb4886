"""Addresses without their ``+tag``: many mail servers deliver all of them to one mailbox, so limits and opt-outs ignore it.

Its own module because statements on emails, invitations and accounts compare addresses in this way.
"""

from typing import Any, Final

from sqlalchemy import ColumnElement, func

_TAG: Final = r"^([^@+]+)\+[^@]*@"


def folded(address: Any) -> ColumnElement[str]:  # noqa: ANN401 - a column or a value
    """Return an address in lower case and without its tag."""
    return func.regexp_replace(func.lower(address), _TAG, r"\1@")
