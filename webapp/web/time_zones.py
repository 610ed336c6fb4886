"""The time zones that forms offer, by continent, and the zone that a newcomer probably lives in."""

from collections.abc import Mapping
from datetime import datetime
from functools import cache
from typing import Any, Final
from zoneinfo import ZoneInfo

from babel.core import get_global
from markupsafe import Markup, escape
from werkzeug.datastructures import LanguageAccept
from wtforms import SelectField
from wtforms.widgets import html_params

from webapp.kernel.system_time import known_zones

DEFAULT_ZONE: Final = "UTC"
_FULL_NAME_OF_UTC: Final = "Etc/UTC"
_REGION_LENGTH: Final = 2

_ALIASES: Final[Mapping[str, str]] = get_global("zone_aliases")
"""Old names of zones, such as Asia/Calcutta, with those of today."""
_OFFERED_ZONES: Final = tuple(
    sorted(
        name
        for name in known_zones() - _ALIASES.keys()
        if "/" in name and not name.startswith("Etc/")
    )
)


class ZoneField(SelectField):
    """A choice among all zones, by continent. What was sent may also be an old name, or no zone at all.

    Its options are written once: there are hundreds, and only the chosen one differs from page to page.
    """

    def __init__(self, label: str, **options: Any) -> None:  # noqa: ANN401 - those of any field
        super().__init__(label, validate_choice=False, choices=(), **options)

    def __call__(self, **attributes: Any) -> Markup:  # noqa: ANN401 - of the element
        """Return the element."""
        value = html_params(value=self.data or "")
        options = _zone_options().replace(f" {value}>", f" selected {value}>", 1)
        begin = html_params(name=self.name, **{"id": self.id} | attributes)
        return Markup(f"<select {begin}>{options}</select>")  # noqa: S704 - made of escaped parts


@cache
def _zone_options() -> str:
    old_names = _old_names()
    return "".join(
        f"<optgroup {html_params(label=continent)}>"
        + "".join(_zone_option(zone, old_names.get(zone)) for zone in zones)
        + "</optgroup>"
        for continent, zones in _zones_by_continent().items()
    )


def _zone_option(zone: str, old_names: str | None) -> str:
    """Return the option of a zone; for scripts, with its old names."""
    attributes = {"data-old-names": old_names} if old_names else {}
    # The value comes last: what is chosen is marked before it.
    return f"<option {html_params(**attributes, value=zone)}>{escape(zone_place(zone))}</option>"


def _old_names() -> dict[str, str]:
    """Return the old names of each zone that has any, with spaces between them."""
    names: dict[str, str] = {}
    for old_name, zone in sorted(_ALIASES.items()):
        if "/" in old_name:
            names[zone] = f"{names.get(zone, '')} {old_name}".lstrip()
    return names


def _zones_by_continent() -> dict[str, list[str]]:
    zones = {DEFAULT_ZONE: [DEFAULT_ZONE]}
    for zone in _OFFERED_ZONES:
        zones.setdefault(zone.partition("/")[0], []).append(zone)
    return zones


def zone_place(zone: str) -> str:
    """Return the place that a zone is named after."""
    _, _, place = zone.partition("/")
    return (place or zone).replace("_", " ")


def canonical_zone(zone: str) -> str:
    """Return the name under which forms offer a zone."""
    name = _ALIASES.get(zone, zone)
    return DEFAULT_ZONE if name == _FULL_NAME_OF_UTC else name


def guessed_zone(browser_zone: str, languages: LanguageAccept, *, now: datetime) -> str:
    """Return the zone that a browser's script has named, or else that of the region of its languages; UTC if neither is known.

    A region in which clocks differ tells nothing.
    """
    if browser_zone in known_zones():
        return canonical_zone(browser_zone)
    regions = (part for tag in languages.values() for part in tag.replace("_", "-").split("-")[1:])
    region = next((part.upper() for part in regions if len(part) == _REGION_LENGTH), "")
    zones = [
        zone for zone in get_global("territory_zones").get(region, ()) if zone in known_zones()
    ]
    offsets = {now.astimezone(ZoneInfo(zone)).utcoffset() for zone in zones}
    return canonical_zone(zones[0]) if len(offsets) == 1 else DEFAULT_ZONE
