"""Visitors: browsers without scripts, each with a cookie jar, at an application on a real database."""

import re
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.support.cast import Character
from tests.support.factories import (
    Guest,
    deal_game,
    in_scene,
    sign_in_guest,
    sign_in_guests,
    table_settings,
)
from tests.support.fakes import FakeClock
from tests.support.html import Form, Page
from tests.support.outbox_steps import mark_all_sent
from tests.support.transactions import seeded_tokens, transaction
from webapp.accounts.emails.sign_in import SignInContext
from webapp.kernel import urls
from webapp.kernel.config import Settings
from webapp.kernel.tx import Database
from webapp.mail.envelope import EmailContext
from webapp.mail.outbox import delivery
from webapp.mail.preparation import prepare_emails
from webapp.web.context import current_context

SECRET_KEY = "a key of tests, thirty-two bytes"
TABLE_VERBS = (
    "turns",
    "sit",
    "leave",
    "ready",
    "unready",
    "fill",
    "remove",
    "cancel",
    "starter",
    "invite",
    "rematch",
    "share",
    "share/withdraw",
)
"""The last parts of the addresses to which forms of a table are sent."""


def settings_for(database_url: str, **changed_fields: Any) -> Settings:
    environ: dict[str, Any] = {
        "database_url": database_url,
        "redis_url": "",
        "smtp_url": "",
        "secret_key": SECRET_KEY,
        "base_url": "http://lodepost.test",
        "listen_host": "127.0.0.1",
        "listen_port": 8000,
        "trusted_proxies": 0,
        "mail_from": "lodepost@lodepost.test",
        "data_dir": Path("nowhere"),
    }
    return Settings(**(environ | changed_fields))


@dataclass
class Visitor:
    """A person with a browser of their own."""

    app: Flask
    client: FlaskClient

    def get(self, path: str, **options: Any) -> TestResponse:
        return self.client.get(path, **options)

    def page(self, path: str, *, status: int = 200) -> Page:
        """Return the page at a path, which must answer with this status."""
        answer = self.get(path)
        assert answer.status_code == status, (path, answer.status_code)
        return Page(answer.text)

    def post(self, path: str, **fields: Any) -> TestResponse:
        """Send fields with the CSRF token of this browser."""
        return self.client.post(path, data={"csrf_token": self.token(), **fields})

    def send(self, form: Form, **changed_fields: Any) -> TestResponse:
        """Send a form of a page with some of its fields changed."""
        return self.client.post(form.action, data=form.fields | changed_fields)

    def token(self) -> str:
        page = Page(self.client.get(urls.sign_in_code()).text)
        return page.form(urls.sign_in_code()).fields["csrf_token"]

    def with_session(self, cookie: str) -> "Visitor":
        """Sign this browser in with an existing session, whose use counts as recorded."""
        with self.app.app_context():
            context = current_context()
            context.used_sessions.note(cookie, context.now())
        with self.client.session_transaction() as session:
            session["token"] = cookie
        return self


class DealtGame(NamedTuple):
    """A running game: its slug, and the players in seats 0, 1 ..., as visitors and as guests."""

    slug: str
    visitors: list[Visitor]
    guests: list[Guest]


@dataclass
class Site:
    """An application with its database and its clock, which visitors open."""

    app: Flask
    database: Database
    clock: FakeClock

    def signed_out(self) -> Visitor:
        return Visitor(self.app, self.app.test_client())

    def signed_in(self, character: Character) -> Visitor:
        guest = sign_in_guest(self.database, character, now=self.clock.now)
        return self.signed_out().with_session(guest.cookie)

    def dealt_game(
        self, *characters: Character, seed: str = "tokens", **settings: Any
    ) -> "DealtGame":
        """Deal a game with the characters in seats 0, 1 ...; bots take the other seats."""
        new_table_settings = table_settings(**{"seats": max(3, len(characters)), **settings})

        def deal() -> tuple[str, list[Guest]]:
            guests = sign_in_guests(self.database, *characters)
            tokens = seeded_tokens(seed)
            return deal_game(self.database, guests, new_table_settings, tokens=tokens), guests

        name = f"a game of {characters} with {new_table_settings} from {seed}"
        slug, guests = in_scene(self.database, name, deal)
        visitors = [self.signed_out().with_session(guest.cookie) for guest in guests]
        return DealtGame(slug, visitors, [*guests])

    def newcomer(self, character: Character) -> Visitor:
        """Sign a character in for the first time; they have no name yet."""
        visitor = self.signed_out()
        visitor.post(urls.sign_in(), address=character.address)
        [email] = self.deliver_emails()
        assert isinstance(email, SignInContext)
        visitor.post(urls.sign_in_code(), code=email.code)
        return visitor

    def deliver_emails(self) -> list[EmailContext]:
        """Mark the emails that are due as sent, also to people on the site; return the content of each."""
        with transaction(self.database, self.clock.now) as tx:
            claims = delivery.claim(tx, limit=1000)
            outgoing = prepare_emails(tx, claims, email_wait=timedelta())
            mark_all_sent(tx, claims)
        return [email.context for email in outgoing if email.context is not None]


def open_table(host: Visitor, **table_settings: str) -> str:
    """Open a table with its form; return its slug."""
    answer = host.send(host.page(urls.new_game()).form(urls.tables()), **table_settings)
    assert answer.status_code == 303, Page(answer.text).text
    return answer.location.rpartition("/")[2]


def table_link(host: Visitor, slug: str) -> str:
    """Return the token of the table link that its page shows."""
    [token] = re.findall(r"/invitations/([\w=-]+)", host.get(urls.game(slug)).text)
    return str(token)
