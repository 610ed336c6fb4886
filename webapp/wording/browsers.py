"""Names of browsers and systems, from what a browser says of itself. Only names from these lists are ever shown."""

from typing import Final

from webapp.i18n import Language

_BROWSER_USER_AGENT_PARTS: Final = (
    # Browsers also name the browser they imitate, so the imitators come first.
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox", "Firefox"),
    ("Chrom", "Chrome"),
    ("Safari", "Safari"),
)
_SYSTEM_USER_AGENT_PARTS: Final = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS", "Mac"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)


def user_agent_name(user_agent: str, language: Language) -> str:
    """Return the browser and the system named in a User-Agent header."""
    browser = next((name for part, name in _BROWSER_USER_AGENT_PARTS if part in user_agent), None)
    system_name = next(
        (name for part, name in _SYSTEM_USER_AGENT_PARTS if part in user_agent), None
    )
    if browser is None or system_name is None:
        return browser or system_name or language.gettext("Unknown browser")
    return language.gettext("%(browser)s on %(system)s", browser=browser, system=system_name)
