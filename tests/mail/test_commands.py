"""What players answer: every command that an email lists means its action, in many spellings, and nothing is ever guessed."""

import pytest

from engine.actions import Action, Break, Discard, Lay, Look, Repair, Rockfall
from engine.view import View, legal_actions, view_for
from tests.support.engine.in_memory_game import InMemoryGame
from tests.support.engine.positions import due_seat
from tests.support.engine.random_players import random_action
from tests.support.engine.seeded_random import SeededRng
from tests.support.perspectives import ANNA
from tests.support.rulebook_groups import every_rulebook
from webapp.mail.blocks import Paragraph
from webapp.mail.reply_commands import Problem, ProblemKind, parse_commands, resolve, write_command
from webapp.mail.reply_words import Verb
from webapp.mail.sections import MenuLinks, actions_section

HOSTILE_NAMES = ("turned", "D5", "2", "me")
"""Names that players may have, and that are words of commands too."""


def meaning(line: str, view: View, names: tuple[str, ...]) -> Action | Problem:
    [command] = parse_commands([line])
    return resolve(command, view, legal_actions(view), names)


@every_rulebook
def test_every_command_that_is_written_means_its_action(rulebook: str) -> None:
    rng, game = SeededRng(3), InMemoryGame(rulebook, seats=4)
    kinds = set()
    while len(game.log) < 120 and not game.is_over:
        view = view_for(game.state, due_seat(game.state))
        for action in legal_actions(view):
            kinds.add(type(action))
            assert meaning(write_command(action, view), view, HOSTILE_NAMES) == action
        game.play(random_action(game.state, rng))
    assert len(kinds) >= 6


@pytest.fixture(scope="module")
def view() -> View:
    """A turn with every kind of card: a path card, a map, a rockfall, one that breaks and one that repairs."""
    for seed in range(200):
        rng, game = SeededRng(seed), InMemoryGame("en-2004", seats=3)
        while not game.is_over and len(game.log) < 60:
            found = view_for(game.state, due_seat(game.state))
            kinds = {type(action) for action in legal_actions(found)}
            if kinds >= {Lay, Break, Repair, Rockfall, Look, Discard}:
                return found
            game.play(random_action(game.state, rng))
    raise AssertionError


NAMES = ("Alice", "Bob", "Dāvis von Riga")


def first(view: View, kind: type[Action]) -> Action:
    return next(action for action in legal_actions(view) if isinstance(action, kind))


def number_of(view: View, card: str) -> int:
    return view.hand.index(card) + 1


@pytest.mark.parametrize(
    "form",
    [
        "lay {n} {cell}",
        "Lay {n} at {cell}",
        "LAY {n} {cell}!",
        "l {n} {cell}",
        "play {n} on {cell}.",
        "  put   {n}   in {cell}  ",
        "lay card {n} at {lower}",
        "lay #{n} {cell}",
        "lay {code} {cell}",
        "> lay {n} {cell}",
        "dig {n} {split}",
    ],
)
def test_card_is_laid_in_many_spellings(view: View, form: str) -> None:
    lay = next(
        action
        for action in legal_actions(view)
        if isinstance(action, Lay) and not action.turned and action.cell[0] != "-"
    )
    line = form.format(
        n=number_of(view, lay.card),
        cell=lay.cell,
        lower=lay.cell.lower(),
        code=lay.card,
        split=f"{lay.cell[0]} {lay.cell[1:]}",
    )
    assert meaning(line.removeprefix("> "), view, NAMES) == lay


def test_other_cards_are_played_in_many_spellings(view: View) -> None:
    look, rockfall = first(view, Look), first(view, Rockfall)
    assert isinstance(look, Look)
    assert isinstance(rockfall, Rockfall)
    for line in (f"map {look.cell}", f"look at goal {look.cell}", f"m {look.cell.lower()}"):
        assert meaning(line, view, NAMES) == look
    for line in (f"rockfall {rockfall.cell}", f"remove the card at {rockfall.cell}"):
        assert meaning(line, view, NAMES) == rockfall


def test_players_are_named_by_name_by_its_beginning_or_by_seat(view: View) -> None:
    action = first(view, Break)
    assert isinstance(action, Break)
    number, name = number_of(view, action.card), NAMES[action.seat]
    for player in (name, name.upper(), name[:2], f"seat {action.seat + 1}"):
        assert meaning(f"break {number} {player}", view, NAMES) == action


def test_own_tool_is_repaired_with_me(view: View) -> None:
    own_repairs = [
        action
        for action in legal_actions(view)
        if isinstance(action, Repair) and action.seat == view.seat
    ]
    for action in own_repairs:
        assert (
            meaning(f"repair me {action.tool} with {number_of(view, action.card)}", view, NAMES)
            == action
        )


def test_nothing_is_guessed_between_different_actions(view: View) -> None:
    problem = meaning("discard", view, NAMES)
    assert isinstance(problem, Problem)
    assert problem.kind is ProblemKind.SEVERAL
    assert set(problem.actions) == {
        action for action in legal_actions(view) if isinstance(action, Discard)
    }


@pytest.mark.parametrize(
    "line, kind",
    [
        ("lay 1 Q99", ProblemKind.NOT_POSSIBLE),
        ("discard 9", ProblemKind.NOT_POSSIBLE),
        ("discard fish", ProblemKind.UNKNOWN_WORD),
        ("break Nemo", ProblemKind.UNKNOWN_WORD),
        ("gold 3", ProblemKind.NOT_POSSIBLE),
        ("hello there", ProblemKind.NO_COMMAND),
        ("", None),
    ],
)
def test_mistake_has_a_kind(view: View, line: str, kind: ProblemKind | None) -> None:
    commands = parse_commands([line])
    if kind is None:
        assert commands == ()
        return
    problem = resolve(commands[0], view, legal_actions(view), NAMES)
    assert isinstance(problem, Problem)
    assert problem.kind is kind


def test_commands_end_at_the_first_line_that_is_none() -> None:
    lines = ["discard 1", "say good luck; have fun", "Cheers", "discard 2"]
    commands = parse_commands(lines)
    assert [command.typed for command in commands] == lines[:2]
    assert commands[1].verbs == {Verb.SAY}
    assert commands[1].rest == "good luck; have fun"


@pytest.mark.parametrize(
    "commands",
    [
        ["say hi", "discard 1"],
        ["say hi", "lay 2 D5 turned"],
        ["say hi", "l 2 D5"],
        ["say sorry; really", "break 3 Bob"],
        ["say sorry", "repair me cart with 4", "status"],
        ["say bye", "away until 24 Dec"],
        ["say bye", "away until Monday"],
        ["say I'm here", "back"],
        ["say good luck", "pass"],
        ["say hi", "plan discard 2"],
        ["say hi", "plan none"],
        ["say hi", "way turned"],
        ["say hi", "say bye"],
        ["tell them hi", "gold 3"],
    ],
)
def test_semicolon_before_a_complete_command_ends_talk(commands: list[str]) -> None:
    parsed = parse_commands(["; ".join(commands)])
    assert [command.typed for command in parsed] == commands


@pytest.mark.parametrize(
    "line",
    [
        "say good luck; have fun",
        "say bye; back on Monday",
        "say I'm off; away from home",
        "say wait; look at that",
        "say no; pass me the salt",
        "say don't; break",
        "say please; fix my cart, then go",
        "say hm; take 2 of those",
        "say what; ?",
        "say discard 1 then status",
        "say so; h",
        "say a; b; c;",
        "say ;",
    ],
)
def test_other_semicolons_are_part_of_talk(line: str) -> None:
    assert [command.typed for command in parse_commands([line])] == [line]


def test_several_commands_can_be_on_one_line() -> None:
    commands = parse_commands(["discard 1; say hi"])
    assert [command.typed for command in commands] == ["discard 1", "say hi"]
    assert len(parse_commands(["discard 1 then status"])) == 2


@pytest.mark.parametrize("number", ["\u1369", "9" * 480, "-1", "\u4e00"])
def test_seat_that_is_no_usual_number_is_no_player(view: View, number: str) -> None:
    assert isinstance(meaning(f"break seat {number}", view, NAMES), Problem)


def test_example_in_an_email_breaks_no_tool(view: View) -> None:
    card = first(view, Break).card  # type: ignore[attr-defined] # an action with a card
    actions = [each for each in legal_actions(view) if getattr(each, "card", "") == card]
    menu = MenuLinks("https://lodepost.example", "slug", is_answerable=True)
    blocks = actions_section(actions, ANNA, view=view, menu=menu)
    [introduction] = [block.sentences for block in blocks if isinstance(block, Paragraph)]
    assert f"“discard {number_of(view, card)}”" in introduction


@pytest.mark.parametrize("line", ["BR, Bob", "br", "Ro", "Di", "Ta Bob", "Sa"])
def test_ends_of_emails_are_no_shortened_commands(line: str) -> None:
    commands = parse_commands(["status", line])
    assert [command.typed for command in commands] == ["status"]


@pytest.mark.parametrize("line, verb", [("stat", Verb.STATUS), ("h", Verb.HELP), ("un", Verb.UNDO)])
def test_commands_without_words_behind_them_can_be_shortened(line: str, verb: Verb) -> None:
    assert parse_commands([line])[0].verbs == {verb}
