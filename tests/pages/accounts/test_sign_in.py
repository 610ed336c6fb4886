from datetime import timedelta

import pytest

from tests.support import factories
from tests.support.cast import ALICE, BOB, MALLORY
from tests.support.html import Page
from tests.support.visitors import Site, Visitor
from webapp import urls
from webapp.services.notifications.email_context import SignInContext
from webapp.services.tx import transaction


def the_letter(site: Site) -> SignInContext:
    [letter] = site.deliver_emails()
    assert isinstance(letter, SignInContext)
    return letter


def ask(visitor: Visitor, address: str = ALICE.address, then: str | None = None) -> None:
    answer = visitor.send(visitor.page(urls.sign_in(then)).form(urls.sign_in()), address=address)
    assert (answer.status_code, answer.location) == (303, urls.sign_in_code())


def is_signed_in(visitor: Visitor) -> bool:
    return visitor.get(urls.profile()).status_code == 200


def test_a_newcomer_signs_in_with_the_code_and_is_asked_for_a_name(site: Site) -> None:
    visitor = site.signed_out()
    ask(visitor)
    answer = visitor.post(urls.sign_in_code(), code=the_letter(site).code)
    assert (answer.status_code, answer.location) == (303, urls.profile())
    page = visitor.page(urls.profile())
    assert ALICE.address in page.words
    answer = visitor.send(page.form(urls.profile()), name="Alice", zone="Europe/Riga")
    assert (answer.status_code, answer.location) == (303, urls.home())
    assert "Your account is saved." in visitor.page(urls.home()).words


def test_a_code_may_be_typed_with_the_spaces_it_was_copied_with(site: Site) -> None:
    visitor = site.signed_out()
    ask(visitor)
    code = the_letter(site).code
    answer = visitor.post(urls.sign_in_code(), code=f" {code[:3]} {code[3:]} ")
    assert answer.status_code == 303
    assert is_signed_in(visitor)


def test_opening_the_link_signs_nobody_in_and_pressing_its_button_does(site: Site) -> None:
    visitor = site.signed_out()
    ask(visitor)
    link = urls.sign_in_link(the_letter(site).link_token)
    for _ in range(3):
        page = visitor.page(link)
    assert not is_signed_in(visitor)
    assert visitor.send(page.form(link)).status_code == 303
    assert is_signed_in(visitor)


def test_who_opens_or_presses_the_used_link_again_is_led_on_in_true_words(site: Site) -> None:
    visitor = site.signed_out()
    ask(visitor)
    link = urls.sign_in_link(the_letter(site).link_token)
    visitor.send(visitor.page(link).form(link))
    visitor.post(urls.profile(), name="Alice", language="en", zone="UTC")
    for again in (visitor.get, visitor.post):
        answer = again(link)
        assert (answer.status_code, answer.location) == (303, urls.home())
        assert "You are signed in already" in visitor.page(urls.home()).words
    visitor.post(urls.sign_out())
    for other in (visitor, site.signed_out(), site.signed_in(BOB)):
        answer = other.get(link)
        assert answer.status_code == 409
        assert "was used before" in answer.text


def test_after_signing_in_one_is_where_one_wanted_to_go(site: Site) -> None:
    site.signed_in(ALICE)
    visitor = site.signed_out()
    ask(visitor, then=urls.new_game())
    answer = visitor.post(urls.sign_in_code(), code=the_letter(site).code)
    assert answer.location == urls.new_game()


@pytest.mark.parametrize(
    "then",
    [
        "https://evil.example/",
        "//evil.example",
        "/\\evil.example",
        "javascript:x",
        "/a\nb",
        "/" * 999,
    ],
)
def test_nobody_is_led_away_from_this_site(site: Site, then: str) -> None:
    site.signed_in(ALICE)
    visitor = site.signed_out()
    ask(visitor, then=then)
    answer = visitor.post(urls.sign_in_code(), code=the_letter(site).code)
    assert answer.location == urls.home()


def test_a_link_works_once(site: Site) -> None:
    visitor = site.signed_out()
    ask(visitor)
    link = urls.sign_in_link(the_letter(site).link_token)
    visitor.post(link)
    visitor.post(urls.sign_out())
    answer = visitor.get(link)
    assert answer.status_code == 409
    answer = visitor.post(link)
    assert answer.status_code == 409
    assert not is_signed_in(visitor)


def test_a_link_works_for_ten_minutes(site: Site) -> None:
    visitor = site.signed_out()
    ask(visitor)
    link = urls.sign_in_link(the_letter(site).link_token)
    site.clock.move(timedelta(minutes=10, seconds=1))
    answer = visitor.post(link)
    assert answer.status_code == 409
    assert "too old" in answer.text
    assert not is_signed_in(visitor)


def test_a_link_works_only_in_the_browser_that_asked(site: Site) -> None:
    visitor = site.signed_out()
    ask(visitor)
    link = urls.sign_in_link(the_letter(site).link_token)
    other = site.signed_out()
    answer = other.get(link)
    assert answer.status_code == 409
    assert "another browser" in answer.text
    assert other.post(link).status_code == 409
    assert not is_signed_in(other)
    assert visitor.get(link).status_code == 200


def test_after_five_wrong_codes_the_right_one_is_too_late(site: Site) -> None:
    visitor = site.signed_out()
    ask(visitor)
    code = the_letter(site).code
    wrong = "000000" if code != "000000" else "000001"
    said = [visitor.post(urls.sign_in_code(), code=wrong).text for _ in range(5)]
    assert "4 tries left" in said[0]
    assert "1 try left" in said[3]
    answer = visitor.post(urls.sign_in_code(), code=code)
    assert answer.status_code == 409
    assert "too many wrong codes" in answer.text
    assert not is_signed_in(visitor)


def test_whose_code_a_stranger_guessed_at_is_told_to_use_the_link(site: Site) -> None:
    for number in range(4):
        with transaction(site.database) as tx:
            factories.request_sign_in_email(tx, ALICE, browser=f"stranger {number}")
            for _ in range(5):
                factories.enter_code(tx, "no code", browser=f"stranger {number}")
    site.deliver_emails()
    visitor = site.signed_out()
    ask(visitor)
    letter = the_letter(site)
    answer = visitor.post(urls.sign_in_code(), code=letter.code)
    assert answer.status_code == 409
    assert "perhaps by somebody else" in answer.text
    assert "link still works" in answer.text
    assert not Page(answer.text).has_form(urls.sign_in_code()), "no code is asked for in vain"
    link = urls.sign_in_link(letter.link_token)
    assert visitor.send(visitor.page(link).form(link)).status_code == 303
    assert is_signed_in(visitor)


def test_the_last_wrong_code_is_told_as_the_last(site: Site) -> None:
    visitor = site.signed_out()
    ask(visitor)
    said = [visitor.post(urls.sign_in_code(), code="no code").text for _ in range(5)]
    assert "1 try left" in said[3]
    assert "it was the last try" in said[4]
    assert [Page(text).has_form(urls.sign_in_code()) for text in said[3:]] == [True, False]


def test_the_answer_does_not_tell_whether_there_is_an_account(site: Site) -> None:
    site.signed_in(ALICE)
    said = []
    for address in (ALICE.address, "nobody@example.test"):
        visitor = site.signed_out()
        ask(visitor, address)
        said.append(visitor.page(urls.sign_in_code()).words.replace(address, "X"))
    assert said[0] == said[1]


def use_up_the_letters_to_alice(site: Site) -> None:
    with transaction(site.database) as tx:
        for number in range(10):
            factories.request_sign_in_email(tx, ALICE, browser=f"stranger {number}")
    site.deliver_emails()


def test_nobody_uses_up_the_letters_of_a_browser_that_was_signed_in_before(site: Site) -> None:
    mine, new = site.newcomer(ALICE), site.signed_out()
    mine.post(urls.sign_out())
    use_up_the_letters_to_alice(site)
    ask(new)
    assert site.deliver_emails() == [], "ten letters an hour are enough for strangers"
    ask(mine)
    mine.post(urls.sign_in_code(), code=the_letter(site).code)
    assert is_signed_in(mine)


def test_a_browser_has_no_right_to_the_letters_of_another_address(site: Site) -> None:
    bob = site.newcomer(BOB)
    bob.post(urls.sign_out())
    use_up_the_letters_to_alice(site)
    ask(bob, ALICE.address)
    assert site.deliver_emails() == []


def test_the_address_that_was_typed_is_shown_escaped(site: Site) -> None:
    visitor = site.signed_out()
    answer = visitor.post(urls.sign_in(), address='"><script>alert(1)</script>@x')
    assert answer.status_code == 422
    assert "<script>alert" not in answer.text
    assert "should look like name@example.org" in answer.text
    assert "&lt;script&gt;" in answer.text


@pytest.mark.parametrize(
    "address",
    [
        "",
        "nobody",
        "a@b@c.test",
        "alice@example.test\r\nBcc: all@example.test",
        "alice@example.test\nX: y",
        "alice@exa\x00mple.test",
        "al\ud7ffice\x1b@example.test",
        "x" * 300 + "@example.test",
        "Alice <alice@example.test>",
        "alice@example.test, bob@example.test",
    ],
)
def test_what_is_no_address_gets_no_letter(site: Site, address: str) -> None:
    answer = site.signed_out().post(urls.sign_in(), address=address)
    assert answer.status_code == 422
    assert 'aria-invalid="true"' in answer.text
    assert site.deliver_emails() == []


def test_broken_utf_8_is_no_fault_of_the_server(site: Site) -> None:
    visitor = site.signed_out()
    body = f"csrf_token={visitor.token()}&address=%ff%fe%00@x".encode()
    kind = "application/x-www-form-urlencoded"
    assert visitor.client.post(urls.sign_in(), data=body, content_type=kind).status_code == 422
    for path in ("/?%ff=%fe", "/sign-in?then=%ff%00", "/games/new?card=%c3%28"):
        assert visitor.get(path).status_code in {200, 302, 303}


def test_an_empty_code_is_asked_for_again_and_costs_no_try(site: Site) -> None:
    visitor = site.signed_out()
    ask(visitor)
    answer = visitor.post(urls.sign_in_code(), code="  ")
    assert answer.status_code == 422
    assert visitor.post(urls.sign_in_code(), code=the_letter(site).code).status_code == 303


def test_a_code_without_asking_is_unknown(site: Site) -> None:
    answer = site.signed_out().post(urls.sign_in_code(), code="123456")
    assert answer.status_code == 409
    assert "not known here" in answer.text


def test_a_new_session_has_new_marks_for_its_forms(site: Site) -> None:
    visitor = site.signed_out()
    ask(visitor)
    before = visitor.token()
    visitor.post(urls.sign_in_code(), code=the_letter(site).code)
    answer = visitor.client.post(urls.profile(), data={"csrf_token": before, "name": "Mallory"})
    assert answer.status_code == 400


def test_signing_out_ends_the_session_on_the_server(site: Site) -> None:
    alice = site.signed_in(ALICE)
    with alice.client.session_transaction() as session:
        cookie = session["token"]
    assert alice.post(urls.sign_out()).status_code == 303
    assert not is_signed_in(site.signed_out().with_session(cookie))


def test_a_session_that_was_made_up_is_nobody(site: Site) -> None:
    for cookie in ("", "x", "\x00", "ä" * 500, MALLORY.browser):
        assert not is_signed_in(site.signed_out().with_session(cookie))


def test_who_is_signed_in_need_not_sign_in(site: Site) -> None:
    answer = site.signed_in(ALICE).get(urls.sign_in(urls.new_game()))
    assert (answer.status_code, answer.location) == (302, urls.new_game())
