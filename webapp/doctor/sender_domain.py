"""Check what DNS says about the sender's domain: SPF (RFC 7208) and DMARC (RFC 7489)."""

from typing import Final

from webapp.config import Settings
from webapp.doctor.result import CheckResult, CheckResults, error, ok, warning
from webapp.txt_records import DnsUnavailable, FetchTexts

_MIN_DOMAIN_LABELS: Final = 2


def check_sender_domain(settings: Settings, fetch_texts: FetchTexts) -> CheckResults:
    """Check SPF and DMARC of the domain of MAIL_FROM, if emails leave this machine."""
    domain = settings.mail_from.rpartition("@")[2].lower()
    if not settings.smtp_url or domain.endswith((".test", ".localhost")):
        return
    try:
        yield _check_spf(domain, fetch_texts)
        yield _check_dmarc(domain, fetch_texts)
    except DnsUnavailable:
        yield warning(
            f"No name server answers, so SPF and DMARC of {domain} were not checked.",
            "Run the doctor on a machine that can reach a name server.",
        )


def _check_spf(domain: str, fetch_texts: FetchTexts) -> CheckResult:
    records = [text for text in fetch_texts(domain) if _has_version(text, "v=spf1")]
    if len(records) > 1:
        return error(
            f"{domain} has {len(records)} SPF records; receivers treat that as an error or as none.",
            "Merge them into one.",
        )
    if not records:
        return warning(
            f"{domain} has no SPF record: many receivers will treat our emails as forged.",
            "Publish a TXT record that names your mail server, as its provider describes: v=spf1 include:... -all",
        )
    return ok(f"{domain} has an SPF record.")


def _check_dmarc(domain: str, fetch_texts: FetchTexts) -> CheckResult:
    for parent in _parents_of(domain):
        if any(_has_version(text, "v=DMARC1") for text in fetch_texts(f"_dmarc.{parent}")):
            return ok(f"{parent} has a DMARC record.")
    return warning(
        f"{domain} has no DMARC record: large providers reject emails from such domains.",
        f"Publish a TXT record at _dmarc.{domain}; start with: v=DMARC1; p=none",
    )


def _parents_of(domain: str) -> list[str]:
    """Return the domain and its parents down to two labels."""
    labels = domain.split(".")
    return [".".join(labels[start:]) for start in range(len(labels) - _MIN_DOMAIN_LABELS + 1)]


def _has_version(text: str, version: str) -> bool:
    first_tag = text.replace(";", " ").split()[:1]
    return [word.lower() for word in first_tag] == [version.lower()]
