"""What moderators and hosts did, as emails to the table say it."""

from collections.abc import Iterator, Sequence

from webapp.i18n import Language
from webapp.mail.blocks import Block, Heading, Paragraph
from webapp.mail.email import EmailLocale
from webapp.mail.mime import one_line
from webapp.services.play.shown_acts import ShownAct
from webapp.wording import times
from webapp.wording.acts import ActFacts, ActLocale, act_sentence, actor_sentence


def act_text(act: ShownAct, locale: EmailLocale) -> str:
    """Return what was done."""
    offerer = None if act.offerer_name is None else one_line(act.offerer_name)
    facts = ActFacts(act.act, act.seat, one_line(act.name), act.before, act.after, offerer)
    return act_sentence(facts, ActLocale(locale.language, locale.zone, locale.now))


def act_actor(act: ShownAct, language: Language) -> str:
    """Return who acted, and as what."""
    name = None if act.actor_name is None else one_line(act.actor_name)
    return actor_sentence(name, act.acted_as, language)


def peeks_section(peeks: Sequence[ShownAct], locale: EmailLocale) -> Iterator[Block]:
    """Yield who looked at all roles and cards, when and why; nothing if no one did."""
    language, zone = locale.language, locale.zone
    if peeks:
        yield Heading(language.gettext("A moderator looked at all roles and cards"))
    for act in peeks:
        act_time = times.absolute_time(act.at, now=locale.now, zone=zone, language=language)
        yield Paragraph(f"{act_actor(act, language)}, {act_time}: {one_line(act.reason)}")
