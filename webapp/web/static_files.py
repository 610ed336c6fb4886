"""The addresses of files under ``/static``."""

from hashlib import sha256
from pathlib import Path

from flask import Flask


def static_file(app: Flask, name: str) -> str:
    """Return the URL of a file with a digest of its content. Computed once, because an error page may have no request context."""
    content = (Path(app.static_folder or "") / name).read_bytes()
    return f"/static/{name}?v={sha256(content).hexdigest()[:12]}"
