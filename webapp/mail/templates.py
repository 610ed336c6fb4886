"""The templates of emails: each says in one file what both the text and the HTML of an email contain, as blocks.

A template sets ``subject``, ``preview`` (the line that inboxes show beside the subject) and ``footer`` (why the recipient gets the
email), and prints blocks, such as ``{{ Title(_("Game over")) }}``. It knows the fields of the email's context, what its module returns
as variables, and the functions below. Names and other typed text go through the filter ``one_line``.
"""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined, pass_context
from jinja2.runtime import Context

from webapp.kernel import urls
from webapp.kernel.resources import templates_folder
from webapp.mail import blocks
from webapp.mail.blocks import Block, EmailContent, Paragraph
from webapp.mail.email import EmailLocale, emails_by_kind
from webapp.mail.envelope import EmailContext
from webapp.mail.mime import one_line
from webapp.mail.sections import (
    fairness_link,
    fairness_section,
    former_player_footer,
    player_footer,
    table_settings_and_players,
)
from webapp.mail.subjects import game_subject, until
from webapp.play.summaries import TableSummary
from webapp.wording import times
from webapp.wording.game_files import short_head

_BLOCK_CLASSES: Final = {
    block.__name__: block
    for block in (
        blocks.ActionMenu,
        blocks.Attachment,
        blocks.BulletList,
        blocks.Button,
        blocks.Code,
        blocks.FinePrint,
        blocks.Heading,
        blocks.Link,
        blocks.Notice,
        blocks.NumberedList,
        blocks.Paragraph,
        blocks.SignInCode,
        blocks.Title,
    )
}


class EmailTemplates:
    """Compiles each template once; threads may share it."""

    def __init__(self) -> None:
        self._environment = Environment(
            autoescape=False,  # noqa: S701 - the blocks hold plain text, which is escaped as they are rendered as HTML
            auto_reload=False,
            finalize=_collect_block,
            loader=FileSystemLoader(templates_folder()),
            undefined=StrictUndefined,
        )
        self._environment.globals.update(_BLOCK_CLASSES)
        self._environment.globals.update(urls=urls, paragraphs=paragraphs)
        self._environment.filters["one_line"] = one_line

    def content_of(self, context: EmailContext, locale: EmailLocale) -> EmailContent:
        """Return what an email says, in the recipient's language and from the recipient's point of view."""
        email = emails_by_kind()[context.envelope.kind]
        printed_blocks: list[Block] = []
        template = self._environment.get_template(email.template())
        values = template.new_context(
            {
                **_functions(locale),
                **{name: getattr(context, name) for name in context.__struct_fields__},
                **email.variables(context, locale),
                "printed_blocks": printed_blocks,
            }
        )
        for _ in template.root_render_func(values):
            """Printing collects the blocks; the line ends between them mean nothing."""
        exported = values.get_exported()
        return EmailContent(
            subject=exported["subject"],
            preview=exported["preview"],
            blocks=tuple(printed_blocks),
            footer=exported["footer"],
        )


@pass_context
def _collect_block(context: Context, printed: Block | Iterable[Block] | str) -> str:
    """Keep what a template prints: one block, or those of a section."""
    if isinstance(printed, str):
        message = f"an email's template prints blocks, not text: {printed[:40]!r}"
        raise TypeError(message)
    context["printed_blocks"].extend(printed if isinstance(printed, Iterable) else (printed,))
    return ""


def paragraphs(text: str) -> tuple[Paragraph, ...]:
    """Return what someone has written, line by line."""
    return tuple(Paragraph(line) for line in text.splitlines() if line)


def _functions(locale: EmailLocale) -> Mapping[str, Any]:
    """Return what templates use in the recipient's language and time zone."""
    language = locale.language

    def subject_of_table(situation: str, table: TableSummary, *facts: str) -> str:
        return game_subject(situation, table, language, *facts)

    return {
        "_": language.gettext,
        "ngettext": language.ngettext,
        "site": locale.site_name,
        "link": partial(urls.absolute_url, locale.base_url),
        "absolute_time": partial(
            times.absolute_time, now=locale.now, zone=locale.zone, language=language
        ),
        "relative_time": partial(times.relative_time, now=locale.now, language=language),
        "game_subject": subject_of_table,
        "until": partial(until, locale=locale),
        "player_footer": partial(player_footer, language),
        "former_player_footer": partial(former_player_footer, language),
        "table_settings_and_players": partial(table_settings_and_players, language=language),
        "fairness_section": partial(fairness_section, language=language),
        "fairness_link": partial(fairness_link, locale=locale),
        "short_head": short_head,
    }
