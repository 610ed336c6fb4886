from datetime import timedelta

import pytest

from tests.support import factories
from tests.support.cast import ALICE, BOB, MALLORY
from tests.support.html import Page
from tests.support.transactions import transaction
from tests.support.visitors import Site, Visitor
from webapp.accounts.emails.sign_in import SignInContext
from webapp.kernel import urls


def sign_in_email(site: Site) -> SignInContext:
    [email] = site.deliver_emails()
    assert isinstance(email, SignInContext)
    return email


def request_sign_in(
    visitor: Visitor, address: str = ALICE.address, return_path: str | None = None
) -> None:
    form = visitor.page(urls.sign_in(return_path=return_path)).form(urls.sign_in())
    answer = visitor.send(form, address=address)
    assert (answer.status_code, answer.location) == (303, urls.sign_in_code())


def is_signed_in(visitor: Visitor) -> bool:
    return visitor.get(urls.profile()).status_code == 200


def test_new_player_signs_in_with_the_code_and_chooses_a_name(site: Site) -> None:
    visitor = site.signed_out()
    request_sign_in(visitor)
    answer = visitor.post(urls.sign_in_code(), code=sign_in_email(site).code)
    assert (answer.status_code, answer.location) == (303, urls.profile())
    page = visitor.page(urls.profile())
    assert ALICE.address in page.text
    answer = visitor.send(page.form(urls.profile()), name="Alice", zone="Europe/Riga")
    assert (answer.status_code, answer.location) == (303, urls.home())
    assert "Welcome, Alice" in visitor.page(urls.home()).text


def test_code_may_contain_spaces(site: Site) -> None:
    visitor = site.signed_out()
    request_sign_in(visitor)
    code = sign_in_email(site).code
    assert visitor.post(urls.sign_in_code(), code=f" {code[:3]} {code[3:]} ").status_code == 303
    assert is_signed_in(visitor)


def test_sign_in_link_signs_in_by_its_button_only(site: Site) -> None:
    visitor = site.signed_out()
    request_sign_in(visitor)
    link = urls.sign_in_link(sign_in_email(site).link_token)
    for _ in range(3):
        page = visitor.page(link)
    assert not is_signed_in(visitor)
    assert visitor.send(page.form(link)).status_code == 303
    assert is_signed_in(visitor)


def test_used_link_redirects_the_player_it_signed_in_and_refuses_others(site: Site) -> None:
    visitor = site.signed_out()
    request_sign_in(visitor)
    link = urls.sign_in_link(sign_in_email(site).link_token)
    visitor.send(visitor.page(link).form(link))
    visitor.post(urls.profile(), name="Alice", language="en", zone="UTC")
    for send_request in (visitor.get, visitor.post):
        answer = send_request(link)
        assert (answer.status_code, answer.location) == (303, urls.home())
        assert "already signed in" in visitor.page(urls.home()).text
    visitor.post(urls.sign_out())
    for other_visitor in (visitor, site.signed_out(), site.signed_in(BOB)):
        answer = other_visitor.get(link)
        assert answer.status_code == 409
        assert "has already been used" in answer.text


def test_signing_in_returns_to_the_requested_page(site: Site) -> None:
    site.signed_in(ALICE)
    visitor = site.signed_out()
    request_sign_in(visitor, return_path=urls.new_game())
    answer = visitor.post(urls.sign_in_code(), code=sign_in_email(site).code)
    assert answer.location == urls.new_game()


@pytest.mark.parametrize(
    "return_path",
    [
        "https://evil.example/",
        "//evil.example",
        "/\\evil.example",
        "javascript:x",
        "/a\nb",
        "/" * 999,
    ],
)
def test_signing_in_never_redirects_to_another_site(site: Site, return_path: str) -> None:
    site.signed_in(ALICE)
    visitor = site.signed_out()
    request_sign_in(visitor, return_path=return_path)
    answer = visitor.post(urls.sign_in_code(), code=sign_in_email(site).code)
    assert answer.location == urls.home()


def test_link_works_once(site: Site) -> None:
    visitor = site.signed_out()
    request_sign_in(visitor)
    link = urls.sign_in_link(sign_in_email(site).link_token)
    visitor.post(link)
    visitor.post(urls.sign_out())
    answer = visitor.get(link)
    assert answer.status_code == 409
    assert visitor.post(link).status_code == 409
    assert not is_signed_in(visitor)


def test_link_expires_after_ten_minutes(site: Site) -> None:
    visitor = site.signed_out()
    request_sign_in(visitor)
    link = urls.sign_in_link(sign_in_email(site).link_token)
    site.clock.move(timedelta(minutes=10, seconds=1))
    answer = visitor.post(link)
    assert answer.status_code == 409
    assert "has expired" in answer.text
    assert not is_signed_in(visitor)


def test_link_asks_for_the_address_in_a_browser_that_did_not_request_it(site: Site) -> None:
    visitor = site.signed_out()
    request_sign_in(visitor)
    link = urls.sign_in_link(sign_in_email(site).link_token)
    other_visitor = site.signed_out()
    answer = other_visitor.get(link)
    assert answer.status_code == 200
    assert "another browser" in answer.text
    assert other_visitor.post(link).status_code == 409
    assert not is_signed_in(other_visitor)
    assert visitor.get(link).status_code == 200


def test_right_code_is_refused_after_five_wrong_ones(site: Site) -> None:
    visitor = site.signed_out()
    request_sign_in(visitor)
    code = sign_in_email(site).code
    wrong_code = "000000" if code != "000000" else "000001"
    shown_text = [visitor.post(urls.sign_in_code(), code=wrong_code).text for _ in range(5)]
    assert "4 tries left" in shown_text[0]
    assert "1 try left" in shown_text[3]
    answer = visitor.post(urls.sign_in_code(), code=code)
    assert answer.status_code == 409
    assert "Too many wrong codes" in answer.text
    assert not is_signed_in(visitor)


def test_address_with_too_many_guesses_can_sign_in_by_link_only(site: Site) -> None:
    for number in range(4):
        with transaction(site.database) as tx:
            factories.request_sign_in_email(tx, ALICE, browser=f"stranger {number}")
            for _ in range(5):
                factories.enter_code(tx, "no code", browser=f"stranger {number}")
    site.deliver_emails()
    visitor = site.signed_out()
    request_sign_in(visitor)
    email = sign_in_email(site)
    answer = visitor.post(urls.sign_in_code(), code=email.code)
    assert answer.status_code == 409
    assert "perhaps from someone else" in answer.text
    assert "The link in the email still works" in answer.text
    assert not Page(answer.text).has_form(urls.sign_in_code()), "no code is asked for in vain"
    link = urls.sign_in_link(email.link_token)
    assert visitor.send(visitor.page(link).form(link)).status_code == 303
    assert is_signed_in(visitor)


def test_last_wrong_code_is_announced_as_the_last_try(site: Site) -> None:
    visitor = site.signed_out()
    request_sign_in(visitor)
    shown_text = [visitor.post(urls.sign_in_code(), code="no code").text for _ in range(5)]
    assert "1 try left" in shown_text[3]
    assert "it was your last try" in shown_text[4]
    assert [Page(text).has_form(urls.sign_in_code()) for text in shown_text[3:]] == [True, False]


def test_answer_is_the_same_with_and_without_an_account(site: Site) -> None:
    site.signed_in(ALICE)
    shown_text = []
    for address in (ALICE.address, "unknown@example.test"):
        visitor = site.signed_out()
        request_sign_in(visitor, address)
        shown_text.append(visitor.page(urls.sign_in_code()).text.replace(address, "X"))
    assert shown_text[0] == shown_text[1]


def use_up_hourly_emails_to_alice(site: Site) -> None:
    with transaction(site.database) as tx:
        for number in range(10):
            factories.request_sign_in_email(tx, ALICE, browser=f"stranger {number}")
    site.deliver_emails()


def test_known_browser_gets_an_email_beyond_the_hourly_limit(site: Site) -> None:
    known_visitor, unknown_visitor = site.newcomer(ALICE), site.signed_out()
    known_visitor.post(urls.sign_out())
    use_up_hourly_emails_to_alice(site)
    request_sign_in(unknown_visitor)
    assert site.deliver_emails() == [], "an unknown browser gets no eleventh email in an hour"
    request_sign_in(known_visitor)
    known_visitor.post(urls.sign_in_code(), code=sign_in_email(site).code)
    assert is_signed_in(known_visitor)


def test_known_browser_of_another_address_gets_no_email_beyond_the_limit(site: Site) -> None:
    bob = site.newcomer(BOB)
    bob.post(urls.sign_out())
    use_up_hourly_emails_to_alice(site)
    request_sign_in(bob, ALICE.address)
    assert site.deliver_emails() == []


def test_refused_address_is_shown_escaped(site: Site) -> None:
    visitor = site.signed_out()
    answer = visitor.post(urls.sign_in(), address='"><script>alert(1)</script>@x')
    assert answer.status_code == 422
    assert "<script>alert" not in answer.text
    assert "like name@example.org" in answer.text
    assert "&lt;script&gt;" in answer.text


@pytest.mark.parametrize(
    "address",
    [
        "",
        "no-address",
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
def test_invalid_address_is_refused_and_gets_no_email(site: Site, address: str) -> None:
    answer = site.signed_out().post(urls.sign_in(), address=address)
    assert answer.status_code == 422
    assert 'aria-invalid="true"' in answer.text
    assert site.deliver_emails() == []


def test_invalid_utf_8_causes_no_server_error(site: Site) -> None:
    visitor = site.signed_out()
    body = f"csrf_token={visitor.token()}&address=%ff%fe%00@x".encode()
    kind = "application/x-www-form-urlencoded"
    assert visitor.client.post(urls.sign_in(), data=body, content_type=kind).status_code == 422
    for path in ("/?%ff=%fe", "/sign-in?return_path=%ff%00", "/games/new?card=%c3%28"):
        assert visitor.get(path).status_code in {200, 302, 303}


def test_empty_code_is_refused_and_costs_no_try(site: Site) -> None:
    visitor = site.signed_out()
    request_sign_in(visitor)
    answer = visitor.post(urls.sign_in_code(), code="  ")
    assert answer.status_code == 422
    assert visitor.post(urls.sign_in_code(), code=sign_in_email(site).code).status_code == 303


def test_code_without_a_request_is_unknown(site: Site) -> None:
    answer = site.signed_out().post(urls.sign_in_code(), code="123456")
    assert answer.status_code == 409
    assert "That link or code doesn" in answer.text


def test_new_session_invalidates_older_csrf_tokens(site: Site) -> None:
    visitor = site.signed_out()
    request_sign_in(visitor)
    old_token = visitor.token()
    visitor.post(urls.sign_in_code(), code=sign_in_email(site).code)
    answer = visitor.client.post(urls.profile(), data={"csrf_token": old_token, "name": "Mallory"})
    assert answer.status_code == 400


def test_signing_out_ends_the_session_on_the_server(site: Site) -> None:
    alice = site.signed_in(ALICE)
    with alice.client.session_transaction() as session:
        cookie = session["token"]
    assert alice.post(urls.sign_out()).status_code == 303
    assert not is_signed_in(site.signed_out().with_session(cookie))


def test_invented_session_token_is_signed_out(site: Site) -> None:
    for cookie in ("", "x", "\x00", "ä" * 500, MALLORY.browser):
        assert not is_signed_in(site.signed_out().with_session(cookie))


def test_sign_in_page_redirects_a_signed_in_player(site: Site) -> None:
    answer = site.signed_in(ALICE).get(urls.sign_in(return_path=urls.new_game()))
    assert (answer.status_code, answer.location) == (302, urls.new_game())
