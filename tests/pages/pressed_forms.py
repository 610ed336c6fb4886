"""Forms ready to be sent, one for each route that accepts forms: from the tables of the rights matrix, or prepared."""

from flask import Flask

from tests.pages.form_scene import Preparation, PressedForm, Scene
from tests.pages.populated_site import FORMS, PERSONAS, PopulatedSite
from tests.pages.prepared_account_forms import ACCOUNT_FORMS
from tests.pages.prepared_held_turn_forms import HELD_TURN_FORMS
from tests.pages.prepared_moderation_forms import MODERATION_FORMS
from tests.pages.prepared_vote_forms import VOTE_FORMS
from tests.pages.rights_routes import Route, lines_of_matrix, routes_of

FORMS_NOT_PRESSED = {
    "passkeys.add_passkey": "an authenticator answers a challenge, which is used once: tests/services/accounts",
    "passkeys.remove_passkey": "there is none without an authenticator: tests/services/accounts",
    "passkey_proofs.sign_in": "as passkeys.add_passkey",
    "passkey_proofs.confirm_identity": "as passkeys.add_passkey",
    "mailbox.open_mailbox": "only of a server without a relay, and it stores nothing",
}
"""The routes whose forms are sent by other tests, and why."""


PREPARED_FORMS: dict[str, Preparation] = (
    ACCOUNT_FORMS | MODERATION_FORMS | VOTE_FORMS | HELD_TURN_FORMS
)
"""Forms that need something to be there first, by their name in the matrix or by their endpoint, with a label."""


def forms_of_app(app: Flask, populated_site: PopulatedSite) -> dict[str, Preparation]:
    """Return every form that is sent: those of the matrix that it says someone may send, and the prepared ones."""
    lines, prepared = lines_of_matrix(), {name.split(":")[0] for name in PREPARED_FORMS}
    forms = dict(PREPARED_FORMS)
    for route in routes_of(app, populated_site):
        if (
            route.method != "POST"
            or route.endpoint in prepared
            or route.endpoint in FORMS_NOT_PRESSED
        ):
            continue
        line = next(line for line in lines if line.matches(route))
        allowed_routes = [
            persona
            for persona, answer in zip(PERSONAS, line.answers, strict=True)
            if answer in {"done", "page"}
        ]
        if allowed_routes:
            forms[str(route)] = _form_of_matrix(route, allowed_routes[-1])
    return forms


def _form_of_matrix(route: Route, persona: str) -> Preparation:
    def prepare(scene: Scene) -> PressedForm:
        fields = FORMS.get(route.name) or FORMS.get(route.endpoint, {})
        token = scene.populated_site.browsers[persona].csrf_token
        filled_fields = {"csrf_token": token, **scene.populated_site.filled(fields, route.table)}
        return PressedForm(scene.visitor(persona), route.path, filled_fields)

    return prepare
