"""Compression of responses, for the server that browsers reach without a proxy. Behind a proxy, that does it (``deploy/``)."""

import gzip
from functools import lru_cache
from typing import Final

from flask import Flask, Response, request

_LEVEL: Final = 4
"""The next level takes three times as long for pages with many equal pictures, and saves three percent."""
_MIN_BYTES: Final = 1000
"""Less fits into one packet anyway."""
_TYPES: Final = frozenset({"application/json", "image/svg+xml"})
"""Besides texts. Everything else that is sent is compressed already."""
_WHOLE_BODY_STATUSES: Final = frozenset({200, *range(400, 600)})


def compress_responses(app: Flask) -> None:
    """Send texts compressed to browsers that accept it. CSRF tokens in pages are masked (``webapp.web.forms``)."""
    app.after_request(_compress)


def _compress(response: Response) -> Response:
    if not _is_compressible(response):
        return response
    response.vary.add("Accept-Encoding")
    if request.accept_encodings.quality("gzip") <= 0:
        return response
    # A file, which would else be sent without being read.
    response.direct_passthrough = False
    body = response.get_data()
    if len(body) < _MIN_BYTES:
        return response
    response.set_data(_compressed_file(body) if request.endpoint == "static" else _compressed(body))
    response.content_encoding = "gzip"
    _weaken_etag(response)
    return response


def _is_compressible(response: Response) -> bool:
    if response.status_code not in _WHOLE_BODY_STATUSES or response.content_encoding:
        return False
    mimetype = response.mimetype or ""
    return mimetype.startswith("text/") or mimetype in _TYPES


def _weaken_etag(response: Response) -> None:
    """Mark the tag of a file as that of its content, which has other bytes now."""
    etag, _ = response.get_etag()
    if etag is not None:
        response.set_etag(etag, weak=True)


@lru_cache(maxsize=32)
def _compressed_file(body: bytes) -> bytes:
    return _compressed(body)


def _compressed(body: bytes) -> bytes:
    return gzip.compress(body, _LEVEL, mtime=0)
