"""The translated sentences that templates can use: ``_``, ``ngettext`` and their like."""

from collections.abc import Callable
from functools import lru_cache
from typing import Final

from jinja2 import pass_context
from jinja2.runtime import Context
from markupsafe import Markup

from webapp.i18n import Language, isolated_values


@pass_context
def _gettext(context: Context, message: str, /, **values: object) -> str:
    """Return the sentence, with the values escaped if the template escapes HTML. Write a literal per cent sign as ``%%``."""
    language, escapes = context_language(context), context.eval_ctx.autoescape
    if not values:
        return _plain_sentence(message, language, escapes=escapes)
    return _formatted_sentence(
        language.catalogue.gettext(message), escapes=escapes
    ) % isolated_values(values)


@pass_context
def _ngettext(context: Context, one: str, many: str, num: int, /, **values: object) -> str:
    language, escapes = context_language(context), context.eval_ctx.autoescape
    if not values:
        return _numbered_sentence(one, many, num, language, escapes=escapes)
    sentence = _formatted_sentence(language.catalogue.ngettext(one, many, num), escapes=escapes)
    return sentence % {"num": num, **isolated_values(values)}


@pass_context
def _pgettext(context: Context, disambiguation: str, message: str, /, **values: object) -> str:
    sentence = context_language(context).catalogue.pgettext(disambiguation, message)
    return _formatted_sentence(sentence, escapes=context.eval_ctx.autoescape) % isolated_values(
        values
    )


@pass_context
def _npgettext(
    context: Context, disambiguation: str, one: str, many: str, num: int, /, **values: object
) -> str:
    sentence = context_language(context).catalogue.npgettext(disambiguation, one, many, num)
    return _formatted_sentence(sentence, escapes=context.eval_ctx.autoescape) % {
        "num": num,
        **isolated_values(values),
    }


@lru_cache(maxsize=2048)
def _plain_sentence(message: str, language: Language, *, escapes: bool) -> str:
    """Return a sentence without placeholders. Cached, because every page has the same few."""
    return _formatted_sentence(language.catalogue.gettext(message), escapes=escapes) % {}


@lru_cache(maxsize=2048)
def _numbered_sentence(one: str, many: str, num: int, language: Language, *, escapes: bool) -> str:
    sentence = _formatted_sentence(language.catalogue.ngettext(one, many, num), escapes=escapes)
    return sentence % {"num": num}


def _formatted_sentence(sentence: str, *, escapes: bool) -> str:
    return Markup(sentence) if escapes else sentence  # noqa: S704 - catalogues are part of this project


def context_language(context: Context) -> Language:
    """Return the language of the viewer; TypeError without one."""
    language = context["language"]
    if not isinstance(language, Language):
        raise TypeError(
            "The template has no language: render it with one, import macros with context."
        )
    return language


SENTENCE_FUNCTIONS: Final[dict[str, Callable[..., str]]] = {
    "_": _gettext,
    "gettext": _gettext,
    "ngettext": _ngettext,
    "pgettext": _pgettext,
    "npgettext": _npgettext,
}
