"""What is said when something was refused, and the views that can say it on the page where it was asked."""

from collections.abc import Callable
from typing import Final, NamedTuple, TypeVar

from flask import current_app, request
from flask.typing import ResponseReturnValue

from webapp.services.errors import FieldError
from webapp.wording.refusals import Refusal

_SHOWN_AGAIN: Final = "shown_again_by"


class Problem(NamedTuple):
    """A refusal on its way to a page: the status, a sentence, and what was wrong with which field or by which rule."""

    status: int
    text: str
    errors: tuple[FieldError, ...] = ()
    refusal: Refusal | None = None


Again = Callable[..., ResponseReturnValue]
View = TypeVar("View", bound=Callable[..., object])


def shown_again_by(again: Again) -> Callable[[View], View]:
    """Mark a view: a refusal is told by ``again(problem, **view_args)``, which shows the form with what was typed."""

    def mark(view: View) -> View:
        setattr(view, _SHOWN_AGAIN, again)
        return view

    return mark


def again_for_request() -> Again | None:
    """How the page of this request shows its form again; None where there is no such page."""
    view = current_app.view_functions.get(request.endpoint or "")
    return getattr(view, _SHOWN_AGAIN, None)
