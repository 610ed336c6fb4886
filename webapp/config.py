"""What the operator decides, read once from the environment and never changed afterwards."""

import hashlib
import hmac
import ipaddress
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar
from urllib.parse import SplitResult, unquote, urlsplit

import idna
from email_validator import EmailNotValidError, validate_email

_DEFAULT_LISTEN = "127.0.0.1:8000"
_DEFAULT_DATA_DIR = "lodepost-data"
_SHORTEST_SECRET_KEY = 32
_MOST_PROXIES = 10
_HIGHEST_PORT = 65535

T = TypeVar("T")


class Misconfigured(Exception):
    """Some values cannot be used; `problems` has a sentence for each of them."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


@dataclass(frozen=True)
class Settings:
    """Everything that differs between two installations; secrets stay out of its repr.

    `database_url` and `secret_key` are empty only before `serve` has filled them in from the
    data folder; the web application and the tasks are never given empty ones.
    """

    database_url: str = field(repr=False)
    redis_url: str = field(repr=False)
    smtp_url: str = field(repr=False)
    secret_key: str = field(repr=False)
    base_url: str
    listen_host: str
    listen_port: int
    trusted_proxies: int
    mail_from: str
    data_dir: Path
    metrics_token: str = field(default="", repr=False)

    @property
    def host(self) -> str:
        """The name or the address in `base_url`, an address of IPv6 without brackets."""
        return urlsplit(self.base_url).hostname or "localhost"

    @property
    def mail_domain(self) -> str:
        """Under which Message-IDs are made: an address of IPv6 has no place in one."""
        return "localhost" if ":" in self.host else self.host

    @property
    def maildir(self) -> Path:
        """Where mails land while `smtp_url` is empty."""
        return self.data_dir / "mail"

    @property
    def broker_url(self) -> str:
        """Where nudges go: Redis, or the memory of this one process."""
        return self.redis_url or "memory://localhost/"


def settings_from(environ: Mapping[str, str]) -> Settings:
    """Read the settings, or raise Misconfigured with a sentence for every wrong value at once."""
    reader = _Reader(environ)
    listen = reader.read("LISTEN", _DEFAULT_LISTEN, _read_listen)
    host, port = listen or ("127.0.0.1", 0)
    base_url = reader.read("BASE_URL", f"http://{in_url(host)}:{port}", _read_base_url) or ""
    settings = Settings(
        database_url=reader.read("DATABASE_URL", "", _read_database_url) or "",
        redis_url=reader.read("REDIS_URL", "", _read_redis_url) or "",
        smtp_url=reader.read("SMTP_URL", "", _read_smtp_url) or "",
        secret_key=reader.read("SECRET_KEY", "", _read_secret_key) or "",
        base_url=base_url,
        listen_host=host,
        listen_port=port,
        trusted_proxies=reader.read("TRUSTED_PROXIES", "0", _read_trusted_proxies) or 0,
        mail_from=reader.read("MAIL_FROM", _mail_from_for(base_url), _read_mail_from) or "",
        data_dir=reader.read("DATA_DIR", _DEFAULT_DATA_DIR, _read_data_dir) or Path(),
        metrics_token=reader.read("METRICS_TOKEN", "", _read_metrics_token) or "",
    )
    if environ.get("DATABASE_URL", "").strip() and not environ.get("SECRET_KEY", "").strip():
        reader.problems.append(
            "SECRET_KEY is missing: with DATABASE_URL every process must be given the same one. "
            "Make one with:  python3 -c 'import secrets; print(secrets.token_hex(32))'"
        )
    if reader.problems:
        raise Misconfigured(reader.problems)
    return settings


def mailbox_key_for(settings: Settings) -> str | None:
    """Return the key that opens /mailbox, or None where there must be no mailbox page.

    The page shows every mail, sign-in links among them; so it exists only while mails stay on
    this machine and nobody else can reach it.
    """
    host = urlsplit(settings.base_url).hostname or ""
    if settings.smtp_url or not (is_loopback(host) and is_loopback(settings.listen_host)):
        return None
    digest = hmac.new(settings.secret_key.encode(), b"lodepost mailbox", hashlib.sha256)
    return digest.hexdigest()[:32]


def is_loopback(host: str) -> bool:
    """Say whether a host name or address, without port or brackets, can only mean this machine."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class _Reader:
    """Reads one variable after another and remembers what was wrong with each."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self.problems: list[str] = []

    def read(self, name: str, default: str, parse: Callable[[str], T]) -> T | None:
        given = self._environ.get(name, "").strip() or default
        if not given:
            return None
        try:
            return parse(given)
        except ValueError as wrong:
            self.problems.append(f"{name} {wrong}")
            return None


def _read_listen(given: str) -> tuple[str, int]:
    parts = _split(f"//{given}")
    port = _port_of(parts)
    if not parts.hostname or not port or parts.path or parts.username is not None:
        raise ValueError(f"must be an address and a port such as 127.0.0.1:8000, not {given!r}.")
    return parts.hostname, port


def _read_base_url(given: str) -> str:
    parts = _split(given)
    good = parts.scheme in {"http", "https"} and parts.hostname and parts.path in {"", "/"}
    _port_of(parts)
    if not good or parts.query or parts.fragment or parts.username is not None:
        raise ValueError(
            f"must be what players type to come here, such as https://play.example.org "
            f"without a path, not {given!r}."
        )
    host = parts.hostname or ""
    return given.rstrip("/") if host.isascii() else _with_host(parts, _as_it_travels(host))


def _read_database_url(given: str) -> str:
    parts = _split(given)
    if parts.scheme not in {"postgres", "postgresql", "postgresql+psycopg"} or len(parts.path) < 2:  # noqa: PLR2004 (a slash and a name)
        raise ValueError("must look like postgresql://user:password@host:5432/name.")
    _port_of(parts)
    return parts._replace(scheme="postgresql+psycopg").geturl()


def _read_redis_url(given: str) -> str:
    parts = _split(given)
    database = parts.path.removeprefix("/")
    numbered = database == "" or (database.isascii() and database.isdigit())
    if parts.scheme not in {"redis", "rediss"} or not parts.hostname or not numbered:
        raise ValueError("must look like redis://:password@host:6379/0.")
    _port_of(parts)
    return given


def _read_smtp_url(given: str) -> str:
    parts = _split(given)
    schemes = {"smtp", "smtps", "smtp+starttls"}
    if parts.scheme not in schemes or not parts.hostname or parts.path not in {"", "/"}:
        raise ValueError(
            "must look like smtp://user:password@host:587, smtp+starttls:// where there must be TLS, "
            "or smtps:// where TLS comes first."
        )
    _port_of(parts)
    _check_relay(parts)
    return given


def _check_relay(parts: SplitResult) -> None:
    """What would fail at every letter is refused here. No words of the address are repeated."""
    if not unquote((parts.username or "") + (parts.password or "")).isascii():
        raise ValueError("has a user or a password that is not ASCII, which no relay can be told.")
    try:
        # So the socket will ask for it.
        (parts.hostname or "").encode("idna")
    except UnicodeError as wrong:
        raise ValueError("names a host that no name server can be asked for.") from wrong


def _read_secret_key(given: str) -> str:
    if len(given) < _SHORTEST_SECRET_KEY:
        raise ValueError(
            f"has {len(given)} characters; it needs at least {_SHORTEST_SECRET_KEY} random ones."
        )
    return given


def _read_metrics_token(given: str) -> str:
    if not given.isascii() or not given.isprintable() or " " in given:
        raise ValueError("must be ASCII characters without spaces; it travels in a header.")
    return _read_secret_key(given)


def _read_trusted_proxies(given: str) -> int:
    if not (given.isascii() and given.isdigit() and int(given) <= _MOST_PROXIES):
        raise ValueError(
            f"must be how many proxies of yours stand in front, 0 to {_MOST_PROXIES}, "
            f"not {given!r}."
        )
    return int(given)


def _read_mail_from(given: str) -> str:
    try:
        # The default must work on a machine that has no name in the outside world.
        valid = validate_email(
            given, allow_smtputf8=False, check_deliverability=False, test_environment=True
        )
    except EmailNotValidError as wrong:
        raise ValueError(f"must be a mail address alone, not {given!r}: {wrong}") from wrong
    return given if given.isascii() else valid.ascii_email or given


def _read_data_dir(given: str) -> Path:
    folder = Path(given).expanduser().absolute()
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"must be a folder; {str(folder)!r} is something else.")
    return folder


def _mail_from_for(base_url: str) -> str:
    host = urlsplit(base_url).hostname or "localhost"
    named = "." in host and not host.replace(".", "").isdigit()
    return f"lodepost@{host}" if named else "lodepost@localhost.test"


def _split(given: str) -> SplitResult:
    try:
        return urlsplit(given)
    except ValueError as wrong:
        raise ValueError("is not an address that can be read.") from wrong


def _port_of(parts: SplitResult) -> int | None:
    try:
        return parts.port
    except ValueError as wrong:
        # Not with the words of ``wrong``: where a password holds a slash they quote half of it.
        raise ValueError(
            f"has no port between 0 and {_HIGHEST_PORT}. In a password /, ?, # and @ must be written as %2F, %3F, %23 and %40."
        ) from wrong


def _with_host(parts: SplitResult, host: str) -> str:
    return f"{parts.scheme}://{host}" + (f":{parts.port}" if parts.port else "")


def _as_it_travels(host: str) -> str:
    try:
        return ascii_host(host)
    except UnicodeError as wrong:
        raise ValueError(f"names a host that cannot be looked up, {host!r}.") from wrong


def ascii_host(host: str) -> str:
    """The name as it stands in headers and is asked of name servers. Raises UnicodeError for one that cannot be."""
    # Not the codec of the standard library: it knows the rules of 2003, by which a few names are those of others.
    return host.lower() if host.isascii() else idna.encode(host, uts46=True).decode("ascii")


def in_url(host: str) -> str:
    """The host as it stands in a URL: an address of IPv6 in brackets."""
    return f"[{host}]" if ":" in host else host
