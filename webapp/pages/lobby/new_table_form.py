"""The form that opens a table."""

from collections.abc import Iterable
from typing import Any, Final

from werkzeug.datastructures import MultiDict
from wtforms import BooleanField, RadioField, SelectField, StringField

from engine.cards import HAND_SIZES
from engine.rulebook import MAX_ROUNDS, HouseRules
from engine.rulebooks.catalogue import DEFAULT_RULEBOOK, RULEBOOKS
from webapp.i18n import N_, Language
from webapp.pages.lobby.late_rules_form import LateRulesForm, late_rule_fields_of
from webapp.pages.lobby.pace_form import PaceForm, pace_fields_of
from webapp.services.clubs.club_page import ClubCard
from webapp.services.lobby.new_table import MAX_TABLE_NAME_LENGTH, TableSettings
from webapp.web.bot_level_field import BotLevelField
from webapp.web.validators import (
    number_between,
    one_line,
    one_of,
    optional_number,
    whole_number,
)
from webapp.wording.rulebooks import HOUSE_RULES, house_rule_label, rulebook_name

_RANDOM_STARTER: Final = ""
NO_CLUB: Final = ""
_DEFAULT_SEAT_COUNT: Final = 5


class GameSettingsForm(PaceForm, LateRulesForm):
    """What tables and the defaults of clubs have in common: the rules, the pace, and what becomes of late players."""

    rulebook = RadioField(
        N_("Rulebook"), [one_of(RULEBOOKS)], default=DEFAULT_RULEBOOK, validate_choice=False
    )
    rounds = SelectField(
        N_("Rounds"),
        validators=[number_between(1, MAX_ROUNDS)],
        default=str(MAX_ROUNDS),
        validate_choice=False,
    )
    intact_diggers_only = BooleanField()
    open_gold = BooleanField()
    no_self_breaking = BooleanField()

    def __init__(
        self,
        language: Language,
        formdata: MultiDict[str, str] | None = None,
        **data: Any,  # noqa: ANN401 - the defaults of any field
    ) -> None:
        super().__init__(language, formdata, **data)
        for name in HOUSE_RULES:
            self[name].label.text = house_rule_label(name, language)
        self.rulebook.choices = [(key, rulebook_name(key, language)) for key in RULEBOOKS]
        self.rounds.choices = [(str(rounds), str(rounds)) for rounds in range(MAX_ROUNDS, 0, -1)]
        self.offer_late_rules()

    @property
    def has_house_errors(self) -> bool:
        return any(self[name].errors for name in ("rounds", *HOUSE_RULES))

    def house_rules(self) -> HouseRules:
        """Return the house rules from a form that was checked."""
        return HouseRules(
            intact_diggers_only=self.intact_diggers_only.data,
            open_gold=self.open_gold.data,
            no_self_breaking=self.no_self_breaking.data,
            rounds=self.number("rounds") or MAX_ROUNDS,
        )


class NewTableForm(GameSettingsForm):
    """The settings of a table; ``open_table`` checks their limits. Seats are numbered from 1 on pages."""

    table_name = StringField(
        N_("Name of the table"), [one_line], render_kw={"maxlength": MAX_TABLE_NAME_LENGTH}
    )
    club = SelectField(N_("Club"), [one_line], default=NO_CLUB, validate_choice=False)
    seats = SelectField(
        N_("Players, including you"),
        [whole_number],
        default=str(_DEFAULT_SEAT_COUNT),
        validate_choice=False,
    )
    audience = RadioField(
        N_("Who can join"),
        [one_of(("invited", "public"))],
        default="invited",
        validate_choice=False,
    )
    level = BotLevelField()
    starter = SelectField(
        N_("Starting player"),
        [optional_number],
        default=_RANDOM_STARTER,
        validate_choice=False,
    )

    def __init__(
        self,
        language: Language,
        formdata: MultiDict[str, str] | None = None,
        **data: Any,  # noqa: ANN401 - the defaults of any field
    ) -> None:
        super().__init__(language, formdata, **data)
        self.offer_clubs(())
        self.level.offer(self)
        self.seats.choices = [(str(seat_count), str(seat_count)) for seat_count in HAND_SIZES]
        self.audience.choices = _audience_choices(language)
        self.starter.choices = _starter_choices(language)

    def offer_clubs(self, clubs: Iterable[tuple[str, str]]) -> None:
        """Set the clubs in which the host may open tables, as slugs and names."""
        self.club.choices = [(NO_CLUB, self.locale_language.gettext("No club")), *clubs]

    def settings(self) -> TableSettings:
        """Return the settings from a form that was checked."""
        starter = self.number("starter")
        return TableSettings(
            rulebook=self.rulebook.data,
            seats=self.number("seats") or 0,
            house=self.house_rules(),
            pace=self.chosen_pace(),
            public=self.audience.data == "public",
            starter=None if starter is None else starter - 1,
            club=self.text("club"),
            late_rules=self.late_rules(),
            table_name=self.text("table_name"),
        )


def form_fields_of(club: ClubCard) -> dict[str, Any]:
    """Return the values of the fields of ``GameSettingsForm`` with which the tables of a club begin."""
    return {
        "rulebook": club.rulebook,
        "rounds": str(club.house.rounds),
        "intact_diggers_only": club.house.intact_diggers_only,
        "open_gold": club.house.open_gold,
        "no_self_breaking": club.house.no_self_breaking,
        **pace_fields_of(club.pace),
        **late_rule_fields_of(club.late_rules),
    }


def _audience_choices(language: Language) -> list[tuple[str, str]]:
    return [
        ("invited", language.gettext("Only people with an invitation or the link")),
        ("public", language.gettext("Anyone (listed on the home page)")),
    ]


def _starter_choices(language: Language) -> list[tuple[str, str]]:
    seat_numbers = range(2, max(HAND_SIZES) + 1)
    return [
        (_RANDOM_STARTER, language.gettext("Chosen at random")),
        ("1", language.gettext("Seat 1 (you)")),
        *((str(seat), language.gettext("Seat %(seat)s", seat=seat)) for seat in seat_numbers),
    ]
