"""The page of rights: who may do what in games, in clubs and on the site, from the same table that the server checks."""

from collections.abc import Iterable
from typing import NamedTuple

from flask import Blueprint
from flask.typing import ResponseReturnValue

from webapp.kernel import urls
from webapp.kernel.i18n import Language
from webapp.kernel.rights import (
    CLUB_RIGHTS,
    SITE_RIGHTS,
    ClubRight,
    GameRight,
    Relation,
    SiteRight,
    TableKind,
    relations_with,
)
from webapp.play.changes.acts import acts_by_name
from webapp.web.layout import PagePosition, render_page
from webapp.web.session import locale_of
from webapp.wording.rights import RIGHT_TEXTS, Right, relation_name, table_kind_name

pages = Blueprint("rights", __name__)


class RightRow(NamedTuple):
    """One right, and for each column the names of those who have it; an empty text is no one."""

    right: str
    holders: tuple[str, ...]


class RightsTable(NamedTuple):
    """A table of rights; ``columns`` names its columns after the first."""

    columns: tuple[str, ...]
    rows: tuple[RightRow, ...]


@pages.get(urls.rights.rule)
def show_rights() -> ResponseReturnValue:
    """Show the three tables: games by kind of table, clubs, and the site."""
    language = locale_of(None).language
    return render_page(
        "site/rights.html",
        viewer=None,
        nav_position=PagePosition(urls.rights()),
        games=_game_rights(language),
        clubs=_plain_rights(CLUB_RIGHTS, language),
        site=_plain_rights(SITE_RIGHTS, language),
    )


def _game_rights(language: Language) -> RightsTable:
    rows = (
        RightRow(
            right_sentence(right, language),
            tuple(_names(relations_with(right, kind), language) for kind in TableKind),
        )
        for right in GameRight
    )
    return RightsTable(tuple(table_kind_name(kind, language) for kind in TableKind), tuple(rows))


def _plain_rights(
    table: dict[ClubRight, frozenset[Relation]] | dict[SiteRight, frozenset[Relation]],
    language: Language,
) -> RightsTable:
    rows = (_plain_row(right, relations, language) for right, relations in table.items())
    return RightsTable((language.gettext("Who may"),), tuple(rows))


def _plain_row(right: Right, relations: Iterable[Relation], language: Language) -> RightRow:
    return RightRow(right_sentence(right, language), (_names(relations, language),))


def right_sentence(right: Right, language: Language) -> str:
    """Return what a right allows, as an order: "Move a deadline"."""
    text = RIGHT_TEXTS[right] if right in RIGHT_TEXTS else acts_by_name()[right].summary
    return language.gettext(text)


def _names(relations: Iterable[Relation], language: Language) -> str:
    held_relations = set(relations)
    return ", ".join(
        relation_name(relation, language) for relation in Relation if relation in held_relations
    )
