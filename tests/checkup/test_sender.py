from collections.abc import Sequence

import pytest

from tests.support.settings import local, public
from webapp.checkup.sender import Texts, Unanswered, look_at_sender

SPF = "v=spf1 include:mail.example.net -all"
DMARC = "v=DMARC1; p=reject"


def zone(**records: list[str]) -> Texts:
    """Name servers that know these records; an underscore at the beginning of a name stands for _dmarc."""

    def texts_of(name: str) -> Sequence[str]:
        return records.get(name.replace(".", "_"), ())

    return texts_of


def verdicts(texts: Texts) -> list[str]:
    settings = public(MAIL_FROM="dwarfs@play.example.org")
    return [one.verdict for one in look_at_sender(settings, texts)]


def test_a_domain_with_both_is_well() -> None:
    records = {"play_example_org": ["other", SPF], "_dmarc_play_example_org": [DMARC]}
    assert verdicts(zone(**records)) == ["well", "well"]


def test_dmarc_of_the_parent_counts() -> None:
    records = {"play_example_org": [SPF], "_dmarc_example_org": [DMARC]}
    assert verdicts(zone(**records)) == ["well", "well"]
    assert verdicts(zone(play_example_org=[SPF], _dmarc_org=[DMARC])) == ["well", "doubtful"]


def test_a_domain_with_neither_is_doubtful() -> None:
    assert verdicts(zone()) == ["doubtful", "doubtful"]
    assert verdicts(zone(play_example_org=["v=spf10 all"])) == ["doubtful", "doubtful"]


def test_name_servers_are_asked_for_a_domain_as_it_travels() -> None:
    settings = public(MAIL_FROM="dwarfs@žaidimai.lt")
    texts = zone(**{"xn--aidimai-cxb_lt": [SPF], "_dmarc_xn--aidimai-cxb_lt": [DMARC]})
    assert [one.verdict for one in look_at_sender(settings, texts)] == ["well", "well"]


def test_two_spf_records_are_wrong() -> None:
    assert verdicts(zone(play_example_org=[SPF, "V=SPF1 -all"]))[0] == "wrong"


def test_silent_name_servers_are_told_and_nothing_is_claimed() -> None:
    def texts_of(_: str) -> Sequence[str]:
        raise Unanswered

    (found,) = look_at_sender(public(), texts_of)
    assert found.verdict == "doubtful"
    assert "were not looked at" in found.words


def test_nobody_is_asked_while_no_mail_leaves() -> None:
    def texts_of(name: str) -> Sequence[str]:
        pytest.fail(f"asked for {name}")

    assert list(look_at_sender(local(), texts_of)) == []
