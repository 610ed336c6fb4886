"""What the pages with passkeys share: the ceremony of this request, the answer with the browser's options, and the refusal."""

from flask import Response
from werkzeug.exceptions import NotFound

from webapp.accounts.passkeys import PasskeyCeremony, RelyingParty, relying_party_for
from webapp.kernel.i18n import Language
from webapp.kernel.refusals import DenialReason
from webapp.web.context import current_context
from webapp.web.forms import FormError


def ceremony_of_browser(browser_key: str) -> PasskeyCeremony:
    """Return the ceremony of this request; it works only with the same key of a browser or a session."""
    return PasskeyCeremony(relying_party=_relying_party(), browser_key=browser_key)


def options_response(options: str) -> Response:
    """Return the options for the script."""
    return Response(options, mimetype="application/json")


def passkey_refused(language: Language) -> FormError:
    """Return the refusal of a passkey, to be shown after the commit that uses its challenge up."""
    return FormError(409, language.gettext(DenialReason.PASSKEY_REFUSED.value))


def _relying_party() -> RelyingParty:
    """Return this site. At a bare network address no browser offers passkeys, so these pages do not exist there."""
    party = relying_party_for(current_context().settings.base_url)
    if party is None:
        raise NotFound
    return party
