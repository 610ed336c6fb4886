"""Every form of the app, sent twice, and while the database is lost: one effect or none, and a calm answer."""

import pytest
from flask_limiter import Limiter
from sqlalchemy import Connection

from tests.support.database_contents import (
    LostConnection,
    changed_tables,
    contents_of,
    lost_connection,
)
from tests.support.roll_back_commits import SingleConnectionPool, roll_back_commits
from tests.support.sizes import is_full_run
from tests.support.visitors import Site
from tests.web.form_submissions import FormContext, FormSubmission
from tests.web.forms_of_routes import FORMS_SENT_BY_OTHER_TESTS, PREPARED_FORMS, forms_of_app
from tests.web.populated_site import populate_site

pytestmark = pytest.mark.no_cover
_PART_COUNT = 4
"""So that several processes share the forms."""
_EXPECTED_STATUSES = {200, 303, 409, 422}
_SESSION_CHANGING_FORMS = {
    "sign_in.sign_in_with_code",
    "sign_in.sign_in_with_link",
    "POST sign_in.sign_out -",
    "invitation.take_named_seat",
    "data.delete_account",
}
"""Forms that begin or end a session, in whose place there is another one: "This page had expired. Nothing was changed"."""
_REASONS_TO_REPEAT = {
    "POST sign_in.request_sign_in -": "each press sends an email",
    "POST identity.request_identity_code -": "each press sends an email",
    "POST address.request_change -": "each press sends an email, and only its link works",
    "POST sessions.sign_out_other_browsers -": "each press is recorded",
    "POST data.download -": "each press is a download, and recorded",
    "POST passkeys.begin_adding_passkey -": "each press is a new challenge",
    "POST passkey_proofs.begin_sign_in -": "each press is a new challenge",
    "POST passkey_proofs.begin_confirming_identity -": "each press is a new challenge",
    "POST club_members.renew_link private": "each press makes a new link",
    "POST club_members.renew_link public": "each press makes a new link",
}


@pytest.fixture
def form_context(site: Site) -> FormContext:
    return FormContext(site, populate_site(site))


class _FormSender:
    """Sends forms, and remembers the reads that the connection was lost before."""

    def __init__(self, form_context: FormContext) -> None:
        [limiter] = form_context.site.app.extensions["limiter"]
        assert isinstance(limiter, Limiter)
        self._limiter = limiter
        self._database = form_context.site.database
        self._lost_reads: set[str] = set()

    def flaws_of(self, name: str, form: FormSubmission, pool: SingleConnectionPool) -> list[str]:
        """Send the form while the connection is lost before one statement after another, then twice more."""
        contents_before, flaws, number = contents_of(self._database), list[str](), 0
        while True:
            commit_count = pool.commit_count
            status, connection_loss = self._send_without_connection(
                form, pool.connection, after_statement=number
            )
            # Without a commit nothing can have changed.
            has_committed = pool.commit_count > commit_count
            contents_after = contents_of(self._database) if has_committed else contents_before
            if connection_loss.lost_statement is None or contents_after != contents_before:
                break
            number = connection_loss.statement_count
            if status != 503:
                flaws.append(f"{name}: {status} without statement {number}")
        if name in PREPARED_FORMS and contents_after == contents_before:
            flaws.append(f"{name}: {status}, but nothing has changed")
        return flaws + self._flaws_of_second_answer(name, form, contents_after)

    def _send_without_connection(
        self, form: FormSubmission, connection: Connection, *, after_statement: int
    ) -> tuple[int, LostConnection]:
        """Send the form and lose the connection once. The usual run loses it before each read only in one form."""
        with lost_connection(
            connection,
            after_statement=after_statement,
            except_reads=() if is_full_run() else self._lost_reads,
        ) as connection_loss:
            status = self._send(form)
        if connection_loss.lost_statement is not None:
            self._lost_reads.add(connection_loss.lost_statement)
        return status, connection_loss

    def _flaws_of_second_answer(
        self, name: str, form: FormSubmission, contents: dict[str, str | None]
    ) -> list[str]:
        flaws, status = [], self._send(form)
        if name not in _REASONS_TO_REPEAT and (
            tables_changed := changed_tables(contents, contents_of(self._database))
        ):
            flaws.append(f"{name}: sent again, it changes {', '.join(tables_changed)}")
        if status not in (
            _EXPECTED_STATUSES | {400} if name in _SESSION_CHANGING_FORMS else _EXPECTED_STATUSES
        ):
            flaws.append(f"{name}: sent again, it answers {status}")
        return flaws

    def _send(self, form: FormSubmission) -> int:
        self._limiter.reset()
        with form.send() as answer:
            return int(answer.status_code)


@pytest.mark.parametrize("part", range(_PART_COUNT))
def test_form_has_its_whole_effect_once_or_none(form_context: FormContext, part: int) -> None:
    forms = sorted(forms_of_app(form_context.site.app, form_context.populated_site).items())
    sender, flaws = _FormSender(form_context), list[str]()
    for name, prepare in forms[part::_PART_COUNT]:
        with roll_back_commits(form_context.site.database) as pool:
            flaws += sender.flaws_of(name, prepare(form_context), pool)
    if flaws:
        pytest.fail("\n".join(flaws), pytrace=False)


def test_form_of_every_route_is_sent(form_context: FormContext) -> None:
    rules = form_context.site.app.url_map.iter_rules()
    endpoints = {rule.endpoint for rule in rules if "POST" in (rule.methods or set())}
    names = forms_of_app(form_context.site.app, form_context.populated_site)
    sent_endpoints = {name.removeprefix("POST ").split(":")[0].split(" ")[0] for name in names}
    assert endpoints - sent_endpoints - set(FORMS_SENT_BY_OTHER_TESTS) == set()
    assert set(FORMS_SENT_BY_OTHER_TESTS) & sent_endpoints == set()
