from collections.abc import Callable
from email.message import EmailMessage
from typing import Any, TypeAlias

import pytest

from tests.support.email_contexts import COMPOSER, NOW, EmailContexts, email_context
from tests.support.fakes import drawn, parse_message, text_of
from tests.support.smtp_sink import sink

__all__ = ["email_context", "sink"]

ComposeEmail: TypeAlias = Callable[..., EmailMessage]
TextFor: TypeAlias = Callable[..., str]


@pytest.fixture
def compose_email(email_context: EmailContexts) -> ComposeEmail:
    """Compose the email of a kind, with anything of its context changed."""

    def compose(kind: str, **changed_fields: Any) -> EmailMessage:
        context = email_context(kind, **changed_fields)
        return parse_message(drawn(COMPOSER.compose(context, now=NOW)))

    return compose


@pytest.fixture
def text_for(compose_email: ComposeEmail) -> TextFor:
    """Return the text of the email of a kind, with anything of its context changed."""

    def compose_text(kind: str, **changed_fields: Any) -> str:
        return text_of(compose_email(kind, **changed_fields))

    return compose_text
