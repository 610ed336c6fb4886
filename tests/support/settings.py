"""Settings of two typical servers: one for this machine only, and a public one."""

from typing import Final

from webapp.kernel.config import Settings, settings_from

PUBLIC_ENVIRON: Final = {
    "BASE_URL": "https://play.example.org",
    "SMTP_URL": "smtp://lode:relay-hush@mail.example.org",
    "DATABASE_URL": "postgresql://lode@127.0.0.1/lode",
    "REDIS_URL": "redis://127.0.0.1/0",
    "SECRET_KEY": "k" * 32,
    "TRUSTED_PROXIES": "1",
}


def local_settings(**environ: str) -> Settings:
    """Return the settings of a server for this machine, with these variables set."""
    return settings_from(environ)


def public_settings(**environ: str) -> Settings:
    """Return valid settings of a public server, with these variables changed; an empty value unsets one."""
    return settings_from(PUBLIC_ENVIRON | environ)
