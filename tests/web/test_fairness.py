import hashlib
import json
import re

from tests.cast import ALICE, BOB, CAROL
from tests.web.visiting import Door, open_table
from webapp import urls
from webapp.services.digests import DealtDigest


def hashes(words: str) -> set[str]:
    return set(re.findall(r"\b[0-9a-f]{64}\b", words))


def test_the_commitments_stand_before_the_deal_and_nothing_else(door: Door) -> None:
    alice = door.signed_in(ALICE)
    page = alice.page(urls.fairness(open_table(alice)))
    assert len(hashes(page.words)) == 4
    assert "Nothing is frozen yet" in page.words


def test_the_frozen_record_is_the_one_in_the_letters(door: Door) -> None:
    game = door.seated(ALICE, BOB, CAROL)
    letters = [letter for letter in door.letters() if isinstance(letter, DealtDigest)]
    page = game.visitors[0].page(urls.fairness(game.slug))
    assert {letter.record_digest for letter in letters} < hashes(page.words)
    [record] = re.findall(r"\b[0-9a-f]{130,}\b", page.words)
    assert hashlib.sha256(bytes.fromhex(record)).hexdigest() == letters[0].record_digest


def test_no_secret_is_opened_while_the_game_runs(door: Door) -> None:
    game = door.seated(ALICE, BOB, CAROL)
    page = game.visitors[0].page(urls.fairness(game.slug))
    assert len(hashes(page.words)) == 5
    assert "They are opened when the game is over" in page.words


def test_the_export_of_a_running_game_is_what_its_reader_may_know(door: Door) -> None:
    game = door.seated(ALICE, BOB, CAROL)
    answer = game.visitors[1].get(urls.export(game.slug))
    assert answer.headers["Content-Disposition"] == f'attachment; filename="{game.slug}.json"'
    view = json.loads(answer.text)["view"]
    assert view["seat"] == 1
    assert [role for role in view["roles"] if role] == [view["role"]]
