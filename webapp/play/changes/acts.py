"""What an act on a game declares about itself, and all acts by their names.

Each act is a module in `webapp/moderation/acts` that has an ``ACT``; nothing else lists it. Its page, its command, the ledger,
emails and limits read what the module declares.
"""

import argparse
from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta
from functools import cache
from typing import Any, ClassVar, Final, Generic, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

import msgspec

from webapp.kernel.game_status import GameStatus
from webapp.kernel.i18n import N_
from webapp.kernel.keyring import NewLink
from webapp.kernel.public_acts import PublicFacts, ShownAct
from webapp.kernel.redacted import Redacted
from webapp.kernel.refusals import DenialReason, NotAllowed
from webapp.kernel.resources import subject_modules
from webapp.kernel.rights import GameRight
from webapp.kernel.tx import Tx
from webapp.play.changes.public_change import ChangeSource, PlannedChange, RecordedChange


class SeatChoice(msgspec.Struct, frozen=True, kw_only=True):
    """A seat as the form of an act offers it."""

    number: int
    name: str
    is_bot: bool
    is_open: bool
    is_host: bool
    is_awaited: bool
    is_offered: bool
    """Whether someone can accept an offer of it. False unless the act shows offers."""
    bot_level: str | None


class FilledForm(Protocol):
    """A form whose fields have been checked."""

    def text(self, name: str) -> str:
        """Return the text of a field without surrounding blanks; empty if it has none."""

    def number(self, name: str) -> int | None:
        """Return the whole number in a field; None if the field is empty."""


class NumberField(NamedTuple):
    """A whole number from ``low`` to ``high``."""

    name: str
    label: str
    low: int
    high: int
    default: str

    def read(self, form: FilledForm) -> dict[str, int | None]:
        return {self.name: form.number(self.name)}


class ChoiceField(NamedTuple):
    """One of some words, each with what it is called."""

    name: str
    label: str
    choices: Mapping[str, str]
    default: str

    def read(self, form: FilledForm) -> dict[str, str]:
        return {self.name: form.text(self.name)}


class LineField(NamedTuple):
    """Text on one line; the browser does not complete it if it ``is_private``."""

    name: str
    label: str
    max_length: int
    is_private: bool = False

    def read(self, form: FilledForm) -> dict[str, str]:
        return {self.name: form.text(self.name)}


class SeatField(NamedTuple):
    """A seat of the game, numbered from 1; the first preferred one that the act allows is chosen at first."""

    allows: Callable[[SeatChoice], bool] = lambda _: True
    prefers: Callable[[SeatChoice], bool] = lambda seat: seat.is_awaited
    name: str = "seat"
    label: str = N_("Seat")

    def read(self, form: FilledForm) -> dict[str, int]:
        return {"seat": (form.number(self.name) or 0) - 1}

    def first_choice(self, seats: tuple[SeatChoice, ...], *, is_at_table: bool) -> SeatChoice:
        """Return the seat that the act is most likely about.

        It is never the seat of a host who acts at the table, unless there is no other.
        """
        candidates = [
            seat for seat in seats if not (is_at_table and seat.is_host) and self.allows(seat)
        ]
        preferred_seats = [seat for seat in candidates if self.prefers(seat)]
        return (preferred_seats or candidates or list(seats))[0]


class LevelField(NamedTuple):
    """How well a bot plays."""

    name: str = "level"

    def read(self, form: FilledForm) -> dict[str, str]:
        return {"bot_level": form.text(self.name)}


class TurnField(NamedTuple):
    """An earlier turn of the game."""

    label: str
    name: str = "turn"

    def read(self, form: FilledForm) -> dict[str, int | None]:
        return {"turn": form.number(self.name)}


class EmailField(NamedTuple):
    """An email about the game that was given up, or that waits."""

    label: str
    name: str = "email"

    def read(self, form: FilledForm) -> dict[str, int | None]:
        return {"email_id": form.number(self.name)}


ActField: TypeAlias = (
    NumberField | ChoiceField | LineField | SeatField | LevelField | TurnField | EmailField
)


RUNNING: Final = frozenset({GameStatus.RUNNING})
PAUSED: Final = frozenset({GameStatus.PAUSED})
UNDER_WAY: Final = RUNNING | PAUSED
MAX_ACTS_BY_ACTOR: Final = 150
"""The largest number of acts of one kind within a day: three times the number of games that one form can hold."""
_PEEK_ANNOUNCEMENT: Final = N_("All roles and cards were looked at.")
_RIGHTS_IN_ORDER: Final = list(GameRight)


class ActInput(Redacted, frozen=True, kw_only=True):
    """What an act needs besides its reason: nothing, unless the act declares more."""

    @property
    def new_name(self) -> str:
        """The name that the act gives to the player whom it is about; empty if it gives none."""
        return ""


class SeatInput(ActInput, frozen=True, kw_only=True):
    """The number of a seat, counted from 0."""

    seat: int


class ActLimit(NamedTuple):
    """How many acts of a kind are allowed within a day. What was undone counts too: its emails may have been sent."""

    per_game: int
    per_actor: int = MAX_ACTS_BY_ACTOR


class TurnLimit(NamedTuple):
    """How many acts of a kind are allowed in one turn, without those that were undone."""

    most: int
    denial: DenialReason


class TurnInterval(NamedTuple):
    """The least time between two acts of a kind in one turn."""

    length: timedelta
    denial: DenialReason


class ActCommand(NamedTuple):
    """The action of a command that performs an act: `lodepost game extend`."""

    name: Literal["game", "seat"]
    action: str
    help: str
    order: int
    """Its place in the help of the command."""


Need: TypeAlias = Literal[
    "a running game",
    "a paused game",
    "a deadline",
    "a turn to play",
    "someone to nudge",
    "a person",
    "a person who is not the host",
    "a seat for a bot",
    "a seat to offer",
    "an open offer",
    "an earlier turn",
    "an unsent email",
]
"""What there must be in a game for an act to act on."""

InputT = TypeVar("InputT", bound=ActInput)


class Act(Generic[InputT]):
    """An act on a game; its instances have no state."""

    right: ClassVar[GameRight]
    """The right that it needs; the table of rights says who has it."""
    label: ClassVar[str]
    """What its button says."""
    summary: ClassVar[str]
    """What it does, as an order: "Move a deadline"."""
    announcement: ClassVar[str]
    """What it changes, for everyone at the table."""
    announcement_without_clock: ClassVar[str] = ""
    """The same while a bot is to play, when there is no deadline."""
    note: ClassVar[str] = ""
    """What one should know before performing it."""

    input_type: type[InputT]
    fields: ClassVar[tuple[ActField, ...]] = ()
    """What its form asks for."""
    has_page: ClassVar[bool] = True
    needs_input: ClassVar[bool] = False
    """Whether there is nothing to preview before the form is filled in."""
    form_title: ClassVar[str] = ""
    form_hint: ClassVar[str] = ""
    no_choice_text: ClassVar[str] = ""
    """What the page says instead of the form if there is nothing to choose from."""
    reason_label: ClassVar[str] = ""
    reason_hint: ClassVar[str] = N_("Everyone at the table can read it, and it's kept for good.")
    done_text: ClassVar[str] = N_("Everyone at the table can see what you changed.")
    shows_offers: ClassVar[bool] = False
    """Whether its page shows the offers of seats in the game."""
    stays_on_page: ClassVar[bool] = False
    """Whether the page is shown again once the act is performed."""
    command: ClassVar[ActCommand | None] = None

    group: ClassVar[tuple[str, int] | None] = None
    """What it helps with on the page of a game, and its place among the acts that help with the same."""
    statuses: ClassVar[frozenset[GameStatus]] = UNDER_WAY
    """The statuses of games in which that page offers it."""
    needs: ClassVar[Need | None] = None
    is_bulk: ClassVar[bool] = False
    """Whether it means the same in every game, so that it can be performed on several at once."""
    is_on_dashboard: ClassVar[bool] = False

    limit: ClassVar[ActLimit | None] = None
    """The limit of an act that sends emails and can be repeated."""
    turn_limit: ClassVar[TurnLimit | None] = None
    turn_interval: ClassVar[TurnInterval | None] = None
    is_beyond_shared_limit: ClassVar[bool] = False
    """Whether it is possible although the table has had enough emails about acts today."""
    informs: ClassVar[Literal["table", "player", "no one"]] = "table"
    """Who gets an email: everyone who sits or sat there, the player whom it is about, or no one."""

    outdates_votes: ClassVar[bool] = False
    """Whether it decides what the players may be voting on. Seating a person needs no such mark: others sit at the table than may vote."""
    ends_agreed_pause: ClassVar[bool] = False
    """Whether it ends the pause that the players agreed on, which otherwise ends by itself."""
    ends: ClassVar[GameRight | None] = None
    """The act whose effect this one ends, in the same seat if it is about one. An actor can't end what a stronger actor did."""
    undone_as: ClassVar[GameRight | None] = None
    """The act as which its undoing is recorded; None if it can't be undone."""

    @property
    def name(self) -> str:
        """What it is called in the ledger and in addresses: as its right, unless it says another name."""
        return self.right.value

    def plan(self, source: ChangeSource, given: InputT) -> PlannedChange:
        """Plan the change; write nothing. Raises NotAllowed and FieldErrors."""
        raise NotImplementedError

    def plan_undoing(self, source: ChangeSource, recorded_change: RecordedChange) -> PlannedChange:
        """Plan to undo the act, as long as nothing has changed what it changed. Raises NotAllowed."""
        del source, recorded_change
        raise NotAllowed(DenialReason.CANNOT_BE_UNDONE)

    def read_form(self, form: FilledForm) -> InputT:
        """Return what was filled in."""
        input_fields: dict[str, Any] = {}
        for field in self.fields:
            input_fields |= field.read(form)
        return self.input_type(**input_fields)

    def with_link(self, given: InputT, new_link: Callable[[], NewLink]) -> InputT:
        """Return the input with a new link, if the act needs one to be performed. Previews need none."""
        del new_link
        return given

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Add what its command needs besides the game, the seat and the reason."""

    def read_arguments(self, tx: Tx, arguments: argparse.Namespace) -> InputT:
        """Return what was typed after the command, which counts seats from 1. Raises NotFound and NotAllowed."""
        del tx
        known_names = self.input_type.__struct_fields__
        input_fields = {
            name: value for name, value in vars(arguments).items() if name in known_names
        }
        if "seat" in input_fields:
            input_fields["seat"] -= 1
        return self.input_type(**input_fields)

    def announcement_of(
        self, before: PublicFacts, after: PublicFacts, *, offerer: str | None
    ) -> str:
        """Return the sentence about a change; ``offerer`` is who offered the seat that a person took, None for the operator."""
        del before, offerer
        if self.announcement_without_clock and not after.has_clock:
            return self.announcement_without_clock
        return self.announcement


@cache
def acts_by_name() -> Mapping[str, Act[Any]]:
    """Return every act, in the order of the table of rights."""
    acts = sorted((module.ACT for module in subject_modules("acts")), key=_order_of)
    return {act.name: act for act in acts}


def announcement(
    act: str, before: PublicFacts, after: PublicFacts, *, offerer: str | None = None
) -> str:
    """Return the sentence about an act that the ledger has recorded, untranslated."""
    if act == GameRight.PEEK:
        return _PEEK_ANNOUNCEMENT
    return acts_by_name()[act].announcement_of(before, after, offerer=offerer)


def shown_acts(acts: Iterable[ShownAct], *, is_over: bool) -> tuple[ShownAct, ...]:
    """Return the acts that everyone at the table may read; peeks are disclosed when the game ``is_over``."""
    shown_names = {*acts_by_name(), GameRight.PEEK} if is_over else acts_by_name()
    return tuple(act for act in acts if act.act in shown_names)


def _order_of(act: Act[Any]) -> tuple[int, str]:
    return _RIGHTS_IN_ORDER.index(act.right), act.name
