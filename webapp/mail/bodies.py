"""The bodies of a message as bytes: text first, then HTML (RFC 2046 5.1.4: the last is the richest). All of it is ASCII."""

from binascii import b2a_base64, b2a_qp
from typing import Final

_CRLF: Final = b"\r\n"
_ASCII: Final = bytes(range(128))
_LONGEST_LINE: Final = 998
_BASE64_LINE: Final = 76


def content_type(boundary: str) -> str:
    """What the header says of the bodies that ``alternatives`` makes."""
    return f'multipart/alternative; boundary="{boundary}"'


def alternatives(text: str, html: str, *, boundary: str) -> bytes:
    """Two ways to say the same. Nobody else may be able to guess the boundary."""
    between = b"--" + boundary.encode()
    parts = (b"text/plain", *_encoded(text)), (b"text/html", *_encoded_html(html))
    return b"".join(
        (
            *(
                b"%b\r\nContent-Type: %b; charset=utf-8\r\nContent-Transfer-Encoding: %b\r\n\r\n%b\r\n"
                % (between, kind, encoding, body)
                for kind, encoding, body in parts
            ),
            between,
            b"--\r\n",
        )
    )


def _encoded_html(html: str) -> tuple[bytes, bytes]:
    """In HTML every character has an ASCII spelling, so that the source can be read and nothing need be encoded."""
    data = html.encode("ascii", "xmlcharrefreplace").replace(b"\n", _CRLF)
    if max(map(len, data.split(_CRLF))) <= _LONGEST_LINE:
        return b"7bit", data
    return b"quoted-printable", b2a_qp(data)


def _encoded(text: str) -> tuple[bytes, bytes]:
    """Whichever way is shorter: box-drawing characters take nine bytes each as quoted-printable."""
    # The ends of lines are encoded as those of mail: RFC 2045 6.8.
    data = text.encode("utf-8", "replace").replace(b"\n", _CRLF)
    foreign = len(data.translate(None, _ASCII))
    if 2 * foreign > len(data) // 3:
        return b"base64", _base64(data)
    return b"quoted-printable", b2a_qp(data)


def _base64(data: bytes) -> bytes:
    encoded = b2a_base64(data, newline=False)
    starts = range(0, len(encoded), _BASE64_LINE)
    return _CRLF.join(encoded[start : start + _BASE64_LINE] for start in starts)
