"""Forms ready to be sent, one for each route that accepts forms: from the tables of the rights matrix, or prepared."""

from flask import Flask

from tests.web.form_submissions import FormContext, FormSubmission, PrepareForm
from tests.web.populated_site import PERSONAS, PopulatedSite
from tests.web.prepared_account_forms import ACCOUNT_FORMS
from tests.web.prepared_held_turn_forms import HELD_TURN_FORMS
from tests.web.prepared_moderation_forms import MODERATION_FORMS
from tests.web.prepared_talk_forms import TALK_FORMS
from tests.web.prepared_vote_forms import VOTE_FORMS
from tests.web.rights_routes import Route, lines_of_matrix, routes_of
from tests.web.valid_forms import FORMS

FORMS_SENT_BY_OTHER_TESTS = {
    "passkeys.add_passkey": "an authenticator answers a challenge, which is used once: tests/accounts",
    "passkeys.remove_passkey": "there is none without an authenticator: tests/accounts",
    "passkey_proofs.sign_in": "as passkeys.add_passkey",
    "passkey_proofs.confirm_identity": "as passkeys.add_passkey",
    "mailbox.answer_email": "only of a server without a relay: tests/mail/pages",
    "mailbox.open_mailbox": "only of a server without a relay, and it stores nothing",
}
"""The routes whose forms are sent by other tests, and why."""


PREPARED_FORMS: dict[str, PrepareForm] = (
    ACCOUNT_FORMS | TALK_FORMS | MODERATION_FORMS | VOTE_FORMS | HELD_TURN_FORMS
)
"""Forms that need something to be there first, by their name in the matrix or by their endpoint, with a label."""


def forms_of_app(app: Flask, populated_site: PopulatedSite) -> dict[str, PrepareForm]:
    """Return every form that is sent: those of the matrix that it says someone may send, and the prepared ones."""
    lines, prepared_endpoints = lines_of_matrix(), {name.split(":")[0] for name in PREPARED_FORMS}
    forms = dict(PREPARED_FORMS)
    for route in routes_of(app, populated_site):
        if (
            route.method != "POST"
            or route.endpoint in prepared_endpoints
            or route.endpoint in FORMS_SENT_BY_OTHER_TESTS
        ):
            continue
        line = next(line for line in lines if line.matches(route))
        allowed_routes = [
            persona
            for persona, answer in zip(PERSONAS, line.answers, strict=True)
            if answer in {"done", "page"}
        ]
        if allowed_routes:
            forms[str(route)] = _prepare_form_of_matrix(route, allowed_routes[-1])
    return forms


def _prepare_form_of_matrix(route: Route, persona: str) -> PrepareForm:
    def prepare(form_context: FormContext) -> FormSubmission:
        fields = FORMS.get(route.name) or FORMS.get(route.endpoint, {})
        token = form_context.populated_site.browsers[persona].csrf_token
        filled_fields = {
            "csrf_token": token,
            **form_context.populated_site.with_table_values(fields, route.table),
        }
        return FormSubmission(form_context.visitor(persona), route.path, filled_fields)

    return prepare
