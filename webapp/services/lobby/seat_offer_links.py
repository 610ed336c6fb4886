"""The tokens of offered seats, made as those of invitations are, so that a reader of the database cannot take a seat."""

from typing import Final

from webapp.services.keys import Keyring, NewLink, TokenSource

_PURPOSE: Final = "seat offer"


def seat_offer_token(nonce: bytes, keys: Keyring) -> str:
    """Return the token in the link of an offer."""
    return keys.link_token(_PURPOSE, nonce)


def new_offer_link(source: TokenSource) -> NewLink:
    """Return what is stored of a new link."""
    return source.new_link(_PURPOSE)
