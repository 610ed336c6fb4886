"""Template filters that name rulebooks, house rules, winners, days, browsers, ends of plans and secrets of the deal.

``webapp.templating`` has those that need no Flask: times, names of cards, lines of the history.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from webapp.kernel.i18n import N_, Language, Locale
from webapp.kernel.public_acts import ShownAct
from webapp.play.changes.acts import announcement
from webapp.site.home import MyGame
from webapp.templating import at_zone, in_language
from webapp.wording import actions, results, security, tables, times
from webapp.wording.acts import ActFacts, act_sentence, actor_sentence, reason_sentence
from webapp.wording.deadlines import (
    joining_condition_sentence,
    late_rules_sentence,
    reliability_sentence,
)
from webapp.wording.game_files import grouped_digits
from webapp.wording.paces import absence_rule_sentence
from webapp.wording.perspective import joined_words, player_name
from webapp.wording.talk import message_parts
from webapp.wording.votes import effect_sentence, proposal_label, proposal_sentence


def _secret_name(label: str, language: Language) -> str:
    """Return what a secret of the deal is for, with the label under which a proof of the game has it."""
    message = _SECRET_NAMES.get(label)
    return label if message is None else language.gettext(message, label=label)


def _opponent_names(game: MyGame, language: Language) -> str:
    """Return the names of the others at the table as a list."""
    return joined_words(tuple(player_name(name, language) for name in game.opponents), language)


def _winners_sentence(game: MyGame, language: Language) -> str:
    return results.winners_sentence(game.other_winners, i_won=game.i_won, language=language)


def _winners_of_game(names: tuple[str, ...], language: Language) -> str:
    return results.winners_sentence(names, i_won=False, language=language)


def _act_sentence(act: ShownAct, *, language: Language, zone: ZoneInfo, now: datetime) -> str:
    """Return what a moderator changed."""
    text = announcement(act.act, act.before, act.after, offerer=act.offerer_name)
    facts = ActFacts(text, act.seat, act.name, act.before, act.after, act.offerer_name)
    return act_sentence(facts, Locale(language, zone, now))


def _actor_sentence(act: ShownAct, language: Language) -> str:
    return actor_sentence(act.actor_name, act.acted_as, language)


def _reason_sentence(act: ShownAct, language: Language) -> str:
    return reason_sentence(act.reason, act.acted_as, language)


_SECRET_NAMES: Final = {
    "gold": N_("Gold pile (%(label)s)"),
    "round-1": N_("Cards of round 1 (%(label)s)"),
    "round-2": N_("Cards of round 2 (%(label)s)"),
    "round-3": N_("Cards of round 3 (%(label)s)"),
}
FILTERS: Final[dict[str, Callable[..., object]]] = {
    "rulebook_name": in_language(tables.rulebook_name),
    "rulebook_summary": in_language(tables.rulebook_summary),
    "house_rules": in_language(tables.house_rules),
    "agent_name": in_language(security.user_agent_name),
    "secret_name": in_language(_secret_name),
    "grouped_digits": grouped_digits,
    "winners_sentence": in_language(_winners_sentence),
    "opponent_names": in_language(_opponent_names),
    "winners_of_game": in_language(_winners_of_game),
    "day": in_language(times.day_of_year),
    "absence_rule_sentence": in_language(absence_rule_sentence),
    "late_rules": in_language(late_rules_sentence),
    "reliability": in_language(reliability_sentence),
    "joining_condition": in_language(joining_condition_sentence),
    "act_sentence": at_zone(_act_sentence),
    "actor_sentence": in_language(_actor_sentence),
    "reason_sentence": in_language(_reason_sentence),
    "proposal_sentence": in_language(proposal_sentence),
    "proposal_label": in_language(proposal_label),
    "effect_sentence": in_language(effect_sentence),
    "message_parts": message_parts,
    "condition_name": in_language(actions.condition_name),
    "plan_end": in_language(actions.plan_end_sentence),
}
