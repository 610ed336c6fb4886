"""Who may do what at a table before the deal: checked by the use cases, shown by the lobby page."""

from typing import Literal, TypeAlias

from webapp.accounts.person import Person
from webapp.kernel.errors import DenialReason, NotAllowed
from webapp.kernel.game_status import GameStatus
from webapp.play.access import LoadedGame

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
