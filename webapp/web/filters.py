"""Template filters that name rulebooks, house rules, winners, days, browsers, ends of plans and secrets of the deal.

``webapp.templating`` has those that need no Flask: times, names of cards, lines of the history.
"""

from collections.abc import Callable
from datetime import date
from typing import Final, cast

from jinja2 import pass_context
from jinja2.runtime import Context

from engine.plans import CancelCondition
from engine.rulebook import HouseRules
from webapp.clock.pace.pace import LateRules
from webapp.kernel.i18n import N_, Language
from webapp.play.changes.shown_acts import ShownAct
from webapp.play.vote_rules import ShownVote
from webapp.site.home import MyGame
from webapp.wording import actions, results, security, tables, times
from webapp.wording.acts import ActFacts, ActLocale, act_sentence, actor_sentence, reason_sentence
from webapp.wording.deadlines import (
    TurnCounts,
    joining_condition_sentence,
    late_rules_sentence,
    reliability_sentence,
)
from webapp.wording.game_files import grouped_digits
from webapp.wording.paces import absence_sentence
from webapp.wording.perspective import joined_words, player_name
from webapp.wording.talk import message_parts
from webapp.wording.votes import effect_sentence, proposal_label, proposal_sentence


@pass_context
def _rulebook_name(context: Context, key: str) -> str:
    return tables.rulebook_name(key, _context_language(context))


@pass_context
def _rulebook_summary(context: Context, key: str) -> str:
    return tables.rulebook_summary(key, _context_language(context))


@pass_context
def _secret_name(context: Context, label: str) -> str:
    """Return what a secret of the deal is for, with the label under which a proof of the game has it."""
    message = _SECRET_NAMES.get(label)
    if message is None:
        return label
    return _context_language(context).gettext(message, label=label)


@pass_context
def _user_agent_name(context: Context, user_agent: str) -> str:
    """Return the browser and the system named in a User-Agent header."""
    return security.user_agent_name(user_agent, _context_language(context))


@pass_context
def _condition_name(context: Context, condition: CancelCondition) -> str:
    return actions.condition_name(condition, _context_language(context))


@pass_context
def _plan_end(context: Context, end: str) -> str:
    return actions.plan_end_sentence(end, _context_language(context))


@pass_context
def _house_rules(context: Context, house: HouseRules) -> tuple[str, ...]:
    return tables.house_rules(house, _context_language(context))


@pass_context
def _winners_sentence(context: Context, game: MyGame) -> str:
    return results.winners_sentence(
        game.other_winners, i_won=game.i_won, language=_context_language(context)
    )


@pass_context
def _opponent_names(context: Context, game: MyGame) -> str:
    """Return the names of the others at the table as a list."""
    language = _context_language(context)
    return joined_words(tuple(player_name(name, language) for name in game.opponents), language)


@pass_context
def _winners_of_game(context: Context, names: tuple[str, ...]) -> str:
    return results.winners_sentence(names, i_won=False, language=_context_language(context))


@pass_context
def _day(context: Context, day: date) -> str:
    return times.day_of_year(day, _context_language(context))


@pass_context
def _late_rules_sentence(context: Context, rules: LateRules) -> str:
    return late_rules_sentence(rules, _context_language(context))


@pass_context
def _reliability_sentence(context: Context, counts: TurnCounts) -> str:
    return reliability_sentence(counts, _context_language(context))


@pass_context
def _joining_condition(context: Context, rules: LateRules) -> str:
    return joining_condition_sentence(rules, _context_language(context))


@pass_context
def _absence_sentence(context: Context, rules: LateRules) -> str:
    return absence_sentence(rules, _context_language(context))


@pass_context
def _act_sentence(context: Context, act: ShownAct) -> str:
    """Return what a moderator changed."""
    facts = ActFacts(act.announcement, act.seat, act.name, act.before, act.after, act.offerer_name)
    return act_sentence(
        facts, ActLocale(_context_language(context), context["zone"], context["now"])
    )


@pass_context
def _actor_sentence(context: Context, act: ShownAct) -> str:
    return actor_sentence(act.actor_name, act.acted_as, _context_language(context))


@pass_context
def _reason_sentence(context: Context, act: ShownAct) -> str:
    return reason_sentence(act.reason, act.acted_as, _context_language(context))


@pass_context
def _proposal_sentence(context: Context, vote: ShownVote, name: str) -> str:
    return proposal_sentence(vote, name, _context_language(context))


@pass_context
def _proposal_label(context: Context, kind: str) -> str:
    return proposal_label(kind, _context_language(context))


@pass_context
def _effect_sentence(context: Context, kind: str) -> str:
    return effect_sentence(kind, _context_language(context))


def _context_language(context: Context) -> Language:
    return cast("Language", context["language"])


_SECRET_NAMES: Final = {
    "gold": N_("Gold pile (%(label)s)"),
    "round-1": N_("Cards of round 1 (%(label)s)"),
    "round-2": N_("Cards of round 2 (%(label)s)"),
    "round-3": N_("Cards of round 3 (%(label)s)"),
}
FILTERS: Final[dict[str, Callable[..., object]]] = {
    "rulebook_name": _rulebook_name,
    "rulebook_summary": _rulebook_summary,
    "house_rules": _house_rules,
    "agent_name": _user_agent_name,
    "secret_name": _secret_name,
    "grouped_digits": grouped_digits,
    "winners_sentence": _winners_sentence,
    "opponent_names": _opponent_names,
    "winners_of_game": _winners_of_game,
    "day": _day,
    "absence_sentence": _absence_sentence,
    "late_rules": _late_rules_sentence,
    "reliability": _reliability_sentence,
    "joining_condition": _joining_condition,
    "act_sentence": _act_sentence,
    "actor_sentence": _actor_sentence,
    "reason_sentence": _reason_sentence,
    "proposal_sentence": _proposal_sentence,
    "proposal_label": _proposal_label,
    "effect_sentence": _effect_sentence,
    "message_parts": message_parts,
    "condition_name": _condition_name,
    "plan_end": _plan_end,
}
