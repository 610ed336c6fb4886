"""Table talk on the pages: written between turns and with a turn, changed for a while, and read only at the table."""

from datetime import timedelta

import pytest

from tests.support.cast import ALICE, BOB, CAROL, MALLORY
from tests.support.html import Page
from tests.support.moderation import execute
from tests.support.page_robot import discard_form
from tests.support.stored_positions import change_position
from tests.support.visitors import DealtGame, Site, Visitor
from webapp.kernel import urls


def _turns_of_history(visitor: Visitor, slug: str) -> str:
    """Return the text of the history page from its list of turns on."""
    return (
        visitor.page(urls.history(slug))
        .text.partition("Go to the table")[0]
        .rpartition("Everyone")[2]
    )


@pytest.fixture
def game(site: Site) -> DealtGame:
    return site.dealt_game(ALICE, BOB, CAROL, public=True)


def say(visitor: Visitor, slug: str, text: str) -> int:
    """Write to the table with the form of its page; return the status."""
    form = visitor.page(urls.game(slug)).form(urls.messages(slug))
    return visitor.send(form, message=text).status_code


def table_text(visitor: Visitor, slug: str) -> str:
    return visitor.page(urls.game(slug)).text


def test_message_is_shown_to_everyone_at_the_table(game: DealtGame) -> None:
    assert say(game.visitors[1], game.slug, "Who broke my lamp?") == 303
    assert all("Who broke my lamp?" in table_text(visitor, game.slug) for visitor in game.visitors)


def test_message_is_not_shown_to_onlookers_of_a_public_table(site: Site, game: DealtGame) -> None:
    say(game.visitors[1], game.slug, "Who broke my lamp?")
    for onlooker in (site.signed_out(), site.signed_in(MALLORY)):
        assert "Who broke my lamp?" not in table_text(onlooker, game.slug)
        assert "Who broke my lamp?" not in onlooker.page(urls.history(game.slug)).text


def test_onlooker_cannot_write(site: Site, game: DealtGame) -> None:
    mallory = site.signed_in(MALLORY)
    answer = mallory.post(urls.messages(game.slug), message="Hello", form_id="x")
    assert answer.status_code == 409
    assert "Hello" not in table_text(game.visitors[0], game.slug)


def test_message_stands_at_its_place_in_the_history(site: Site, game: DealtGame) -> None:
    say(game.visitors[0], game.slug, "Good luck!")
    game.visitors[0].send(discard_form(game.visitors[0], game.slug))
    say(game.visitors[0], game.slug, "Your turn")
    text = _turns_of_history(game.visitors[2], game.slug)
    places = [text.index(part) for part in ("Turn 1", "Your turn", "The deal", "Good luck!")]
    assert places == sorted(places)
    at_the_deal = game.visitors[2].page(urls.history(game.slug, until=0)).text
    assert "Good luck!" in at_the_deal
    assert "Your turn" not in at_the_deal


def test_message_sent_twice_is_stored_once(game: DealtGame) -> None:
    form = game.visitors[0].page(urls.game(game.slug)).form(urls.messages(game.slug))
    for _ in range(2):
        assert game.visitors[0].send(form, message="Hello there").status_code == 303
    assert table_text(game.visitors[1], game.slug).count("Hello there") == 1


def test_refused_message_keeps_what_was_typed(game: DealtGame) -> None:
    alice, typed = game.visitors[0], "x" * 501
    form = alice.page(urls.game(game.slug)).form(urls.messages(game.slug))
    answer = alice.send(form, message=typed)
    assert answer.status_code == 422
    assert typed in answer.text
    assert "at most 500 characters" in answer.text


def test_message_is_stored_with_its_turn(game: DealtGame) -> None:
    alice = game.visitors[0]
    assert alice.send(discard_form(alice, game.slug), message="Sorry!").status_code == 303
    text = _turns_of_history(game.visitors[1], game.slug)
    assert text.index("Turn 1") < text.index("Sorry!")


def test_message_of_a_refused_turn_is_kept_and_not_sent(game: DealtGame) -> None:
    alice = game.visitors[0]
    form = discard_form(alice, game.slug)
    alice.send(form)
    answer = alice.send(form, message="Sorry!")
    assert answer.status_code == 409
    assert "Sorry!" in answer.text
    assert "Sorry!" not in table_text(game.visitors[1], game.slug)


def test_too_long_message_refuses_its_turn_and_stays_beside_it(game: DealtGame) -> None:
    alice, typed = game.visitors[0], "y" * 501
    answer = alice.send(discard_form(alice, game.slug), message=typed)
    assert answer.status_code == 422
    assert Page(answer.text).form(urls.turns(game.slug)).fields["message"] == typed
    assert "Turn 1" not in alice.page(urls.history(game.slug)).text


def test_markup_and_links_in_a_message_are_plain_text(game: DealtGame) -> None:
    say(game.visitors[0], game.slug, "<b>hi</b> https://example.test/x")
    page = game.visitors[1].get(urls.game(game.slug)).text
    assert "&lt;b&gt;hi&lt;/b&gt;" in page
    assert 'href="https://example.test/x' not in page


def test_invisible_characters_are_refused(game: DealtGame) -> None:
    assert say(game.visitors[0], game.slug, "abc\u202edef") == 422


def test_mentioned_player_is_highlighted(game: DealtGame) -> None:
    say(game.visitors[0], game.slug, "What do you think, @bob?")
    assert 'class="mention mention--me"' in game.visitors[1].get(urls.game(game.slug)).text
    assert 'class="mention"' in game.visitors[2].get(urls.game(game.slug)).text


def test_author_changes_a_message_within_five_minutes(site: Site, game: DealtGame) -> None:
    alice = game.visitors[0]
    say(alice, game.slug, "Bob is a saboteur")
    path = urls.message(game.slug, 1)
    assert alice.send(alice.page(path).form(path), message="Carol is one").status_code == 303
    text = table_text(game.visitors[1], game.slug)
    assert "Carol is one" in text
    assert "edited" in text
    assert "Bob is a saboteur" not in text


def test_author_deletes_a_message_within_five_minutes(game: DealtGame) -> None:
    alice = game.visitors[0]
    say(alice, game.slug, "Bob is a saboteur")
    form = alice.page(urls.message(game.slug, 1)).form(urls.delete_message(game.slug, 1))
    assert alice.send(form).status_code == 303
    assert "Bob is a saboteur" not in table_text(game.visitors[1], game.slug)


@pytest.mark.parametrize("url_of", [urls.message, urls.delete_message])
def test_message_is_fixed_after_five_minutes(site: Site, game: DealtGame, url_of: object) -> None:
    alice = game.visitors[0]
    say(alice, game.slug, "It stays")
    site.clock.move(timedelta(minutes=5, seconds=1))
    assert callable(url_of)
    assert alice.post(url_of(game.slug, 1), message="Other").status_code == 409
    assert "It stays" in table_text(game.visitors[1], game.slug)


@pytest.mark.parametrize("url_of", [urls.message, urls.delete_message])
def test_message_of_another_player_cannot_be_changed(game: DealtGame, url_of: object) -> None:
    say(game.visitors[0], game.slug, "Mine")
    assert callable(url_of)
    assert game.visitors[1].post(url_of(game.slug, 1), message="Other").status_code == 404
    assert "Mine" in table_text(game.visitors[1], game.slug)


def test_talk_never_changes_the_position(game: DealtGame) -> None:
    form = discard_form(game.visitors[0], game.slug)
    say(game.visitors[1], game.slug, "Hurry up")
    assert game.visitors[0].send(form).status_code == 303


def test_number_of_messages_in_an_hour_is_limited(site: Site, game: DealtGame) -> None:
    statuses = [say(game.visitors[0], game.slug, f"message {number}") for number in range(31)]
    assert statuses == [303] * 30 + [409]
    site.clock.move(timedelta(hours=1, seconds=1))
    assert say(game.visitors[0], game.slug, "again") == 303


def _mute_author(visitor: Visitor, slug: str, number: int) -> Page:
    """Mute the author of a message with the button of its page; return the page that follows."""
    form = visitor.page(urls.message(slug, number)).form(urls.mute_author(slug, number))
    answer = visitor.send(form)
    assert (answer.status_code, answer.location) == (303, urls.muted_people())
    return visitor.page(urls.muted_people())


def test_messages_of_a_muted_person_are_hidden_until_they_are_unmuted(game: DealtGame) -> None:
    alice, bob, carol = game.visitors
    say(bob, game.slug, "Who broke my lamp?")
    say(carol, game.slug, "Not me")
    muted_page = _mute_author(alice, game.slug, 1)
    assert "You've muted Bob. They won't know." in muted_page.text
    for text in (table_text(alice, game.slug), alice.page(urls.history(game.slug)).text):
        assert "Not me" in text
        assert "Who broke my lamp?" not in text
    assert alice.get(urls.message(game.slug, 1)).status_code == 404
    [form] = [form for form in muted_page.forms if form.action.startswith(urls.muted_people())]
    assert alice.send(form).status_code == 303
    assert "You haven't muted anyone" in alice.page(urls.muted_people()).text
    assert "Who broke my lamp?" in table_text(alice, game.slug)


def test_muted_person_and_others_read_the_same_as_before(game: DealtGame) -> None:
    alice, bob, carol = game.visitors
    say(bob, game.slug, "Who broke my lamp?")
    earlier_texts = [table_text(visitor, game.slug) for visitor in (bob, carol)]
    _mute_author(alice, game.slug, 1)
    assert [table_text(visitor, game.slug) for visitor in (bob, carol)] == earlier_texts


def test_mute_counts_at_later_tables_too(site: Site, game: DealtGame) -> None:
    say(game.visitors[1], game.slug, "Who broke my lamp?")
    _mute_author(game.visitors[0], game.slug, 1)
    other_game = site.dealt_game(ALICE, BOB, CAROL, seed="another table")
    say(other_game.visitors[1], other_game.slug, "Me again")
    assert "Me again" not in table_text(other_game.visitors[0], other_game.slug)
    assert "Me again" in table_text(other_game.visitors[2], other_game.slug)


def test_only_other_authors_at_the_own_table_can_be_muted(site: Site, game: DealtGame) -> None:
    alice = game.visitors[0]
    say(alice, game.slug, "Hello")
    mallory = site.signed_in(MALLORY)
    for visitor, number in ((alice, 1), (alice, 2), (mallory, 1)):
        assert visitor.post(urls.mute_author(game.slug, number)).status_code == 404
        assert "You haven't muted anyone" in visitor.page(urls.muted_people()).text


def _phrases(visitor: Visitor, slug: str) -> list[str]:
    """Return what the table page offers to say with one press."""
    buttons = visitor.page(urls.game(slug)).form(urls.messages(slug)).buttons
    return [value for name, value in buttons if name == "phrase"]


def test_phrase_is_said_with_one_press_and_once(game: DealtGame) -> None:
    alice = game.visitors[0]
    form = alice.page(urls.game(game.slug)).form(urls.messages(game.slug))
    assert ("phrase", "Nice dig!") in form.buttons
    for _ in range(2):
        answer = alice.send(form, phrase="Nice dig!", message="")
        assert (answer.status_code, answer.location) == (303, f"{urls.game(game.slug)}#talk")
    assert _turns_of_history(game.visitors[1], game.slug).count("Nice dig!") == 1
    alice.send(form, message="I mean it")
    assert "I mean it" in table_text(game.visitors[1], game.slug)


def test_text_that_was_typed_beside_a_phrase_can_still_be_sent(game: DealtGame) -> None:
    alice = game.visitors[0]
    form = alice.page(urls.game(game.slug)).form(urls.messages(game.slug))
    answer = alice.send(form, phrase="Nice dig!", message="but who broke my lamp?")
    assert answer.status_code == 200
    assert "but who broke my lamp?</textarea>" in answer.text
    shown_form = Page(answer.text).form(urls.messages(game.slug))
    assert alice.send(shown_form, message="but who broke my lamp?").status_code == 303
    text = table_text(game.visitors[1], game.slug)
    assert "Nice dig!" in text
    assert "but who broke my lamp?" in text


def test_phrase_is_no_way_around_the_limits_of_talk(site: Site, game: DealtGame) -> None:
    alice = game.visitors[0]
    form = alice.page(urls.game(game.slug)).form(urls.messages(game.slug))
    for phrase in ("x" * 501, "abc\u202edef"):
        assert alice.send(form, phrase=phrase, message="").status_code == 422
    answer = site.signed_in(MALLORY).post(urls.messages(game.slug), phrase="Nice dig!", form_id="x")
    assert answer.status_code == 409
    assert "Nice dig!" not in _turns_of_history(game.visitors[1], game.slug)


def test_repair_is_asked_for_only_while_a_tool_is_broken(site: Site, game: DealtGame) -> None:
    alice, bob, _ = game.visitors
    phrase = "Can someone repair me?"
    assert phrase not in _phrases(alice, game.slug)
    change_position(site, game, broken=(("lantern",), (), ()))
    assert _phrases(alice, game.slug)[0] == phrase
    assert len(_phrases(alice, game.slug)) == 4
    assert phrase not in _phrases(bob, game.slug)


def test_phrases_are_offered_only_where_someone_reads_them(site: Site, game: DealtGame) -> None:
    assert not site.signed_in(MALLORY).page(urls.game(game.slug)).has_form(urls.messages(game.slug))
    alone = site.dealt_game(ALICE, BOB, CAROL, seed="bots")
    execute(
        site.database,
        "UPDATE seat SET account_id = NULL, name = NULL, bot_name = 'Agate', bot_level = 'easy'"
        " WHERE number > 0 AND game_id = (SELECT id FROM game WHERE slug = :slug)",
        slug=alone.slug,
    )
    assert _phrases(alone.visitors[0], alone.slug) == []
