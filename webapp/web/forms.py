"""Forms that validate themselves in the viewer's language, and come from a page of the viewer's own browser.

A view makes its form, opens a ``submission`` for it, and shows the same form again when that raises FormError.

The validators check text that a browser sent; each reports a code of ``webapp.wording.error_messages``, in the viewer's
language.
"""

import re
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Final, NoReturn, TypeAlias, TypeVar

from flask import Flask, request, session
from werkzeug.datastructures import MultiDict
from werkzeug.exceptions import BadRequest
from wtforms import Field, Form
from wtforms.validators import StopValidation

from engine.cells import is_cell
from engine.errors import IllegalAction
from webapp.kernel.i18n import Language
from webapp.kernel.refusals import DenialReason, FieldError, FieldErrors, NotAllowed, StaleTurn
from webapp.kernel.tx import Tx
from webapp.web.context import current_context
from webapp.web.session import SignInRequired, is_signed_in, locale_of
from webapp.wording.error_messages import (
    Refusal,
    csrf_sentence,
    field_sentence,
    refusal,
    refused_sentence,
    stale_turn_sentence,
)

View = TypeVar("View", bound=Callable[..., object])
_FIELD_NAME: Final = "csrf_token"
"""The name of the token in forms and in the session."""
_TOKEN_BYTES: Final = 16
_MASKED_KEY: Final = "lodepost.csrf-token"
_READING_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_VIEWS_WITHOUT_TOKEN: Final[set[str]] = set()
"""Views that no token protects, or that check it themselves."""
FORGED_FORM_STATUS: Final = 400
"""The status of a refused form that comes from no page of this session: expired, of another account, or of another site."""


class ForgedForm(BadRequest):
    """A form comes from no page of this browser's session. Raised before its view is called, and answered by an error page."""


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
            _require_csrf_token()
        except ForgedForm:
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
        """Return the whole number in a field; None if there is none, as in a form that was not checked."""
        try:
            return int(self.text(name))
        except ValueError:
            return None

    def refuse(self, errors: Iterable[FieldError]) -> FormError:
        """Add errors that a use case found to their fields; return the FormError to raise."""
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
def submission(form: PageForm, *, begins_late: bool = False) -> Iterator[Tx]:
    """Check a form and open the transaction it is for; after the commit send the nudges.

    With ``begins_late`` nothing is begun for what one statement does alone (``webapp.kernel.tx.late_transaction``).
    Raises FormError for everything that is refused. NotFound and Unavailable pass through, and SignInRequired replaces
    the refusal of what only a signed-in player may do.
    """
    form.check()
    try:
        context = current_context()
        with context.late_transaction() if begins_late else context.transaction() as tx:
            yield tx
    except FieldErrors as refusal:
        raise form.refuse(refusal.errors) from refusal
    except (NotAllowed, StaleTurn, IllegalAction) as refusal:
        raise form_error_for(refusal) from refusal
    current_context().nudge(tx.nudges)


def form_error_for(error: NotAllowed | StaleTurn | IllegalAction | FieldErrors) -> FormError:
    """Return the status and the sentence for an error. Raises SignInRequired where signing in may help."""
    locale = locale_of(None)
    language = locale.language
    match error:
        case FieldErrors(errors=errors):
            return FormError(
                422, " ".join(field_sentence(field_error, language) for field_error in errors)
            )
        case NotAllowed(reason=reason):
            if reason is DenialReason.NOT_SEATED and not is_signed_in():
                raise SignInRequired
            return FormError(409, refused_sentence(error, locale))
        case IllegalAction(reason=illegal):
            rule = refusal(illegal, language)
            return FormError(409, rule.text, rule=rule)
    return FormError(409, stale_turn_sentence(language))


def protect_forms(app: Flask) -> None:
    """Let templates print CSRF tokens, and refuse forms without one before their views are called."""

    def refuse_forged_forms() -> None:
        if request.endpoint is None or request.method in _READING_METHODS:
            return
        if _name_of(app.view_functions[request.endpoint]) not in _VIEWS_WITHOUT_TOKEN:
            _require_csrf_token()

    app.jinja_env.globals["csrf_token"] = _masked_csrf_token
    app.before_request(refuse_forged_forms)


def _masked_csrf_token() -> str:
    """Return the CSRF token of this browser's session, masked with bytes that every response has new.

    Otherwise the length of a compressed page could tell the token to someone who can make the page repeat their guesses (BREACH).
    """
    if _MASKED_KEY not in request.environ:
        if _FIELD_NAME not in session:
            session[_FIELD_NAME] = secrets.token_hex(_TOKEN_BYTES)
        mask = secrets.token_bytes(_TOKEN_BYTES)
        masked = mask + _combined(mask, bytes.fromhex(session[_FIELD_NAME]))
        request.environ[_MASKED_KEY] = urlsafe_b64encode(masked).decode()
    return str(request.environ[_MASKED_KEY])


def _require_csrf_token() -> None:
    """Raise ForgedForm unless the form has the token of this browser's session, however it was masked."""
    token, sent = session.get(_FIELD_NAME, ""), request.form.get(_FIELD_NAME, "")
    if not token or not secrets.compare_digest(_unmasked(sent), bytes.fromhex(token)):
        raise ForgedForm


def _unmasked(text: str) -> bytes:
    """Return the token in a masked one; no bytes if it is none."""
    try:
        masked = urlsafe_b64decode(text.encode())
    except ValueError:
        return b""
    return _combined(masked[:_TOKEN_BYTES], masked[_TOKEN_BYTES:])


def _combined(mask: bytes, token: bytes) -> bytes:
    """Return the token masked, or unmasked if it is; no bytes if it has another length."""
    if len(token) != len(mask):
        return b""
    return bytes(left ^ right for left, right in zip(mask, token, strict=True))


def without_csrf_token(view: View) -> View:
    """Mark a view that anyone may send a form to, or one that checks the token itself."""
    _VIEWS_WITHOUT_TOKEN.add(_name_of(view))
    return view


def form_view(view: View) -> View:
    """Mark a view that gives its form to ``submission``, which checks the CSRF token and keeps what was typed."""
    return without_csrf_token(view)


def _name_of(view: Callable[..., object]) -> str:
    # A limit on the rate of requests wraps a view in a function of the same name.
    return f"{view.__module__}.{view.__qualname__}"


def new_form_id() -> str:
    """Return a random id for a form that is shown; the same id twice means the form was sent twice, as by a double click."""
    # Not from the app context's source of chance, from which cards are dealt: showing a form changes no deal.
    return secrets.token_urlsafe(16)


def id_in(text: str) -> int | None:
    """Return the id that a request names; None for a text that is no id of a row."""
    is_number = text.isascii() and text.isdigit() and len(text) <= _MAX_ID_DIGITS
    return int(text) if is_number else None


Validator: TypeAlias = Callable[[PageForm, Field], None]

_MAX_CHARACTERS: Final = 1000
_MAX_DIGITS: Final = 9
_MAX_ID_DIGITS: Final = 18
_TIME_OF_DAY_PATTERN: Final = re.compile(r"([01][0-9]|2[0-3]):[0-5][0-9]")


def one_line(form: PageForm, field: Field) -> None:
    """Accept printable text on one line, or no text."""
    text = _text_of(field)
    if not text.isprintable():
        _raise_field_error(form, field, "control-characters")
    if len(text) > _MAX_CHARACTERS:
        _raise_field_error(form, field, "too-long", max=_MAX_CHARACTERS)


def required(form: PageForm, field: Field) -> None:
    """Accept any text on one line but no empty one."""
    one_line(form, field)
    if not _text_of(field):
        _raise_field_error(form, field, "required")


def required_lines(form: PageForm, field: Field) -> None:
    """Accept any printable text on one or more lines but no empty one."""
    text = _text_of(field)
    if not "".join(text.split()).isprintable():
        _raise_field_error(form, field, "control-characters")
    if len(text) > _MAX_CHARACTERS:
        _raise_field_error(form, field, "too-long", max=_MAX_CHARACTERS)
    if not text.strip():
        _raise_field_error(form, field, "required")


def optional_number(form: PageForm, field: Field) -> None:
    """Accept a whole number that is not negative, or no text."""
    one_line(form, field)
    text = _text_of(field)
    if text and not (text.isascii() and text.isdigit() and len(text) <= _MAX_DIGITS):
        _raise_field_error(form, field, "not-a-number")


def whole_number(form: PageForm, field: Field) -> None:
    """Accept a whole number that is not negative."""
    required(form, field)
    optional_number(form, field)


def number_between(minimum: int, maximum: int) -> Validator:
    """Return a validator that accepts whole numbers from ``minimum`` to ``maximum``."""

    def validate(form: PageForm, field: Field) -> None:
        whole_number(form, field)
        if not minimum <= int(_text_of(field)) <= maximum:
            _raise_field_error(form, field, "out-of-range", low=minimum, high=maximum)

    return validate


def one_of(choices: Collection[str]) -> Validator:
    """Return a validator that accepts these words."""

    def validate(form: PageForm, field: Field) -> None:
        required(form, field)
        if field.data not in choices:
            _raise_field_error(form, field, "unknown")

    return validate


def one_of_if_sent(choices: Collection[str]) -> Validator:
    """Return a validator that accepts these words, and a field that the browser did not send."""

    def validate(form: PageForm, field: Field) -> None:
        if field.raw_data and field.data not in choices:
            _raise_field_error(form, field, "unknown")

    return validate


def time_of_day(form: PageForm, field: Field) -> None:
    """Accept a time of day such as 08:00, or no text."""
    one_line(form, field)
    if (text := _text_of(field)) and not _TIME_OF_DAY_PATTERN.fullmatch(text):
        _raise_field_error(form, field, "not-a-time")


def cell_label(form: PageForm, field: Field) -> None:
    """Accept the label of a cell of the mine, such as D5."""
    required(form, field)
    if not is_cell(field.data):
        _raise_field_error(form, field, "not-a-cell")


def _text_of(field: Field) -> str:
    """Return what was sent; ``data`` may be the default of a field that was not sent."""
    return str(field.raw_data[0]).strip() if field.raw_data else ""


def _raise_field_error(form: PageForm, field: Field, code: str, **params: str | int) -> NoReturn:
    raise StopValidation(form.sentence_for(FieldError(field.short_name, code, params)))
