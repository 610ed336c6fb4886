"""No part of a response (text, attribute, picture, header, length) depends on what its reader may not know."""

import re
from collections.abc import Iterator

import pytest

from engine.rulebook import HouseRules
from engine.rulebooks.catalogue import RULEBOOKS
from engine.state import GoldChoice
from tests.leaks.seed_data import note_of, write_note
from tests.leaks.stored_game_pairs import (
    SEATED_CHARACTERS,
    GamePair,
    find_game,
    game_pair,
    random_game,
    response_text,
)
from tests.support.cast import MALLORY, MO
from tests.support.html import Page
from tests.support.moderation import make_moderator
from tests.support.statements import observed_statements
from tests.support.visitors import Site, Visitor
from webapp.kernel import urls


def paths_of(slug: str, seq: int) -> list[str]:
    """Return the path of every page about a game in progress."""
    steps = {0, seq // 3, seq // 2, max(0, seq - 1), seq}
    return [
        urls.game(slug),
        urls.game(slug, card="map", cell="I5"),
        urls.choice(slug, card="map", cell="I5"),
        urls.page_version(slug),
        urls.fairness(slug),
        urls.deadlines(slug),
        *(urls.deadline(slug, step) for step in sorted(steps)),
        urls.export(slug),
        urls.home(),
        urls.next_game(),
        urls.history(slug),
        *(urls.history(slug, until=step) for step in sorted(steps)),
        *(urls.history(slug, seat=seat) for seat in range(4)),
        *(urls.round_result(slug, number) for number in (1, 2, 3)),
    ]


def responses_to(visitor: Visitor, slug: str, seq: int) -> Iterator[tuple[str, str]]:
    """Yield path and response of every page, and of those that the table page links to."""
    for path in paths_of(slug, seq):
        yield path, response_text(visitor.get(path))
    links = Page(visitor.get(urls.game(slug)).text).links
    for path in sorted({link.href.partition("#")[0] for link in links}):
        if path.startswith(urls.game(slug) + "?"):
            yield path, response_text(visitor.get(path))


def responses_in_both_games(
    pair: GamePair, *, until_turn: int | None = None
) -> list[dict[str, str]]:
    last_turn = pair.turn_count if until_turn is None else until_turn
    return [
        dict(responses_to(pair.visitor, pair.slug, last_turn))
        for _ in pair.play_both(until_turn=until_turn)
    ]


@pytest.mark.parametrize("rulebook", RULEBOOKS)
@pytest.mark.parametrize("observer", [None, 0])
def test_pages_are_the_same_in_game_and_counterfactual(
    site: Site, rulebook: str, observer: int | None
) -> None:
    pair = game_pair(site, random_game(rulebook, 7 + (observer or 0)), observer=observer)
    assert pair.actual.states[-1] != pair.counterfactual.states[-1]
    actual, counterfactual = responses_in_both_games(pair)
    assert actual.keys() == counterfactual.keys()
    for path, response in actual.items():
        assert response == counterfactual[path], path


@pytest.mark.parametrize("observer", [None, 0, 1, 2, 3])
def test_pages_are_the_same_in_both_games_while_gold_is_picked(
    site: Site, observer: int | None
) -> None:
    played_game, step = find_game("uk-2017", lambda state: isinstance(state.choice, GoldChoice))
    actual, counterfactual = responses_in_both_games(
        game_pair(site, played_game, observer=observer), until_turn=step
    )
    assert actual == counterfactual


@pytest.mark.parametrize("observer", [None, 1])
def test_house_rule_open_gold_reveals_nothing_but_gold(site: Site, observer: int | None) -> None:
    played_game = random_game("en-2004", 5, house=HouseRules(open_gold=True, rounds=2))
    actual, counterfactual = responses_in_both_games(
        game_pair(site, played_game, observer=observer)
    )
    assert actual == counterfactual


def test_pages_of_another_seat_differ_in_the_counterfactual(site: Site) -> None:
    """If both games were the same, or the comparison ignored differences, the tests above could not fail."""
    pair = game_pair(site, random_game("en-2004", 3), observer=0)
    actual, counterfactual = responses_in_both_games(pair._replace(visitor=pair.dealt.visitors[1]))
    assert [path for path in actual if actual[path] != counterfactual[path]]


def test_notes_and_marks_change_no_page_of_anyone_else(site: Site) -> None:
    game = site.dealt_game(*SEATED_CHARACTERS, public=True)
    make_moderator(site.database, MO)
    others = [*game.visitors[1:], site.signed_in(MALLORY), site.signed_in(MO), site.signed_out()]
    paths = [*paths_of(game.slug, 0), urls.players(game.slug), urls.moderated_game(game.slug)]

    def responses() -> list[list[str]]:
        return [[response_text(other.get(path)) for path in paths] for other in others]

    # The first time a browser gets its cookie, and then what its last page has left for the next one.
    responses()
    without = responses()
    write_note(site.database, game.slug, game.guests[0], 0)
    assert note_of(0) in game.visitors[0].get(urls.game(game.slug)).text
    assert responses() == without


def test_pages_execute_the_same_statements_in_both_games(site: Site) -> None:
    pair = game_pair(site, random_game("et-2007", 11), observer=2)
    executed_statements: list[str] = []

    def record(statement: str, _: object) -> None:
        executed_statements.append(statement)

    statements = []
    with observed_statements(site.database.read_only_engine, record):
        for _ in pair.play_both():
            executed_statements.clear()
            for path in paths_of(pair.slug, pair.turn_count):
                pair.visitor.get(path)
            statements.append(tuple(executed_statements))
    assert statements[0] == statements[1] != ()


def test_history_page_shows_what_its_reader_knew_at_that_turn(site: Site) -> None:
    """Goals and roles revealed later belong to later turns: the page of a turn is as it was when that turn was the last."""
    played_game, turn_count = find_game("lv-2009", lambda state: state.round > 1)
    pair, later_turns = game_pair(site, played_game, observer=0), range(0, turn_count, 9)
    pair.store(pair.actual)
    pages = [history_words(pair.visitor, pair.slug, step) for step in later_turns]
    for step, page in zip(later_turns, pages, strict=True):
        pair.store(pair.actual, until_turn=step)
        assert history_words(pair.visitor, pair.slug, step) == page


def history_words(visitor: Visitor, slug: str, step: int) -> list[str]:
    """Return the words of the history page of a turn, without the header and the links to other turns and rounds."""
    text = visitor.page(urls.history(slug, until=step)).text.partition("History:")[2]
    text = re.sub(r"(?<= Turns ).*?(?=Show the turns)", "", text, count=1)
    text = text.replace("Newest turns", "", 1)
    return [word for word in text.split() if word not in {"Next", "Latest", "turn"}]
