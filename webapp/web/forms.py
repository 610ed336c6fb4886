"""Forms that validate themselves in the viewer's language.

A view makes its form, opens a ``submission`` for it, and shows the same form again when that raises FormError.
"""

import secrets
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeVar

from flask_wtf.csrf import CSRFError, CSRFProtect
from werkzeug.datastructures import MultiDict
from wtforms import Form

from engine.errors import IllegalAction
from webapp.kernel.i18n import Language
from webapp.kernel.refusals import DenialReason, FieldError, FieldErrors, NotAllowed, StaleTurn
from webapp.kernel.tx import Tx
from webapp.web.context import current_context
from webapp.web.session import SignInRequired, is_signed_in, locale_of
from webapp.wording.acts import ActLocale
from webapp.wording.error_messages import (
    Refusal,
    csrf_sentence,
    field_sentence,
    refusal,
    refused_sentence,
    stale_turn_sentence,
)

View = TypeVar("View", bound=Callable[..., object])
csrf: Final = CSRFProtect()
FORGED_FORM_STATUS: Final = 400
"""The status of a refused form that comes from no page of this session: expired, of another account, or of another site."""


class FormError(Exception):
    """A submitted form was refused. Its view catches this and shows the form again with what was typed."""

    def __init__(self, status: int, text: str, *, rule: Refusal | None = None) -> None:
        super().__init__(text)
        self.status = status
        self.text = text
        self.rule = rule
        """The rule of the game that refuses the action, if one does."""


class PageForm(Form):
    """A form whose labels and errors are in one language. Labels are marked with ``N_`` and translated here."""

    def __init__(
        self,
        locale_language: Language,
        formdata: MultiDict[str, str] | None = None,
        **data: Any,  # noqa: ANN401 - the defaults of any field
    ) -> None:
        self.locale_language = locale_language
        super().__init__(formdata, **data)
        for field in self:
            field.label.text = locale_language.gettext(field.label.text)

    def check(self) -> None:
        """Raise FormError unless the form comes from a page of this browser and every field is valid."""
        try:
            csrf.protect()
        except CSRFError:
            raise FormError(FORGED_FORM_STATUS, csrf_sentence(self.locale_language)) from None
        self.require_valid()

    def require_valid(self) -> None:
        """Raise FormError unless every field is valid."""
        if not self.validate():
            raise FormError(422, self._all_errors())

    def text(self, name: str) -> str:
        """Return the text of a field without surrounding blanks; empty if it has none."""
        return (self[name].data or "").strip()

    def number(self, name: str) -> int | None:
        """Return the whole number in a field that was checked; None if the field is empty."""
        text = self.text(name)
        return int(text) if text else None

    def refuse(self, errors: Iterable[FieldError]) -> FormError:
        """Add errors that a service found to their fields; return the FormError to raise."""
        other_errors = []
        for error in errors:
            sentence = self.sentence_for(error)
            if error.field in self:
                self[error.field].errors = [sentence]
            else:
                other_errors.append(sentence)
        return FormError(422, " ".join([self._all_errors(), *other_errors]).strip())

    def sentence_for(self, error: FieldError) -> str:
        """Return what is wrong with a field, in the language of the form."""
        return field_sentence(error, self.locale_language)

    def _all_errors(self) -> str:
        return " ".join(error for field in self for error in field.errors)


@contextmanager
def submission(form: PageForm) -> Iterator[Tx]:
    """Check a form and open the transaction it is for; after the commit send the nudges.

    Raises FormError for everything that is refused. NotFound and Unavailable pass through, and SignInRequired replaces
    the refusal of what only a signed-in player may do.
    """
    form.check()
    try:
        with current_context().transaction() as tx:
            yield tx
    except FieldErrors as refusal:
        raise form.refuse(refusal.errors) from refusal
    except (NotAllowed, StaleTurn, IllegalAction) as refusal:
        raise form_error_for(refusal) from refusal
    current_context().nudge(tx.nudges)


def form_error_for(error: NotAllowed | StaleTurn | IllegalAction | FieldErrors) -> FormError:
    """Return the status and the sentence for an error. Raises SignInRequired where signing in may help."""
    language = locale_of(None).language
    match error:
        case FieldErrors(errors=errors):
            return FormError(
                422, " ".join(field_sentence(field_error, language) for field_error in errors)
            )
        case NotAllowed(reason=reason):
            if reason is DenialReason.NOT_SEATED and not is_signed_in():
                raise SignInRequired
            locale = ActLocale(*locale_of(None), current_context().now())
            return FormError(409, refused_sentence(error, locale))
        case IllegalAction(reason=illegal):
            rule = refusal(illegal, language)
            return FormError(409, rule.text, rule=rule)
    return FormError(409, stale_turn_sentence(language))


def form_view(view: View) -> View:
    """Mark a view that gives its form to ``submission``, which checks the CSRF token and keeps what was typed."""
    csrf.exempt(view)
    return view


def new_form_id() -> str:
    """Return a random id for a form that is shown; the same id twice means the form was sent twice, as by a double click."""
    # Not from the app context's source of chance, from which cards are dealt: showing a form changes no deal.
    return secrets.token_urlsafe()
