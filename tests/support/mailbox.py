"""A mailbox page on this machine: browsers that ask for it, and emails filed in its folder."""

import re
from typing import Any

from flask.testing import FlaskClient

from tests.support.email_contexts import NOW, EmailContexts
from tests.support.fakes import drawn
from webapp.kernel import urls
from webapp.kernel.config import Settings
from webapp.mail.compose import Composer
from webapp.mail.transport import MaildirTransport, with_envelope

COMPOSER = Composer(base_url="http://127.0.0.1:8000", mail_from="lodepost@localhost.test")
LOCAL_BASE_URL_SETTING = {
    "base_url": "http://127.0.0.1:8000",
    "reply_address": "reply@localhost.test",
}


def unlock_mailbox(browser: FlaskClient, key: str) -> Any:
    page = browser.get(urls.mailbox(), query_string={"key": key}, base_url="http://127.0.0.1:8000")
    token = re.search(r'name="csrf_token" value="([^"]+)"', page.text)
    fields = {"csrf_token": token[1] if token else "", "key": key}
    return browser.post(urls.mailbox(), data=fields, base_url="http://127.0.0.1:8000")


def local_get(browser: FlaskClient, path: str, **options: Any) -> Any:
    return browser.get(path, **({"base_url": "http://127.0.0.1:8000"} | options))


def file_email(
    settings: Settings,
    email_context: EmailContexts,
    kind: str,
    **changed_fields: Any,
) -> None:
    """File the email of a kind, with anything of its envelope changed, in the mailbox."""
    envelope = email_context.envelope(kind, **changed_fields)
    message = drawn(COMPOSER.compose(email_context(kind, envelope=envelope), now=NOW))
    email = with_envelope(
        message,
        recipient=envelope.address,
        mail_from="lodepost@localhost.test",
        message_id=envelope.message_id,
    )
    MaildirTransport(settings.maildir).send(email)


def email_links(page: str) -> list[str]:
    return re.findall(r'<a href="(/mailbox/[^"?]+)"', page)
