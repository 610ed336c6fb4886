"""No email depends on what its recipient may not know, and templates get nothing but finished content."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import Environment, nodes
from msgspec.structs import replace

from engine.finished_rounds import finished_rounds
from engine.notation import write_action
from engine.rulebooks.catalogue import RULEBOOKS
from engine.view import View, legal_actions, view_for
from tests.mail.conftest import ComposeEmail
from tests.support.email_contexts import COMPOSER, EMAIL_KINDS, NOW, EmailContexts
from tests.support.engine.counterfactual_games import (
    Move,
    PlayedGame,
    counterfactual_game,
    play_moves,
)
from tests.support.engine.in_memory_game import InMemoryGame
from tests.support.engine.random_players import mostly_digging_action
from tests.support.engine.seeded_random import ScriptedChance, SeededRng
from tests.support.fakes import drawn, html_of
from webapp.kernel.resources import templates_folder
from webapp.mail.inbound.execution import CommandOutcome, ReplyOutcome

# Long, of what other tests cover line by line.
pytestmark = pytest.mark.no_cover

TURN_KINDS = ("your-turn", "reminder", "nudge")
TEMPLATES_FOLDER = templates_folder() / "email"
TEMPLATE_LOCAL_NAMES = {
    "card",
    "cell",
    "choice",
    "colours",
    "each",
    "heading",
    "ink",
    "item",
    "line",
    "loop",
    "mono",
    "row",
    "serif",
}
"""Names that the templates define themselves."""
PALETTE_NAMES = {"light", "dark", "player_colours", "initials_colours"}
"""The colours of the site, known to every template."""


def random_unfinished_game(rulebook: str, rng: SeededRng) -> PlayedGame:
    """Return an unfinished game of random length."""
    chance = ScriptedChance(rng.below(1 << 30))
    game = InMemoryGame(rulebook, seats=3 + rng.below(8), starter=None, chance=chance)
    return play_moves(
        game,
        rng.below(160),
        lambda game: Move("play", action=mostly_digging_action(game.state, rng)),
    )


def link_only_emails(email_context: EmailContexts, view: View) -> Iterator[bytes]:
    """Yield every kind of email that depends on what one seat knows, for someone who wants just a link."""
    seats, menu = email_context.turn(view).seats, legal_actions(view)
    contexts = [
        *(email_context(kind, view=view, menu=menu, seats=seats) for kind in TURN_KINDS),
        email_context("reply-answered", view=view, menu=menu, seats=seats),
        email_context("briefing", view=view, seats=seats, discards=view.hand[:1]),
    ]
    refused = CommandOutcome(
        f"discard {view.hand[0]}", f"You, a saboteur: {view.hand}", is_done=False
    )
    for other_domain in (None, "other.example"):
        for is_proven in (True, False):
            outcome = ReplyOutcome(
                commands=(refused,),
                is_proven=is_proven,
                understood_action=write_action(menu[0]),
                other_domain=other_domain,
            )
            contexts.append(
                email_context("reply-answered", view=view, menu=menu, seats=seats, outcome=outcome)
            )
    for context in contexts:
        envelope = replace(context.envelope, is_link_only=True, reply_to=None, move_token=None)
        yield drawn(COMPOSER.compose(replace(context, envelope=envelope), now=NOW))


@given(st.integers(0, 2**32), st.sampled_from(list(RULEBOOKS)))
def test_link_only_emails_are_the_same_whatever_was_dealt(
    email_context: EmailContexts, seed: int, rulebook: str
) -> None:
    views = [
        view_for(InMemoryGame(rulebook, seats=5, starter=0, chance=ScriptedChance(each)).state, 0)
        for each in (seed, seed + 1)
    ]
    first, second = (list(link_only_emails(email_context, view)) for view in views)
    assert first == second
    assert not any(b"image/png" in email or b"saboteur" in email for email in first)


def emails_about(email_context: EmailContexts, game: InMemoryGame, seat: int) -> Iterator[bytes]:
    view = view_for(game.state, seat)
    yield drawn(COMPOSER.compose(email_context.turn(view), now=NOW))
    if view.results:
        last_round = finished_rounds(game.start, game.log, game.state)[-1]
        context = email_context.round_over(view, view_for(last_round.state, None))
        yield drawn(COMPOSER.compose(context, now=NOW))


@given(st.integers(0, 2**32), st.sampled_from(list(RULEBOOKS)))
def test_games_that_a_seat_cannot_tell_apart_give_the_same_emails(
    email_context: EmailContexts, seed: int, rulebook: str
) -> None:
    rng = SeededRng(seed)
    game = random_unfinished_game(rulebook, rng)
    seat = rng.below(game.game.state.seats)
    counterfactual = counterfactual_game(game, seat, rng)
    assert list(emails_about(email_context, game.game, seat)) == list(
        emails_about(email_context, counterfactual.game, seat)
    )


def test_emails_to_other_seats_differ_between_counterfactual_games(
    email_context: EmailContexts,
) -> None:
    """If all emails were equal, the test above could not fail."""
    rng = SeededRng(3)
    game = random_unfinished_game("en-2004", rng)
    counterfactual = counterfactual_game(game, 0, rng)
    assert list(emails_about(email_context, game.game, 1)) != list(
        emails_about(email_context, counterfactual.game, 1)
    )


@pytest.mark.parametrize("file", sorted(TEMPLATES_FOLDER.iterdir()), ids=lambda file: file.name)
def test_email_templates_use_only_content_variables(file: Path) -> None:
    """A template that could name a context could show what no function of `contents.py` chose to show."""
    tree = Environment(autoescape=True).parse(file.read_text(encoding="utf-8"))
    names = {node.name for node in tree.find_all(nodes.Name) if node.ctx == "load"}
    passed_variables = {"block", "blocks", "content", "language", "link", "marker", "opt_outs"}
    assert names <= passed_variables | PALETTE_NAMES | TEMPLATE_LOCAL_NAMES


@pytest.mark.parametrize("kind", EMAIL_KINDS)
def test_subject_and_preview_show_no_secret_to_bystanders(
    email_context: EmailContexts, compose_email: ComposeEmail, kind: str
) -> None:
    message = compose_email(kind)
    preview = html_of(message).partition("display:none")[2].partition("</div>")[0]
    for shown_text in (message["Subject"], preview):
        assert not any(
            word in shown_text.lower() for word in ("saboteur:", "digger:", "you are", "hand")
        )
    if kind in {"sign-in", "identity-code"}:
        assert email_context(kind).code not in message["Subject"]
