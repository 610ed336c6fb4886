"""The time zones that forms offer, by continent, and the zone that a newcomer probably lives in."""

from collections.abc import Mapping
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from babel.core import get_global
from werkzeug.datastructures import LanguageAccept

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


def zones_by_continent() -> dict[str, list[tuple[str, str, dict[str, str]]]]:
    """Return the choices of a field, in groups; for scripts, each has the old names of its zone."""
    old_names = _old_names()
    zones = {"UTC": [(DEFAULT_ZONE, DEFAULT_ZONE, dict[str, str]())]}
    for zone in _OFFERED_ZONES:
        attributes = {"data-old-names": old_names[zone]} if zone in old_names else {}
        continent = zone.partition("/")[0]
        zones.setdefault(continent, []).append((zone, zone_place(zone), attributes))
    return zones


def zone_place(zone: str) -> str:
    """Return the place that a zone is named after."""
    _, _, place = zone.partition("/")
    return (place or zone).replace("_", " ")


def canonical_zone(zone: str) -> str:
    """Return the name under which forms offer a zone."""
    name = _ALIASES.get(zone, zone)
    return DEFAULT_ZONE if name == _FULL_NAME_OF_UTC else name


def _old_names() -> dict[str, str]:
    """Return the old names of each zone that has any, with spaces between them."""
    names: dict[str, str] = {}
    for old_name, zone in sorted(_ALIASES.items()):
        if "/" in old_name:
            names[zone] = f"{names.get(zone, '')} {old_name}".lstrip()
    return names


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
