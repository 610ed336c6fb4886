"""Secrets that can be searched for literally, as they are and in every usual encoding."""

import base64
import html
import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple
from urllib.parse import quote

from sqlalchemy import text as sql

from tests.leaks.observed_site import METRICS_TOKEN, ObservedSite, Reader
from tests.leaks.seed_data import REPORTED_SEAT, SALTS, ZOE, note_of, talk_of
from tests.support.cast import MO
from tests.support.caused_emails import complaint_of
from tests.support.factories import stored_game
from tests.support.transactions import KEYS
from tests.support.visitors import SECRET_KEY
from webapp.accounts.sign_in import sign_in_token
from webapp.lobby.invitations import invitation_token
from webapp.lobby.offered_seats import seat_offer_token


class KnownSecret(NamedTuple):
    """A secret text or byte string. ``known_to`` are the readers who may see it."""

    name: str
    value: str | bytes
    known_to: frozenset[Reader] = frozenset()
    is_row_id: bool = False
    is_session: bool = False


def secrets_of(observed_site: ObservedSite) -> Iterator[KnownSecret]:
    """Yield every secret of the site that can be searched for. Cards and roles cannot: for them games are compared."""
    yield KnownSecret("the key of the site", SECRET_KEY)
    yield KnownSecret("the token of the monitoring", METRICS_TOKEN)
    yield from _secrets_of_people(observed_site)
    yield from _secrets_of_strangers(observed_site)
    yield from _secrets_of_games(observed_site)
    for seat, salt in SALTS.items():
        yield KnownSecret(f"the salt of seat {seat} before the freeze", salt, frozenset({seat}))
    for seat in range(len(observed_site.seed_data.seated_guests)):
        known_to: frozenset[Reader] = frozenset({seat, "moderator"})
        yield KnownSecret(f"the report by seat {seat}", complaint_of(seat), known_to)
        yield KnownSecret(f"the note of seat {seat}", note_of(seat), frozenset({seat}))
    people_at_table: frozenset[Reader] = frozenset({0, 1, 2, 3})
    for seat in range(REPORTED_SEAT + 1):
        moderators: frozenset[Reader] = frozenset({"moderator"} if seat == REPORTED_SEAT else ())
        yield KnownSecret(f"what seat {seat} said", talk_of(seat), people_at_table | moderators)


def _secrets_of_people(observed_site: ObservedSite) -> Iterator[KnownSecret]:
    readers: tuple[Reader, ...] = (0, 1, 2, 3, "stranger", "moderator", "club moderator")
    seed_data = observed_site.seed_data
    other_people = (seed_data.mallory, seed_data.moderator, seed_data.club_moderator)
    for reader, guest in zip(readers, (*seed_data.seated_guests, *other_people), strict=True):
        person, known_to_owner = guest.person, frozenset({reader})
        yield KnownSecret(
            f"the address of {person.name}", person.address, known_to_owner | {"moderator"}
        )
        yield KnownSecret(f"the id of {person.name}", str(person.id), is_row_id=True)
        yield KnownSecret(
            f"the session of {person.name}", guest.cookie, known_to_owner, is_session=True
        )
        for scope in ("everything", "reminders"):
            token = KEYS.token("unsubscribe", person.address, scope, None)
            yield KnownSecret(
                f"the token with which {person.name} unsubscribes from {scope}",
                token,
                known_to_owner,
            )
        for (session_ref,) in _select_rows(
            observed_site, "SELECT ref FROM session WHERE account_id = :id", id=person.id
        ):
            yield KnownSecret(
                f"the ref of a session of {person.name}", str(session_ref), known_to_owner
            )


def _secrets_of_strangers(observed_site: ObservedSite) -> Iterator[KnownSecret]:
    yield KnownSecret("an address that was invited", ZOE.address, frozenset({1}))
    yield KnownSecret("an address that requested a sign-in", MO.address)
    for address, nonce in _select_rows(observed_site, "SELECT address, nonce FROM invitation"):
        # The table link is known to the people at the table, who share it: in these tests with everyone.
        if address is not None:
            yield KnownSecret(
                "the token of an emailed invitation", invitation_token(bytes(nonce), KEYS)
            )
    for address, nonce in _select_rows(
        observed_site, "SELECT address, nonce FROM seat_offer WHERE NOT is_link"
    ):
        yield KnownSecret(
            "the token of an emailed offer of a seat",
            seat_offer_token(bytes(nonce), KEYS),
            _readers_with_address(observed_site, address),
        )
    for address, nonce in _select_rows(
        observed_site, "SELECT address, nonce FROM sign_in WHERE used_at IS NULL"
    ):
        yield KnownSecret(
            "the code of a sign-in",
            KEYS.code(bytes(nonce)),
            _readers_with_address(observed_site, address),
        )
        yield KnownSecret("the token of a sign-in link", sign_in_token(bytes(nonce), KEYS))


def _readers_with_address(observed_site: ObservedSite, address: str) -> frozenset[Reader]:
    """Return the readers with this address: they may ask for codes of their own."""
    seats_and_addresses = enumerate(
        guest.person.address for guest in observed_site.seed_data.seated_guests
    )
    return frozenset(seat for seat, seat_address in seats_and_addresses if seat_address == address)


def _secrets_of_games(observed_site: ObservedSite) -> Iterator[KnownSecret]:
    for slug in (
        observed_site.seed_data.running_slug,
        observed_site.seed_data.private_slug,
        observed_site.seed_data.lobby_slug,
        observed_site.seed_data.ready_check_slug,
    ):
        row_id = stored_game(
            observed_site.database, slug, observed_site.seed_data.seated_guests[1]
        ).row.id
        yield KnownSecret(f"the id of {slug}", str(row_id), is_row_id=True)
    for row in _select_rows(observed_site, "SELECT gold, round_1, round_2, round_3 FROM secret"):
        for number, secret in enumerate(row):
            yield KnownSecret(f"secret {number} of a deal", bytes(secret))
    game = stored_game(
        observed_site.database,
        observed_site.seed_data.running_slug,
        observed_site.seed_data.seated_guests[1],
    )
    for seq in (0, game.seq):
        yield KnownSecret(f"the nonce of turn {seq}", game.turn_chain().nonce(seq))


def _select_rows(
    observed_site: ObservedSite, statement: str, **values: object
) -> list[tuple[object, ...]]:
    with observed_site.database.engine.begin() as connection:
        return [tuple(row) for row in connection.execute(sql(statement), values)]


def find_secrets(
    outputs: dict[str, str], secrets: Iterable[KnownSecret], reader: Reader
) -> dict[str, str]:
    """Return the names of the outputs with a secret that this reader may not know, each with the secrets' names."""
    # Most lines are in many outputs, and no secret has more than one line.
    different_lines = "\n".join({line for text in outputs.values() for line in text.split("\n")})
    found_secrets = [
        secret
        for secret in secrets
        if reader not in secret.known_to and _occurs_in(secret, different_lines)
    ]
    names_by_output = {
        output: sorted({secret.name for secret in found_secrets if _occurs_in(secret, text)})
        for output, text in outputs.items()
    }
    return {output: ", ".join(names) for output, names in names_by_output.items() if names}


def _occurs_in(secret: KnownSecret, text: str) -> bool:
    return any(
        encoded_secret in text and _occurs_as_separate_text(encoded_secret, text)
        for encoded_secret in _encodings(secret.value)
    )


def _occurs_as_separate_text(encoded_secret: str, text: str) -> bool:
    """Return whether a number occurs outside of longer numbers and words; other texts need not."""
    if not encoded_secret.isdigit():
        return True
    return re.search(rf"(?<![0-9A-Za-z]){encoded_secret}(?![0-9A-Za-z])", text) is not None


@cache
def _encodings(value: str | bytes) -> frozenset[str]:
    raw_value = value if isinstance(value, bytes) else value.encode()
    base64_texts = (
        base64.b64encode(raw_value).decode(),
        base64.urlsafe_b64encode(raw_value).decode(),
    )
    without_padding = (text.rstrip("=") for text in base64_texts)
    encodings = {raw_value.hex(), raw_value.hex().upper(), *without_padding, repr(raw_value)[2:-1]}
    if isinstance(value, bytes):
        return frozenset(encodings)
    return frozenset({*encodings, value, value.upper(), quote(value, safe=""), html.escape(value)})
