"""What moderators read instead of codes."""

from typing import get_args

import pytest

from webapp.i18n import language_for
from webapp.pages.moderation.labels import DROP_REASON_TEXTS, email_name, email_reason
from webapp.services.email_kinds import DropReason, NotificationKind

ENGLISH = language_for("en")


def test_every_reason_for_which_an_email_is_dropped_has_a_text() -> None:
    assert set(DROP_REASON_TEXTS) == set(get_args(DropReason))
    texts = [email_reason(reason, ENGLISH) for reason in get_args(DropReason)]
    assert len(set(texts)) == len(texts)


@pytest.mark.parametrize("kind", get_args(NotificationKind))
def test_every_kind_of_email_has_a_name(kind: str) -> None:
    assert email_name(kind, ENGLISH) != kind
