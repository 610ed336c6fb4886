"""The operator's settings, read once from the environment and never changed afterwards.

The functions ``_read_*`` take the text of one setting. They raise ValueError with what is wrong with it.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import SplitResult, parse_qsl, quote, unquote, urlsplit

import msgspec
from email_validator import EmailNotValidError, validate_email

from webapp.kernel.networks import ascii_host, host_in_url
from webapp.kernel.operator_errors import Misconfigured
from webapp.kernel.settings_reader import SettingsReader
from webapp.kernel.site_settings import InvalidSetting, SiteSettings, parse_setting

OLDEST_POSTGRES_VERSION = 15
"""The oldest major version of Postgres that Lodepost supports."""
DEFAULT_EMAIL_WAIT_MINUTES = 5
MIN_KEY_LENGTH = 32
"""The characters that a secret key needs at least."""
_DEFAULT_DRAIN_SECONDS = 5
_DEFAULT_LISTEN = "127.0.0.1:8000"
_DEFAULT_DATA_DIR = "lodepost-data"
_MAX_CONTACTS = 5
_MAX_DRAIN_SECONDS = 30
_MAX_EMAIL_WAIT_MINUTES = 10
_MAX_PORT = 65535
_MAX_PROXIES = 10
_MAX_REPLY_LOCAL_PART = 24
"""What is left of the 64 characters of a local part (RFC 5321 4.5.3.1.1) beside a token."""
_ANSWERS = {"yes": True, "no": False}
_SITE_SETTING_PROBLEMS = {
    "site_name": "must be a name of at most 40 characters.",
    "sign_up": "must be open, invitation or closed.",
    "accent_colour": "must be a colour such as #7a4a12, dark enough for text on a white page.",
}


@dataclass(frozen=True)
class Settings:
    """Everything that differs between two installations; its repr contains no secrets.

    ``database_url`` and ``secret_key`` are empty only until `lodepost serve` has filled them in from the data folder;
    the web application and the tasks never see them empty.
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
    security_contacts: tuple[str, ...] = ()
    """URIs where vulnerabilities of this site can be reported; without one there is no /.well-known/security.txt."""
    security_policy: str = ""
    hsts_subdomains: bool = True
    """Whether browsers shall demand HTTPS of all hosts below ``host`` too."""
    drain_seconds: int = _DEFAULT_DRAIN_SECONDS
    """How long a web process that stops still accepts connections, so that its proxy can notice."""
    email_wait_minutes: int = DEFAULT_EMAIL_WAIT_MINUTES
    """How long readers have been away from the site before they get an email about their turn."""
    reply_address: str = ""
    """The address to which players answer emails, without the token added to it; empty if answers are not read."""
    authserv_id: str = ""
    """The name of the host's mail server in the Authentication-Results of incoming emails; empty if it writes none."""
    email_webhook_secret: str = field(default="", repr=False)
    """The secret with which a mail provider signs its reports about emails; empty if it sends none."""
    imap_url: str = field(default="", repr=False)
    """The mailbox out of which workers take incoming emails; empty if none."""
    old_secret_keys: tuple[str, ...] = field(default=(), repr=False)
    """Keys that ``secret_key`` has replaced: what they signed still counts, and nothing new is signed with them."""
    old_hosts: tuple[str, ...] = ()
    """Host names that the site had before, without ports."""
    site_defaults: SiteSettings = field(default_factory=SiteSettings)
    """The settings of the site until a moderator changes them."""

    @property
    def host(self) -> str:
        """The host name or address in ``base_url``; an IPv6 address without brackets."""
        return urlsplit(self.base_url).hostname or "localhost"

    @property
    def mail_domain(self) -> str:
        """The domain of Message-IDs, which cannot contain an IPv6 address."""
        return "localhost" if ":" in self.host else self.host

    @property
    def maildir(self) -> Path:
        """The folder for emails while ``smtp_url`` is empty."""
        return self.data_dir / "mail"

    @property
    def broker_url(self) -> str:
        """The Celery broker: Redis, or the memory of this process."""
        return self.redis_url or "memory://localhost/"


def settings_from(environ: Mapping[str, str]) -> Settings:
    """Return the settings; raise Misconfigured with one sentence for every invalid value."""
    reader = SettingsReader(environ)
    listen_address = reader.read("LISTEN", _DEFAULT_LISTEN, _read_listen)
    host, port = listen_address or ("127.0.0.1", 0)
    base_url = reader.read("BASE_URL", f"http://{host_in_url(host)}:{port}", _read_base_url) or ""
    smtp_url = reader.read("SMTP_URL", "", _read_smtp_url) or ""
    # Without a relay people read their emails beside the table, on the mailbox page, and can't try them if they wait.
    default_email_wait = DEFAULT_EMAIL_WAIT_MINUTES if smtp_url else 0
    settings = Settings(
        database_url=reader.read("DATABASE_URL", "", _read_database_url) or "",
        redis_url=reader.read("REDIS_URL", "", _read_redis_url) or "",
        smtp_url=smtp_url,
        secret_key=reader.read("SECRET_KEY", "", _read_secret_key) or "",
        base_url=base_url,
        listen_host=host,
        listen_port=port,
        trusted_proxies=reader.read("TRUSTED_PROXIES", "0", _read_trusted_proxies) or 0,
        mail_from=reader.read("MAIL_FROM", _mail_from_for(base_url), _read_mail_from) or "",
        data_dir=reader.read("DATA_DIR", _DEFAULT_DATA_DIR, _read_data_dir) or Path(),
        metrics_token=reader.read("METRICS_TOKEN", "", _read_secret_token) or "",
        security_contacts=reader.read("SECURITY_CONTACT", "", _read_security_contacts) or (),
        security_policy=reader.read("SECURITY_POLICY", "", _read_security_policy) or "",
        hsts_subdomains=reader.read("HSTS_SUBDOMAINS", "yes", _read_hsts_subdomains) is not False,
        drain_seconds=reader.read("DRAIN_SECONDS", str(_DEFAULT_DRAIN_SECONDS), _read_drain_seconds)
        or 0,
        email_wait_minutes=reader.read(
            "EMAIL_WAIT_MINUTES", str(default_email_wait), _read_email_wait_minutes
        )
        or 0,
        reply_address=reader.read("REPLY_ADDRESS", "", _read_reply_address) or "",
        authserv_id=reader.read("AUTHSERV_ID", "", _read_authserv_id) or "",
        email_webhook_secret=reader.read("EMAIL_WEBHOOK_SECRET", "", _read_secret_token) or "",
        imap_url=reader.read("IMAP_URL", "", _read_imap_url) or "",
        old_secret_keys=reader.read("OLD_SECRET_KEYS", "", _read_old_secret_keys) or (),
        old_hosts=reader.read("OLD_HOSTS", "", _read_old_hosts) or (),
        site_defaults=_site_defaults(reader),
    )
    if reader.is_set("DATABASE_URL") and not reader.is_set("SECRET_KEY"):
        reader.problems.append(
            "SECRET_KEY is not set: with DATABASE_URL all processes need the same one. "
            "Generate one with:  python3 -c 'import secrets; print(secrets.token_hex(32))'"
        )
    if not settings.smtp_url and not settings.reply_address:
        # Without a relay no email leaves this machine, and its mailbox page answers them.
        settings = replace(settings, reply_address=_local_reply_address(settings))
    reader.problems.extend(_contradictions(settings))
    if reader.problems:
        raise Misconfigured(reader.problems)
    return settings


def _local_reply_address(settings: Settings) -> str:
    return "reply@" + settings.mail_from.rpartition("@")[2]


def _contradictions(settings: Settings) -> Iterator[str]:
    """Yield a sentence for every two settings that exclude each other."""
    if settings.secret_key and settings.secret_key in settings.old_secret_keys:
        yield "OLD_SECRET_KEYS contains SECRET_KEY itself: set SECRET_KEY to the new key."
    if settings.host.lower() in settings.old_hosts:
        yield "OLD_HOSTS names the host of BASE_URL: name only hosts that the site had before."


def _site_defaults(reader: SettingsReader) -> SiteSettings:
    """Return what the site is called, who may sign up, and its colour, until a moderator changes them."""
    built_in_settings = SiteSettings()
    values = {
        name: reader.read(
            name.upper(), getattr(built_in_settings, name), _site_setting_reader(name)
        )
        for name in ("site_name", "sign_up", "accent_colour")
    }
    known_values = {name: value for name, value in values.items() if value is not None}
    return msgspec.structs.replace(built_in_settings, **known_values)


def _site_setting_reader(name: str) -> Callable[[str], object]:
    def read(raw_value: str) -> object:
        try:
            return parse_setting(name, raw_value)
        except InvalidSetting as error:
            raise ValueError(_SITE_SETTING_PROBLEMS[name]) from error

    return read


def _read_listen(raw_value: str) -> tuple[str, int]:
    url_parts = _split_url(f"//{raw_value}")
    port = _port_of(url_parts)
    if not url_parts.hostname or not port or url_parts.path or url_parts.username is not None:
        raise ValueError(
            f"must be an address and a port, for example 127.0.0.1:8000, not {raw_value!r}."
        )
    return url_parts.hostname, port


def _read_base_url(raw_value: str) -> str:
    parts = _split_url(raw_value)
    is_valid = parts.scheme in {"http", "https"} and parts.hostname and parts.path in {"", "/"}
    _port_of(parts)
    if not is_valid or parts.query or parts.fragment or parts.username is not None:
        raise ValueError(
            f"must be the address that players use, for example https://play.example.org, "
            f"without a path, not {raw_value!r}."
        )
    host = parts.hostname or ""
    return _url_with_host(parts, host if host.isascii() else _idna_encoded(host))


def _read_database_url(raw_value: str) -> str:
    parts = _split_url(raw_value)
    if parts.scheme not in {"postgres", "postgresql", "postgresql+psycopg"} or len(parts.path) < 2:  # noqa: PLR2004 (a slash and a name)
        raise ValueError("must look like postgresql://user:password@host:5432/name.")
    _port_of(parts)
    if "%" in (parts.hostname or ""):
        raise ValueError("has a folder as its host; write postgresql:///name?host=/run/postgresql.")
    # Imported here, because `--help` needs no library of the server.
    import psycopg

    known_options = {option.keyword.decode() for option in psycopg.pq.Conninfo.get_defaults()}
    if not {name for name, _ in parse_qsl(parts.query)} <= known_options:
        raise ValueError("has an option after ? that Postgres does not know.")
    # Not put together again from its parts: without a host the two slashes would be lost.
    return f"postgresql+psycopg://{raw_value.partition('://')[2]}"


def _read_redis_url(raw_value: str) -> str:
    parts = _split_url(raw_value)
    database = parts.path.removeprefix("/")
    has_valid_number = database == "" or (database.isascii() and database.isdigit())
    if parts.scheme not in {"redis", "rediss"} or not parts.hostname or not has_valid_number:
        raise ValueError("must look like redis://:password@host:6379/0.")
    _port_of(parts)
    return raw_value


def _read_smtp_url(raw_value: str) -> str:
    parts = _split_url(raw_value)
    schemes = {"smtp", "smtps", "smtp+starttls"}
    if parts.scheme not in schemes or not parts.hostname or parts.path not in {"", "/"}:
        raise ValueError(
            "must look like smtp://user:password@host:587, with smtp+starttls:// to require TLS "
            "or smtps:// to use TLS from the start."
        )
    _port_of(parts)
    _check_relay(parts)
    return raw_value


def _read_imap_url(raw_value: str) -> str:
    parts = _split_url(raw_value)
    schemes = {"imap", "imaps", "imap+starttls"}
    if parts.scheme not in schemes or not parts.hostname or not parts.username:
        raise ValueError(
            "must look like imaps://user:password@host/INBOX, with imap+starttls:// for TLS after the connection has begun."
        )
    _port_of(parts)
    return raw_value


def _check_relay(parts: SplitResult) -> None:
    """Reject what would fail for every email. The error does not quote the URL, which may contain a password."""
    if not unquote((parts.username or "") + (parts.password or "")).isascii():
        raise ValueError("has a user or password that is not ASCII, which SMTP cannot transmit.")
    try:
        # The codec that the socket will use.
        (parts.hostname or "").encode("idna")
    except UnicodeError as error:
        raise ValueError("has a host name that DNS cannot look up.") from error


def _read_old_hosts(raw_value: str) -> tuple[str, ...]:
    return tuple(_host_in(entry.strip()) for entry in raw_value.split(",") if entry.strip())


def _host_in(entry: str) -> str:
    """Return the host of a host name or a base URL, as it is written in a Host header, without port and brackets."""
    url = _read_base_url(entry if "://" in entry else f"https://{entry}")
    return (urlsplit(url).hostname or "").lower()


def _read_mail_from(raw_value: str) -> str:
    try:
        # The default must work on a machine without a public name.
        validated_address = validate_email(
            raw_value, allow_smtputf8=False, check_deliverability=False, test_environment=True
        )
    except EmailNotValidError as error:
        raise ValueError(f"must be a plain email address, not {raw_value!r}: {error}") from error
    return raw_value if raw_value.isascii() else validated_address.ascii_email or raw_value


def _read_reply_address(raw_value: str) -> str:
    if not raw_value:
        return ""
    address = _read_mail_from(raw_value)
    local_part = address.rpartition("@")[0]
    if "+" in local_part or len(local_part) > _MAX_REPLY_LOCAL_PART:
        raise ValueError(
            f"must have at most {_MAX_REPLY_LOCAL_PART} characters before the @ and no +, because +TOKEN is added there."
        )
    return address


def _read_authserv_id(raw_value: str) -> str:
    if not raw_value.isascii() or any(character in raw_value for character in ' ;"()'):
        raise ValueError(
            "must be the first word of the Authentication-Results header that your mail server writes, such as mx.example.org."
        )
    return raw_value.lower()


def _read_data_dir(raw_value: str) -> Path:
    folder = Path(raw_value).expanduser().absolute()
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"must be a folder; {str(folder)!r} is not one.")
    return folder


def _read_security_contacts(raw_value: str) -> tuple[str, ...]:
    """Return the URIs of contacts, separated by commas, best first; an email address becomes a ``mailto:`` URI."""
    contacts = tuple(_contact_uri(part.strip()) for part in raw_value.split(","))
    if len(contacts) > _MAX_CONTACTS:
        raise ValueError(f"has {len(contacts)} contacts; it may have at most {_MAX_CONTACTS}.")
    return contacts


def _read_security_policy(raw_value: str) -> str:
    if not _is_https_url(raw_value):
        raise ValueError(f"must be the https:// address of a page, not {raw_value!r}.")
    return raw_value


def _read_hsts_subdomains(raw_value: str) -> bool:
    if raw_value.lower() not in _ANSWERS:
        raise ValueError(f"must be yes or no, not {raw_value!r}.")
    return _ANSWERS[raw_value.lower()]


def _contact_uri(contact: str) -> str:
    if _is_https_url(contact):
        return contact
    try:
        # Addresses of private networks are valid, as in all settings.
        address = validate_email(
            contact.removeprefix("mailto:"),
            allow_smtputf8=False,
            check_deliverability=False,
            test_environment=True,
        )
    except EmailNotValidError as error:
        raise ValueError(
            f"must be an email address or the https:// address of a page, not {contact!r}."
        ) from error
    return f"mailto:{quote(address.ascii_email or contact, safe='@')}"


def _is_https_url(text: str) -> bool:
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    is_printable = text.isascii() and text.isprintable() and " " not in text
    return is_printable and parts.scheme == "https" and bool(parts.hostname)


def _read_secret_key(raw_value: str) -> str:
    """Return a key that is long enough. The error never quotes it."""
    if len(raw_value) < MIN_KEY_LENGTH:
        raise ValueError(
            f"has {len(raw_value)} characters; it needs at least {MIN_KEY_LENGTH} random ones."
        )
    return raw_value


def _read_old_secret_keys(raw_value: str) -> tuple[str, ...]:
    """Return keys with commas or line breaks between."""
    keys = [key.strip() for line in raw_value.splitlines() for key in line.split(",")]
    return tuple(_read_secret_key(key) for key in keys if key)


def _read_secret_token(raw_value: str) -> str:
    """Return a token that can be sent in a header."""
    if not raw_value.isascii() or not raw_value.isprintable() or " " in raw_value:
        raise ValueError(
            "must consist of ASCII characters without spaces, because it is sent in a header."
        )
    return _read_secret_key(raw_value)


def _read_trusted_proxies(raw_value: str) -> int:
    if not _is_number_up_to(_MAX_PROXIES, raw_value):
        raise ValueError(
            f"must be the number of your proxies in front, 0 to {_MAX_PROXIES}, not {raw_value!r}."
        )
    return int(raw_value)


def _read_drain_seconds(raw_value: str) -> int:
    return _read_number(raw_value, _MAX_DRAIN_SECONDS)


def _read_email_wait_minutes(raw_value: str) -> int:
    return _read_number(raw_value, _MAX_EMAIL_WAIT_MINUTES)


def _read_number(raw_value: str, highest: int) -> int:
    if not _is_number_up_to(highest, raw_value):
        raise ValueError(f"must be a number from 0 to {highest}, not {raw_value!r}.")
    return int(raw_value)


def _is_number_up_to(highest: int, raw_value: str) -> bool:
    return raw_value.isascii() and raw_value.isdigit() and int(raw_value) <= highest


def _mail_from_for(base_url: str) -> str:
    host = urlsplit(base_url).hostname or "localhost"
    is_domain = "." in host and not host.replace(".", "").isdigit()
    return f"lodepost@{host}" if is_domain else "lodepost@localhost.test"


def _split_url(raw_value: str) -> SplitResult:
    try:
        return urlsplit(raw_value)
    except ValueError as error:
        raise ValueError("is not a valid URL.") from error


def _port_of(parts: SplitResult) -> int | None:
    try:
        return parts.port
    except ValueError as error:
        # The message of ``error`` is not used: if a password contains a slash, it quotes part of the password.
        raise ValueError(
            f"needs a port between 0 and {_MAX_PORT}. In a password, write /, ?, # and @ as %2F, %3F, %23 and %40."
        ) from error


def _url_with_host(parts: SplitResult, host: str) -> str:
    """Return the address as browsers spell it in ``Origin``, which passkeys are bound to: without the usual port."""
    usual_port = {"http": 80, "https": 443}.get(parts.scheme)
    port = "" if parts.port in {None, usual_port} else f":{parts.port}"
    return f"{parts.scheme}://{host_in_url(host)}{port}"


def _idna_encoded(host: str) -> str:
    try:
        return ascii_host(host)
    except UnicodeError as error:
        raise ValueError(f"has a host name that DNS cannot look up, {host!r}.") from error
