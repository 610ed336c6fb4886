"""Sentences about votes: what is proposed, what it would do, and how it ended. The same on pages and in emails."""

from collections.abc import Mapping
from typing import Final, Protocol

from webapp.kernel.i18n import N_, Language

PROPOSAL_LABELS: Final[Mapping[str, str]] = {
    "pause": N_("Pause the game"),
    "resume": N_("Resume the game"),
    "cancel": N_("Cancel the game"),
    "shorten": N_("End the game after this round"),
}
_PROPOSAL_TEXTS: Final[Mapping[str, str]] = {
    "pause": N_("%(name)s would like to pause the game."),
    "resume": N_("%(name)s would like to resume the game."),
    "cancel": N_("%(name)s would like to cancel the game."),
    "shorten": N_("%(name)s would like to end the game after round %(round)s."),
}
_EFFECT_TEXTS: Final[Mapping[str, str]] = {
    "pause": N_(
        "All deadlines stop until you vote to resume, or a moderator does, or 30 days have passed."
    ),
    "resume": N_("The clock runs again, with the time that was left."),
    "cancel": N_("The game ends now without a winner, and every role and card is shown."),
    "shorten": N_(
        "The game ends after the round under way. The player with the most gold then wins."
    ),
}
_OUTCOMES: Final[Mapping[str, str]] = {
    "rejected": N_("The vote is over: not everyone agreed, so nothing changes."),
    "expired": N_("The vote is over: not everyone answered in time, so nothing changes."),
    "passed": N_("Everyone agreed."),
}


class VoteFacts(Protocol):
    """A vote, as use cases return it."""

    @property
    def kind(self) -> str: ...
    @property
    def round(self) -> int: ...
    @property
    def outcome(self) -> str | None: ...


def proposal_label(kind: str, language: Language) -> str:
    """Return what one can propose, as the label of a choice."""
    return language.gettext(PROPOSAL_LABELS[kind])


def proposal_sentence(vote: VoteFacts, name: str, language: Language) -> str:
    """Return who proposes what; ``name`` is the player's."""
    return language.gettext(_PROPOSAL_TEXTS[vote.kind], name=name, round=vote.round)


def effect_sentence(kind: str, language: Language) -> str:
    """Return what happens if everyone agrees."""
    return language.gettext(_EFFECT_TEXTS[kind])


def outcome_sentence(vote: VoteFacts, language: Language) -> str:
    """Return how a vote has ended."""
    text = language.gettext(_OUTCOMES[vote.outcome or "expired"])
    if vote.outcome != "passed":
        return text
    return f"{text} {effect_sentence(vote.kind, language)}"
