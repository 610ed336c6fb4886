"""The time zones that forms offer, by continent.

Its own module because the forms of accounts and of tables offer the same zones.
"""

from typing import Final

from webapp.clock import known_zones

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
