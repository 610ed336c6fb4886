"""The time zones that forms offer, by continent, and the zone that a newcomer probably lives in."""

from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from babel.core import get_global
from werkzeug.datastructures import LanguageAccept

from webapp.kernel.system_time import known_zones

DEFAULT_ZONE: Final = "UTC"
_REGION_LENGTH: Final = 2

_OFFERED_ZONES: Final = tuple(
    sorted(name for name in known_zones() if "/" in name and not name.startswith("Etc/"))
)


def zones_by_continent() -> dict[str, list[tuple[str, str]]]:
    """Return the choices of a field, in groups."""
    zones: dict[str, list[tuple[str, str]]] = {"UTC": [("UTC", "UTC")]}
    for zone in _OFFERED_ZONES:
        continent, _, place = zone.partition("/")
        zones.setdefault(continent, []).append((zone, place.replace("_", " ")))
    return zones


def guessed_zone(browser_zone: str, languages: LanguageAccept, *, now: datetime) -> str:
    """Return the zone that a browser's script has named, or else that of the region of its languages; UTC if neither is known.

    A region in which clocks differ tells nothing.
    """
    if browser_zone in known_zones():
        return browser_zone
    regions = (part for tag in languages.values() for part in tag.replace("_", "-").split("-")[1:])
    region = next((part.upper() for part in regions if len(part) == _REGION_LENGTH), "")
    zones = [
        zone for zone in get_global("territory_zones").get(region, ()) if zone in known_zones()
    ]
    offsets = {now.astimezone(ZoneInfo(zone)).utcoffset() for zone in zones}
    return zones[0] if len(offsets) == 1 else DEFAULT_ZONE
