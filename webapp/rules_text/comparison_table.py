"""A comparison of the rulebooks, one question for every switch."""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

from engine.rulebook import Rulebook
from engine.rulebooks.catalogue import RULEBOOKS
from webapp.kernel.i18n import N_, Language
from webapp.wording.tables import rulebook_name


class Answer(NamedTuple):
    text: str
    is_unusual: bool
    """Whether at least half of the rulebooks agree on another answer."""


class Row(NamedTuple):
    """One question and the answer of each rulebook, in the order of the columns."""

    rules: tuple[str, ...]
    question: str
    answers: tuple[Answer, ...]


class Column(NamedTuple):
    key: str
    name: str


class Comparison(NamedTuple):
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]


class _Question(NamedTuple):
    rules: str
    text: str
    answer: Callable[[Rulebook], str]


def _next_starter_answer(book: Rulebook) -> str:
    if book.next_starter == "left-of-first-starter":
        return N_("left of the player who started round one")
    if book.pass_with_empty_hand:
        return N_("left of the player who revealed the treasure or completed the circle of passes")
    return N_("the player to the left of the one who had the last turn")


_YES_NO: Final = {True: N_("yes"), False: N_("no")}
_QUESTIONS: Final = (
    _Question(
        "R13 R25",
        N_("Must path cards connect to the start?"),
        lambda book: _YES_NO[book.continue_path],
    ),
    _Question(
        "R14",
        N_("Can a path card build on from a revealed stone alone?"),
        lambda book: _YES_NO[book.build_from_goal_alone],
    ),
    _Question(
        "R28",
        N_("One card reaches several goals: which are revealed?"),
        lambda book: (
            N_("all of them") if book.reveal_all_goals else N_("one, chosen by the player")
        ),
    ),
    _Question(
        "R32",
        N_("When does a round end without treasure?"),
        lambda book: (
            N_("deck empty and a full circle of passes")
            if book.circle_of_passes
            else N_("deck and all hands empty")
        ),
    ),
    _Question(
        "R12",
        N_("Are the missing passes still made when the deck and all hands are empty?"),
        lambda book: (
            N_("yes, automatically") if book.pass_with_empty_hand else N_("no, the round is over")
        ),
    ),
    _Question(
        "R35",
        N_("What must happen to the treasure for the gold-diggers to win?"),
        lambda book: (
            N_("it must be revealed") if book.treasure_must_be_turned else N_("it must be reached")
        ),
    ),
    _Question(
        "R36",
        N_("How many gold cards are drawn for the gold-diggers?"),
        lambda book: (
            N_("one for each gold-digger") if book.gold_per_digger else N_("one for each player")
        ),
    ),
    _Question(
        "R37",
        N_("And with ten players?"),
        lambda book: N_("nine") if book.nine_gold_cards_for_ten else N_("no exception"),
    ),
    _Question(
        "R40",
        N_("Are the remaining gold cards passed round again?"),
        lambda book: (
            N_("yes, until none are left")
            if book.leftovers_go_round
            else N_("no, exactly one each")
        ),
    ),
    _Question(
        "R6",
        N_("Who starts round one?"),
        lambda book: {
            "youngest": N_("the youngest"),
            "agreed": N_("the player the table agrees on"),
            "anyone": N_("anyone: it doesn't matter"),
        }[book.first_starter],
    ),
    _Question(
        "R49",
        N_("Who starts the next rounds?"),
        _next_starter_answer,
    ),
    _Question(
        "R46",
        N_("Does won gold stay secret to the end?"),
        lambda book: {
            "must": N_("it must"),
            "should": N_("it should"),
            "recommended": N_("it's recommended, but the table may choose"),
            "table-may-choose": N_("not settled; here the table may choose"),
        }[book.gold_secrecy],
    ),
)


def comparison(language: Language) -> Comparison:
    """Return all rulebooks side by side, one row for every switch."""
    columns = tuple(Column(key, rulebook_name(key, language)) for key in RULEBOOKS)
    return Comparison(
        columns, tuple(_comparison_row(question, language) for question in _QUESTIONS)
    )


def _comparison_row(question: _Question, language: Language) -> Row:
    answers = [question.answer(book) for book in RULEBOOKS.values()]
    return Row(
        tuple(question.rules.split()),
        language.gettext(question.text),
        tuple(_flag_unusual_answers(answers, language)),
    )


def _flag_unusual_answers(answers: list[str], language: Language) -> Iterable[Answer]:
    ((usual_answer, count),) = Counter(answers).most_common(1)
    has_usual_answer = count * 2 >= len(answers)
    for answer in answers:
        is_unusual = (
            has_usual_answer and answer != usual_answer and answers.count(answer) * 2 < len(answers)
        )
        yield Answer(language.gettext(answer), is_unusual)
