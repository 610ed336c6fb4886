"""The tokens of offered seats, made as those of invitations are, so that a reader of the database cannot take a seat.

Its own module because emails need it, and may not depend on how an offer is accepted.
"""

from typing import Final

from webapp.services.keys import Keyring, TokenSource, hash_of
from webapp.services.play.public_change import NewLink

_NONCE_SIZE: Final = 16


def seat_offer_token(nonce: bytes, keys: Keyring) -> str:
    """Return the token in the link of an offer."""
    return keys.token("seat offer", nonce)


def new_offer_link(source: TokenSource) -> NewLink:
    """Return what is stored of a new link."""
    nonce = source.random_bytes(_NONCE_SIZE)
    return NewLink(nonce, hash_of(seat_offer_token(nonce, source.keys)))
