"""Private notes and marks on the pages: saved, kept when a form is out of date, and shown to no one but their owner."""

import pytest

from tests.browser.table_states import finished_game, game_after_a_round
from tests.support.cast import ALICE, BOB, CAROL, DAVE
from tests.support.html import Page
from tests.support.transactions import transaction
from tests.support.visitors import DealtGame, Site, Visitor
from webapp.kernel import urls
from webapp.play.access import game_for
from webapp.play.talk.private_notes import private_notes, save_note
from webapp.privacy.deletion import delete_account
from webapp.privacy.queries import own_data

MANY_LINES = "Bob digs north.\n\nCarol has the map."


@pytest.fixture
def game(site: Site) -> DealtGame:
    return site.dealt_game(ALICE, BOB, CAROL, public=True)


def save(visitor: Visitor, slug: str, text: str) -> int:
    """Save a note with the form of the table page; return the status."""
    form = visitor.page(urls.game(slug)).form(urls.notes(slug))
    return visitor.send(form, note=text).status_code


def shown_note(visitor: Visitor, slug: str) -> str:
    """Return the stored note, from the page's source: a text area is no visible text."""
    source = visitor.get(urls.game(slug)).text
    return source.partition('id="note"')[2].partition(">")[2].partition("<")[0].strip()


def mark(visitor: Visitor, slug: str, choice: str, **changed_fields: str) -> int:
    """Press the button of a mark, which a page may not have; return the status."""
    form = visitor.page(urls.game(slug)).form(urls.notes(slug))
    return visitor.send(
        form, note=shown_note(visitor, slug), mark=choice, **changed_fields
    ).status_code


def pressed_marks(visitor: Visitor, slug: str) -> list[str]:
    """Return the values of the buttons that are pressed."""
    source = visitor.get(urls.game(slug)).text
    buttons = [part.partition("</button>")[0] for part in source.split("<button")[1:]]
    return [
        button.partition('value="')[2].partition('"')[0]
        for button in buttons
        if 'aria-pressed="true"' in button
    ]


def test_note_is_saved_with_its_lines(game: DealtGame) -> None:
    alice = game.visitors[0]
    assert save(alice, game.slug, MANY_LINES) == 303
    assert shown_note(alice, game.slug) == MANY_LINES
    assert save(alice, game.slug, "") == 303
    assert shown_note(alice, game.slug) == ""


def test_same_note_saved_twice_is_fine(game: DealtGame) -> None:
    alice = game.visitors[0]
    form = alice.page(urls.game(game.slug)).form(urls.notes(game.slug))
    assert [alice.send(form, note="North").status_code for _ in range(2)] == [303, 303]


@pytest.mark.parametrize("old", ["", "South"])
def test_same_note_saved_twice_at_once_is_fine(site: Site, game: DealtGame, old: str) -> None:
    alice, now = game.guests[0].person, site.clock.now
    save(game.visitors[0], game.slug, old)
    with transaction(site.database, now) as slow_tx:
        access = game_for(slow_tx, game.slug, alice)
        notes = private_notes(access)
        assert notes is not None
        version = notes.version
        with transaction(site.database, now) as fast_tx:
            fast_access = game_for(fast_tx, game.slug, alice)
            save_note(fast_tx, fast_access, "North", replaced_version=version)
        save_note(slow_tx, access, "North", replaced_version=version)
    assert shown_note(game.visitors[0], game.slug) == "North"


@pytest.mark.parametrize("typed", ["x" * 2001, "abc\u202edef"])
def test_refused_note_keeps_what_was_typed(game: DealtGame, typed: str) -> None:
    alice = game.visitors[0]
    form = alice.page(urls.game(game.slug)).form(urls.notes(game.slug))
    answer = alice.send(form, note=typed)
    assert answer.status_code == 422
    assert typed in answer.text
    assert shown_note(alice, game.slug) == ""


def test_stale_note_loses_neither_text(game: DealtGame) -> None:
    alice = game.visitors[0]
    stale_form = alice.page(urls.game(game.slug)).form(urls.notes(game.slug))
    save(alice, game.slug, "From the phone")
    answer = alice.send(stale_form, note="From the laptop")
    assert answer.status_code == 409
    assert "From the phone" in answer.text
    assert "From the laptop" in answer.text
    assert shown_note(alice, game.slug) == "From the phone"
    form = Page(answer.text).form(urls.notes(game.slug))
    assert alice.send(form, note="From both").status_code == 303
    assert shown_note(alice, game.slug) == "From both"


def test_note_of_an_expired_page_is_shown_again(game: DealtGame) -> None:
    alice = game.visitors[0]
    form = alice.page(urls.game(game.slug)).form(urls.notes(game.slug))
    answer = alice.send(form, note="Still here", csrf_token="forged")
    assert answer.status_code == 400
    assert "Still here" in answer.text


def test_mark_is_changed_by_one_press(game: DealtGame) -> None:
    alice = game.visitors[0]
    assert mark(alice, game.slug, "1 suspect") == 303
    assert mark(alice, game.slug, "2 trust") == 303
    # A pressed button removes its mark.
    assert pressed_marks(alice, game.slug) == ["1 none", "2 none"]
    assert "You suspect them" in alice.get(urls.game(game.slug)).text
    assert mark(alice, game.slug, "1 none") == 303
    assert pressed_marks(alice, game.slug) == ["2 none"]
    assert "You suspect them" not in alice.get(urls.game(game.slug)).text


def test_mark_saves_what_is_typed_in_the_note(game: DealtGame) -> None:
    alice = game.visitors[0]
    form = alice.page(urls.game(game.slug)).form(urls.notes(game.slug))
    assert alice.send(form, note="North", mark="1 suspect").status_code == 303
    assert shown_note(alice, game.slug) == "North"


def test_bots_can_be_marked(site: Site) -> None:
    game = site.dealt_game(ALICE)
    assert mark(game.visitors[0], game.slug, "2 suspect") == 303
    assert pressed_marks(game.visitors[0], game.slug) == ["2 none"]


@pytest.mark.parametrize("choice", ["0 suspect", "3 suspect", "1 unsure", "x"])
def test_impossible_marks_are_refused(game: DealtGame, choice: str) -> None:
    assert mark(game.visitors[0], game.slug, choice) in {404, 422}
    assert pressed_marks(game.visitors[0], game.slug) == []


def test_mark_of_another_round_is_refused(game: DealtGame) -> None:
    assert mark(game.visitors[0], game.slug, "1 suspect", round="2") == 409
    assert pressed_marks(game.visitors[0], game.slug) == []


def test_new_round_keeps_the_note_and_begins_without_marks(site: Site) -> None:
    game = game_after_a_round(site, prepare=_note_and_mark)
    alice = game.visitors[0]
    assert shown_note(alice, game.slug) == "North"
    assert pressed_marks(alice, game.slug) == []


def _note_and_mark(game: DealtGame) -> None:
    save(game.visitors[0], game.slug, "North")
    mark(game.visitors[0], game.slug, "1 suspect")


def test_onlooker_has_no_notes(site: Site, game: DealtGame) -> None:
    dave = site.signed_in(DAVE)
    page = dave.page(urls.game(game.slug))
    assert not page.has_form(urls.notes(game.slug))
    for fields in ({"note": "x"}, {"mark": "1 suspect", "round": "1"}):
        assert dave.post(urls.notes(game.slug), **fields).status_code == 409


def test_marks_are_beside_the_truth_at_the_end(site: Site) -> None:
    game = finished_game(site, prepare=_note_and_mark)
    page = game.visitors[0].page(urls.game(game.slug))
    assert "You suspected Bob: saboteur in round 1." in page.text
    assert "right" in page.text.partition("saboteur in round 1.")[2][:8]
    assert shown_note(game.visitors[0], game.slug) == "North"
    assert mark(game.visitors[0], game.slug, "1 trust") == 409
    assert save(game.visitors[0], game.slug, "North it was") == 303
    for other in (*game.visitors[1:], site.signed_out()):
        assert "What you thought" not in other.get(urls.game(game.slug)).text.partition("North")[2]
        assert "You suspected" not in other.get(urls.game(game.slug)).text


def test_note_and_marks_change_no_turn_send_no_email_and_wake_no_poll(
    site: Site, game: DealtGame
) -> None:
    alice = game.visitors[0]
    site.deliver_emails()
    version = alice.get(urls.page_version(game.slug)).headers["ETag"]
    _note_and_mark(game)
    assert alice.get(urls.page_version(game.slug)).headers["ETag"] == version
    assert "Turn 1" not in alice.page(urls.history(game.slug)).text
    assert site.deliver_emails() == []


def test_download_has_the_notes_of_its_owner_alone(site: Site, game: DealtGame) -> None:
    _note_and_mark(game)
    with transaction(site.database) as tx:
        own = own_data.read(tx, game.guests[0].person.id)
        others = own_data.read(tx, game.guests[1].person.id)
    assert [row["text"] for row in own["notes"]] == ["North"]
    assert [(row["seat"], row["suspicion"]) for row in own["suspicions"]] == [(1, "suspect")]
    assert (others["notes"], others["suspicions"]) == ([], [])


def test_deleted_account_leaves_no_note_and_no_mark(site: Site, game: DealtGame) -> None:
    _note_and_mark(game)
    with transaction(site.database) as tx:
        delete_account(tx, game.guests[0].person, typed_address=ALICE.address)
        remaining = own_data.read(tx, game.guests[0].person.id)
    assert (remaining["notes"], remaining["suspicions"]) == ([], [])
