from typing import Final

from webapp.config import Settings, settings_from

DATABASE: Final = "postgresql://lode@127.0.0.1/lode"
WORLD: Final = {
    "BASE_URL": "https://play.example.org",
    "SMTP_URL": "smtp://lode:relay-hush@mail.example.org",
    "DATABASE_URL": DATABASE,
    "REDIS_URL": "redis://127.0.0.1/0",
    "SECRET_KEY": "k" * 32,
    "TRUSTED_PROXIES": "1",
}


def local(**environ: str) -> Settings:
    """The settings of a server for this machine, but for these."""
    return settings_from(environ)


def public(**environ: str) -> Settings:
    """The settings of a server for the world, all of them right, but for these; an empty one is unset."""
    return settings_from(WORLD | environ)
