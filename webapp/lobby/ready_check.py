"""What a table asks of its people before the deal, and the way to it: everyone confirms, the settings are frozen, the cards are dealt.

Every change needs the game locked. Players add random words to the shuffles; the server suggests some.
"""

from collections.abc import Iterator
from datetime import timedelta
from typing import Final, Literal, TypeAlias

import msgspec

from engine.commitments import MAX_SALT_SIZE, FrozenSeat, FrozenTable, freeze
from webapp.accounts.person import Person
from webapp.kernel.game_status import GameStatus
from webapp.kernel.keyring import Keyring
from webapp.kernel.refusals import DenialReason, FieldError, FieldErrors, NotAllowed, StaleTurn
from webapp.kernel.tx import Tx
from webapp.lobby.queries import tables
from webapp.mail.queries import outbox, pending_emails
from webapp.mail.queries.outbox import NewNotification
from webapp.play.access import LoadedGame
from webapp.play.queries import games, turns
from webapp.play.queries.rows import GameRow, SeatRow
from webapp.play.summaries import name_of
from webapp.play.turns.turns import add_nudges, first_deal

LobbyAction: TypeAlias = Literal[
    "take-seat",
    "leave-seat",
    "confirm-ready",
    "withdraw-ready",
    "fill-with-bots",
    "invite",
    "cancel",
    "choose-starter",
    "remove-player",
]


UNDELAYED_CHECK_COUNT: Final = 10
"""Ready-checks of one table that are emailed at once: taking and leaving seats repeatedly must not flood inboxes."""
EMAIL_DELAY: Final = timedelta(hours=1)
"""How long the email of each later ready-check waits; meanwhile no other is queued."""
_SENDING_MARGIN: Final = timedelta(minutes=1)
"""An email due sooner may be written before this transaction commits."""
_SUGGESTION_SIZE: Final = 16
"""Bytes in a suggestion: 128 bits."""
_CONSONANTS: Final = "bdfghjklmnprstvz"
_VOWELS: Final = "aiou"


def confirm_ready(tx: Tx, game: LoadedGame, person: Person, *, salt: str | None = None) -> bool:
    """Mark the person as ready, with random words for the shuffles; return whether the cards were dealt.

    Raises FieldErrors for a salt without any words. Only None adds none, for players who are asked for none, as in simulations.
    """
    require_before_deal(game)
    number = require_seat(game, person)
    salt_bytes = b"" if salt is None else _parse_salt(salt)
    if game.status != GameStatus.READY_CHECK:
        raise NotAllowed(DenialReason.FREE_SEATS)
    tables.set_ready(tx, game.row.id, number, salt=salt_bytes)
    return deal_if_all_ready(tx, reload_game(tx, game))


def withdraw_ready(tx: Tx, game: LoadedGame, person: Person) -> None:
    """Mark the person as not ready."""
    require_before_deal(game)
    tables.set_not_ready(tx, game.row.id, require_seat(game, person))


def suggested_words(keys: Keyring, game: LoadedGame, person: Person) -> str:
    """Return eight words of 16 bits each for a player of a game, the same whenever the page is loaded.

    The secrets of the deal are drawn and committed to before anyone sees these words, and their commitments go into them.
    """
    seed = keys.random_bits("random words", game.slug, game.row.commitments, person.id)
    return " ".join(_words(seed[:_SUGGESTION_SIZE]))


def salt_of_seat(keys: Keyring, game: LoadedGame, person: Person) -> str:
    """Return the words that a player has added to the shuffles, or else the suggested ones; empty without a seat."""
    seat = game.seat_of(person)
    if seat is None:
        return ""
    return bytes.fromhex(game.row.seats[seat].salt).decode() or suggested_words(keys, game, person)


def _words(seed: bytes) -> Iterator[str]:
    """Yield a word that can be read aloud for every two bytes: consonants of four bits, vowels of two."""
    for start in range(0, len(seed), 2):
        bits = int.from_bytes(seed[start : start + 2], "big")
        yield (
            _CONSONANTS[bits >> 12]
            + _VOWELS[bits >> 10 & 3]
            + _CONSONANTS[bits >> 6 & 15]
            + _VOWELS[bits >> 4 & 3]
            + _CONSONANTS[bits & 15]
        )


def reload_game(tx: Tx, game: LoadedGame) -> LoadedGame:
    """Return the locked game with the changes of this transaction."""
    return LoadedGame(games.find_many_to_play(tx, [game.row.id])[game.row.id])


def begin_ready_check_if_full(tx: Tx, game: LoadedGame) -> None:
    """Begin the ready-check if no seat is free, and email everyone who is not ready."""
    if any(seat.is_free for seat in game.row.seats):
        return
    check_number = tables.begin_ready_check(tx, game.row.id)
    outbox.enqueue(tx, _notifications(tx, game.row, check_number))


def ask_again(tx: Tx, game: LoadedGame) -> None:
    """Email everyone who is not ready once more."""
    outbox.enqueue(tx, _notifications(tx, game.row, 0))


def deal_if_all_ready(tx: Tx, game: LoadedGame) -> bool:
    """Freeze the table and deal if every seat is taken and ready; return whether it was."""
    if not all(seat.is_ready for seat in game.row.seats):
        return False
    record = _freeze_record(game)
    tables.save_freeze_record(tx, game.row.id, record)
    frozen_game = LoadedGame(msgspec.structs.replace(game.row, freeze_record=record))
    deal_update = first_deal(frozen_game, now=tx.now)
    if not turns.append(tx, deal_update):
        raise StaleTurn
    add_nudges(tx, (deal_update,))
    return True


def _parse_salt(salt: str) -> bytes:
    if not salt.strip():
        raise FieldErrors(FieldError("salt", "required"))
    if not salt.isprintable():
        raise FieldErrors(FieldError("salt", "control-characters"))
    encoded = salt.encode()
    if len(encoded) > MAX_SALT_SIZE:
        raise FieldErrors(FieldError("salt", "too-long", {"max": MAX_SALT_SIZE}))
    return encoded


def _notifications(tx: Tx, row: GameRow, check_number: int) -> list[NewNotification]:
    """Return an email for everyone not ready who has none queued: a queued one will show the state of its sending."""
    number = max(check_number, pending_emails.last_dedup_key(tx, row.id, "ready-check") + 1)
    due_at = tx.now if number <= UNDELAYED_CHECK_COUNT else tx.now + EMAIL_DELAY
    queued_account_ids = pending_emails.accounts_pending_after(
        tx, row.id, "ready-check", tx.now + _SENDING_MARGIN
    )
    is_ready = {seat.account_id: seat.is_ready for seat in row.seats if seat.account_id is not None}
    return [
        NewNotification(
            kind="ready-check",
            game_id=row.id,
            account_id=account_id,
            dedup_key=number,
            due_at=due_at,
        )
        for account_id, is_account_ready in is_ready.items()
        if not is_account_ready and account_id not in queued_account_ids
    ]


def _freeze_record(game: LoadedGame) -> bytes:
    gold, round_1, round_2, round_3 = game.row.commitments.split()
    table = FrozenTable(
        game=game.row.slug,
        rulebook=game.row.rulebook,
        house=game.house,
        starter=game.row.starter,
        commitments=(gold, round_1, round_2, round_3),
        seats=tuple(map(_frozen_seat, game.row.seats)),
    )
    return freeze(table)


def _frozen_seat(seat: SeatRow) -> FrozenSeat:
    return FrozenSeat(name_of(seat), bytes.fromhex(seat.salt))


def permitted_actions(game: LoadedGame, person: Person | None) -> frozenset[LobbyAction]:
    """Return what this person may do in the lobby now: exactly what the use cases accept."""
    if person is None or not game.status.is_before_deal:
        return frozenset()
    seat = game.seat_of(person)
    is_host = game.is_hosted_by(person)
    is_seated = seat is not None
    is_ready = seat is not None and game.row.seats[seat].is_ready
    is_ready_check = game.status == GameStatus.READY_CHECK
    permission_by_action: dict[LobbyAction, bool] = {
        "take-seat": not is_seated and not is_ready_check,
        "leave-seat": is_seated,
        "confirm-ready": is_seated and is_ready_check and not is_ready,
        "withdraw-ready": is_ready,
        "fill-with-bots": is_host and not is_ready_check,
        "invite": (is_seated or is_host) and not is_ready_check,
        "cancel": is_host,
        "choose-starter": is_host,
        "remove-player": is_host
        and any(not other.is_free and other.number != seat for other in game.row.seats),
    }
    return frozenset(
        action for action, is_permitted in permission_by_action.items() if is_permitted
    )


def require_name(person: Person) -> None:
    if not person.name:
        raise NotAllowed(DenialReason.NO_NAME)


def require_before_deal(game: LoadedGame) -> None:
    if not game.status.is_before_deal:
        raise NotAllowed(DenialReason.LOBBY_CLOSED)


def require_host(game: LoadedGame, person: Person) -> None:
    if not game.is_hosted_by(person):
        raise NotAllowed(DenialReason.NOT_HOST)


def require_seat(game: LoadedGame, person: Person) -> int:
    """Return the number of the person's seat. Raises NotAllowed."""
    number = game.seat_of(person)
    if number is None:
        raise NotAllowed(DenialReason.NOT_SEATED)
    return number
