import pytest

from tests.support.cast import ALICE, BOB, CAROL, DAVE, MO
from tests.support.clubs import found_club
from tests.support.factories import DAY, sign_in_guest
from tests.support.moderation import (
    RELAY_ANSWER,
    execute,
    let_deadline_fail,
    make_moderator,
    moderator_of,
    pause,
    put_on_hold,
    set_turn_email_status,
    vacate_seat_on_turn,
)
from tests.support.statements import recorded_statements
from tests.support.transactions import NOON
from tests.support.visitors import Site
from webapp.kernel import urls


@pytest.fixture
def slug(site: Site) -> str:
    return site.dealt_game(ALICE, BOB, CAROL).slug


def test_empty_dashboard_says_that_nothing_is_stuck(site: Site) -> None:
    assert "Nothing is stuck" in moderator_of(site).page(urls.moderation()).text


def test_dashboard_does_not_exist_for_other_people(site: Site) -> None:
    site.signed_in(DAVE).page(urls.moderation(), status=404)
    answer = site.signed_out().get(urls.moderation())
    assert (answer.status_code, answer.location) == (303, urls.sign_in())


def test_player_who_got_the_email_is_not_yet_called_late(site: Site, slug: str) -> None:
    set_turn_email_status(site.database, slug, "sent", at=NOON)
    page = moderator_of(site).page(urls.moderation())
    assert "Email sent" in page.text
    assert "Alice got the email and hasn't played yet" in page.text
    links = [link.href for link in page.links]
    assert urls.moderated_act(slug, "nudge") in links
    assert urls.moderated_act(slug, "extend") in links


def test_bot_on_turn_is_listed_with_the_mark_of_bots(site: Site) -> None:
    site.dealt_game(ALICE, starter=1)
    html = moderator_of(site).get(urls.moderation()).text
    assert "<title>bot</title>" in html.partition("Agate")[2].partition("</p>")[0]


def test_refused_turn_email_is_shown_with_the_answer_of_the_relay(site: Site, slug: str) -> None:
    set_turn_email_status(site.database, slug, "failed", reason=RELAY_ANSWER, at=NOON)
    page = moderator_of(site).page(urls.moderation(state="email"))
    assert "refused the email" in page.text
    assert RELAY_ANSWER in page.text


def test_every_cause_is_found_and_listed_before_games_that_only_wait(site: Site) -> None:
    slugs = [site.dealt_game(ALICE, BOB, CAROL, seed=f"{n}").slug for n in range(7)]
    (
        refused_slug,
        delayed_slug,
        on_hold_slug,
        slug_with_failing_deadline,
        paused_slug,
        empty_seat_slug,
        waiting_slug,
    ) = slugs
    for slug in slugs:
        set_turn_email_status(site.database, slug, "sent", at=NOON)
    set_turn_email_status(site.database, refused_slug, "failed", reason=RELAY_ANSWER, at=NOON)
    set_turn_email_status(site.database, delayed_slug, "pending", reason="451 try later", at=NOON)
    put_on_hold(site.database, on_hold_slug)
    let_deadline_fail(site.database, slug_with_failing_deadline, now=NOON)
    pause(site.database, paused_slug, at=NOON)
    vacate_seat_on_turn(site.database, empty_seat_slug)
    mo = moderator_of(site)
    text = mo.page(urls.moderation()).text
    order = [text.index(slug) for slug in (on_hold_slug, refused_slug, paused_slug, waiting_slug)]
    assert order == sorted(order)
    for words in ("On hold", "Failing", "Not delivered", "Delayed", "Paused", "Empty seat"):
        assert words in text
    stuck_games_text = mo.page(urls.moderation(state="stuck")).text
    assert waiting_slug not in stuck_games_text
    assert all(slug in stuck_games_text for slug in slugs[:-1])


def test_games_of_the_moderator_are_not_listed(site: Site, slug: str) -> None:
    own_slug = site.dealt_game(MO, BOB, CAROL, seed="own")
    make_moderator(site.database, MO)
    page = own_slug.visitors[0].page(urls.moderation())
    assert slug in page.text
    assert own_slug.slug not in page.text


@pytest.mark.parametrize("search", ["bob", "BOB@example.test", "SLUG"])
def test_search_finds_the_games_of_a_name_an_address_and_a_table(
    site: Site, slug: str, search: str
) -> None:
    other = site.dealt_game(ALICE, CAROL, DAVE, seed="other").slug
    mo = moderator_of(site)
    page = mo.page(urls.moderation(search=search.replace("SLUG", slug)))
    assert slug in page.text
    assert other not in page.text
    assert (BOB.address in page.text) == (search != "SLUG")


@pytest.mark.parametrize("search", ["%", "_", "\\", "'", "\x00", "x" * 5000])
def test_hostile_search_finds_nothing(site: Site, slug: str, search: str) -> None:
    page = moderator_of(site).get("/moderation", query_string={"search": search})
    assert page.status_code == 200
    assert (slug in page.text) == (not search.isprintable())


@pytest.mark.parametrize("after", ["", "x", "9-9-9", "0-99999999999999999-a", "3--x", "-1-2-3"])
def test_unreadable_page_position_shows_the_first_page(site: Site, slug: str, after: str) -> None:
    page = moderator_of(site).page(urls.moderation(after=after))
    assert slug in page.text or after == "9-9-9"


@pytest.mark.parametrize("state", ["", "email"])
def test_pages_of_the_dashboard_show_every_game_once(site: Site, state: str) -> None:
    slugs = [site.dealt_game(ALICE, BOB, CAROL, seed=f"{n}").slug for n in range(10)]
    for number, slug in enumerate(slugs[:3]):
        pause(site.database, slug, at=NOON - DAY * number)
    slugs_with_refused_emails = slugs[3:8]
    for slug in slugs_with_refused_emails:
        set_turn_email_status(site.database, slug, "failed", reason=RELAY_ANSWER, at=NOON)
    refuse_next_emails_too(site)
    slug_with_two_causes = slugs[7]
    put_on_hold(site.database, slug_with_two_causes)
    mo = moderator_of(site)
    seen_slugs: list[str] = []
    path = urls.moderation(state=state)
    with pytest.MonkeyPatch.context() as patch:
        from webapp.moderation import dashboard

        patch.setattr(dashboard, "PAGE_SIZE", 2)
        while path:
            page = mo.page(path)
            seen_slugs += [slug for slug in slugs if slug in page.text]
            path = next(
                (link.href for link in page.links_of("button") if link.text == "Next page"), ""
            )
    assert sorted(seen_slugs) == sorted(slugs_with_refused_emails if state else slugs)
    assert state or slug_with_two_causes in seen_slugs[:2]


def refuse_next_emails_too(site: Site) -> None:
    """Let a second email about each turn fail whose first one has failed."""
    execute(
        site.database,
        """
        INSERT INTO notification (kind, game_id, seq, account_id, dedup_key, status, reason, first_due_at, due_at, settled_at)
        SELECT kind, game_id, seq, account_id, dedup_key + 1, status, reason, first_due_at, due_at, settled_at
        FROM notification WHERE kind = 'your-turn' AND status = 'failed'
        """,
    )


@pytest.mark.parametrize(
    "state, after", [("over", "9-9-9"), ("lobby", "6-1-a"), ("stuck", "4-1-a")]
)
def test_page_after_all_games_of_a_state_is_empty(site: Site, state: str, after: str) -> None:
    slug = site.dealt_game(ALICE, BOB, CAROL).slug
    assert slug not in moderator_of(site).page(urls.moderation(state=state, after=after)).text


def test_dashboard_takes_three_statements_and_opens_no_transaction(site: Site, slug: str) -> None:
    mo = moderator_of(site)
    for path in (urls.moderation(), urls.moderation(search="bob", state="stuck")):
        with recorded_statements(site.database) as statements:
            mo.get(path)
        assert len(statements) <= 3
        assert "BEGIN" not in statements


def test_dashboard_filter_is_saved_and_removed(site: Site, slug: str) -> None:
    mo = moderator_of(site)
    page = mo.page(urls.moderation(state="stuck", search="bob"))
    assert mo.send(page.form(urls.saved_filters()), name="Bob stuck").status_code == 303
    page = mo.page(urls.moderation())
    assert "Bob stuck" in page.text
    [removal_form] = [form for form in page.forms if form.action.startswith("/moderation/filters/")]
    mo.send(removal_form)
    assert "Bob stuck" not in mo.page(urls.moderation()).text


def test_dashboard_updates_itself_unless_the_viewer_stops_that(site: Site, slug: str) -> None:
    mo = moderator_of(site)
    assert 'http-equiv="refresh"' in mo.get(urls.moderation()).text
    assert 'http-equiv="refresh"' not in mo.get(urls.moderation(refresh="off")).text


def test_without_scripts_games_are_ticked_only_on_a_page_that_does_not_reload(
    site: Site, slug: str
) -> None:
    mo = moderator_of(site)
    refreshing_text, static_text = (
        mo.get(urls.moderation()).text,
        mo.get(urls.moderation(refresh="off")).text,
    )
    assert refreshing_text.count("data-scripted hidden") == 2
    assert "data-scripted" not in static_text
    for text in (refreshing_text, static_text):
        assert f'value="{slug}:0"' in text
    page = mo.page(urls.moderation(refresh="off", state="waiting"))
    assert urls.moderation(state="waiting") in [link.href for link in page.links]


def test_site_moderator_limits_the_list_to_a_club(site: Site, slug: str) -> None:
    club = found_club(site.database, sign_in_guest(site.database, DAVE))
    other = site.dealt_game(ALICE, BOB, CAROL, seed="other").slug
    statement = "UPDATE game SET club_id = (SELECT id FROM club) WHERE slug = :slug"
    execute(site.database, statement, slug=slug)
    mo = moderator_of(site)
    page = mo.page(urls.moderation())
    assert "Night shift" in page.text
    assert urls.moderation(club=club) in [link.href for link in page.links]
    form = next(form for form in page.forms if "club" in form.fields)
    assert (form.method, form.action) == ("get", urls.moderation())
    page_of_club = mo.page(urls.moderation(club=club))
    assert slug in page_of_club.text
    assert other not in page_of_club.text
    assert urls.statistics() in [link.href for link in page_of_club.links]


def test_emails_that_the_relay_does_not_take_are_counted_on_the_dashboard(site: Site) -> None:
    """As ``lodepost status`` counts them: none of them has been given up yet."""
    site.dealt_game(ALICE, BOB, CAROL)
    execute(
        site.database,
        "UPDATE notification SET delay_cause = 'refused', reason = '451 not today', attempts = 1",
    )
    text = moderator_of(site).page(urls.moderation()).text
    assert "emails wait because the mail server doesn't take them" in text
    assert "Emails refused in an hour 0" not in text
