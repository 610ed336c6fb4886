from collections.abc import Sequence

import pytest

from tests.support.settings import local_settings, public_settings
from webapp.doctor.mail import check_sender_domain
from webapp.kernel.networks import DnsUnavailable, FetchTexts

SPF = "v=spf1 include:mail.example.net -all"
DMARC = "v=DMARC1; p=reject"


def dns_with(**records: list[str]) -> FetchTexts:
    """Return a resolver that knows these records; underscores in a name replace its dots."""

    def fetch_texts(name: str) -> Sequence[str]:
        return records.get(name.replace(".", "_"), ())

    return fetch_texts


def statuses(fetch_texts: FetchTexts) -> list[str]:
    settings = public_settings(MAIL_FROM="dwarfs@play.example.org")
    return [result.status for result in check_sender_domain(settings, fetch_texts)]


def test_domain_with_spf_and_dmarc_is_ok() -> None:
    records = {"play_example_org": ["other", SPF], "_dmarc_play_example_org": [DMARC]}
    assert statuses(dns_with(**records)) == ["ok", "ok"]


def test_dmarc_record_of_the_parent_domain_counts() -> None:
    records = {"play_example_org": [SPF], "_dmarc_example_org": [DMARC]}
    assert statuses(dns_with(**records)) == ["ok", "ok"]
    assert statuses(dns_with(play_example_org=[SPF], _dmarc_org=[DMARC])) == ["ok", "warning"]


def test_domain_without_spf_or_dmarc_gets_warnings() -> None:
    assert statuses(dns_with()) == ["warning", "warning"]
    assert statuses(dns_with(play_example_org=["v=spf10 all"])) == ["warning", "warning"]


def test_international_domain_is_looked_up_in_idna_form() -> None:
    settings = public_settings(MAIL_FROM="dwarfs@žaidimai.lt")
    fetch_texts = dns_with(**{"xn--aidimai-cxb_lt": [SPF], "_dmarc_xn--aidimai-cxb_lt": [DMARC]})
    assert [result.status for result in check_sender_domain(settings, fetch_texts)] == ["ok", "ok"]


def test_two_spf_records_are_an_error() -> None:
    assert statuses(dns_with(play_example_org=[SPF, "V=SPF1 -all"]))[0] == "error"


def test_unavailable_dns_is_a_single_warning() -> None:
    def fetch_texts(_: str) -> Sequence[str]:
        raise DnsUnavailable

    (result,) = check_sender_domain(public_settings(), fetch_texts)
    assert result.status == "warning"
    assert "were not checked" in result.message


def test_dns_is_not_queried_while_no_email_leaves_the_machine() -> None:
    def fetch_texts(name: str) -> Sequence[str]:
        pytest.fail(f"queried {name}")

    assert list(check_sender_domain(local_settings(), fetch_texts)) == []
