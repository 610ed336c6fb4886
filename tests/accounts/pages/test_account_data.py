import io
import json
import zipfile
from datetime import timedelta

import pytest

from tests.support.acts import perform_act, site_moderator
from tests.support.cast import ALICE, BOB, CAROL, DAVE
from tests.support.factories import play_to_end, sign_in_guest
from tests.support.html import Page
from tests.support.moderation import execute
from tests.support.seat_offers import offer_seat
from tests.support.transactions import transaction
from tests.support.visitors import Site, Visitor
from webapp.kernel import urls
from webapp.kernel.rights import GameRight
from webapp.moderation.sanctions import SanctionRequest, ref_of_address, sanction_person
from webapp.privacy.queries import own_data


def download(visitor: Visitor) -> zipfile.ZipFile:
    form = visitor.page(urls.account_export()).form(urls.account_export())
    answer = visitor.send(form)
    assert answer.status_code == 200
    assert answer.mimetype == "application/zip"
    assert answer.headers["Cache-Control"] == "no-store"
    return zipfile.ZipFile(io.BytesIO(answer.data))


def test_download_contains_everything_about_the_viewer(site: Site) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL)
    archive = download(game.visitors[0])
    assert archive.testzip() is None
    names = set(archive.namelist())
    assert {"README.txt", "account.json", "sessions.json", f"games/{game.slug}.json"} <= names
    [account] = json.loads(archive.read("account.json"))
    assert (account["address"], account["name"]) == (ALICE.address, ALICE.name)
    [exported_game] = json.loads(archive.read("games.json"))
    assert (exported_game["slug"], exported_game["is_host"], exported_game["seat"]) == (
        game.slug,
        True,
        0,
    )
    readme = archive.read("README.txt").decode()
    assert all(name in readme for name in names - {"README.txt"} if "/" not in name)


def test_download_contains_sanctions_reports_and_former_seats(site: Site) -> None:
    game, mo = site.dealt_game(ALICE, BOB, CAROL), site_moderator(site.database)
    with transaction(site.database, site.clock.now) as tx:
        ref = ref_of_address(tx, BOB.address)
        sanction_request = SanctionRequest("warn", "be kind", "form")
        sanction_person(tx, mo.person, ref, sanction_request)
    form = game.visitors[1].page(urls.new_report(game.slug)).form_named("report")
    game.visitors[1].send(form, seat="0", kind="unfair", complaint="She cheats")
    perform_act(site.database, game.slug, GameRight.OPEN_SEAT, seat=1)
    archive = download(game.visitors[1])
    for name, text in (
        ("sanctions", "be kind"),
        ("reports-sent", "She cheats"),
        ("former-seats", game.slug),
    ):
        [row] = json.loads(archive.read(f"{name}.json"))
        assert text in row.values()


def test_download_contains_what_the_viewer_sent_received_and_did(site: Site) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL)
    dave, alice = sign_in_guest(site.database, DAVE), game.guests[0]
    perform_act(site.database, game.slug, GameRight.PAUSE, by=alice, reason="Bob is ill")
    perform_act(site.database, game.slug, GameRight.OPEN_SEAT, seat=1)
    offer_seat(site.database, game.slug, address=DAVE.address)
    execute(
        site.database,
        "INSERT INTO saved_filter (account_id, name, query)"
        f" VALUES ({alice.person.id}, 'mine', 'q=x')",
    )
    form = game.visitors[0].page(urls.new_club()).form(urls.clubs())
    slug = game.visitors[0].send(form, name="Deep End", visibility="private").location.split("/")[2]
    execute(
        site.database,
        "INSERT INTO club_announcement (club_id, author_id, text, announced_at)"
        f" SELECT id, {alice.person.id}, 'Welcome', created_at FROM club",
    )
    for table, column in (("club_invitation", "club_id"), ("invitation", "game_id")):
        execute(
            site.database,
            f"INSERT INTO {table} ({column}, nonce, token_hash, address, invited_by, invited_at)"
            f" SELECT id, '\\x00', '\\x01', '{DAVE.address.upper()}', {alice.person.id}, now()"
            f" FROM {column.removesuffix('_id')}",
        )
    with transaction(site.database) as tx:
        sent_data, received_data = (own_data.read(tx, guest.person.id) for guest in (alice, dave))
    assert [row["act"] for row in sent_data["moderator-acts"]] == [GameRight.PAUSE]
    assert [row["reason"] for row in sent_data["moderator-acts"]] == ["Bob is ill"]
    assert [row["name"] for row in sent_data["saved-filters"]] == ["mine"]
    assert [row["text"] for row in sent_data["club-announcements"]] == ["Welcome"]
    assert [row["address"] for row in sent_data["club-invitations-sent"]] == [DAVE.address.upper()]
    assert received_data["club-invitations-sent"] == sent_data["club-invitations-received"] == []
    [received_invitation] = received_data["invitations-received"]
    assert (received_invitation["slug"], received_invitation["accepted"]) == (game.slug, False)
    assert [row["slug"] for row in received_data["club-invitations-received"]] == [slug]
    assert [row["slug"] for row in received_data["seats-offered-to-you"]] == [game.slug]


def test_download_contains_no_address_of_others(site: Site) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL)
    site.deliver_emails()
    archive = download(game.visitors[0])
    content = b"".join(archive.read(name) for name in archive.namelist())
    assert ALICE.address.encode() in content
    assert BOB.address.encode() not in content
    assert CAROL.address.encode() not in content


@pytest.mark.parametrize("path", [urls.account_export(), urls.account_deletion()])
def test_dangerous_pages_need_a_fresh_proof_of_identity(site: Site, path: str) -> None:
    alice = site.signed_in(ALICE)
    site.clock.move(timedelta(hours=1))
    for answer in (alice.get(path), alice.post(path, address=ALICE.address)):
        assert (answer.status_code, answer.location) == (303, urls.identity())
    assert alice.page(urls.account_data()).text


def test_account_is_deleted_after_its_address_was_typed(site: Site) -> None:
    alice = site.signed_in(ALICE)
    form = alice.page(urls.account_deletion()).form(urls.account_deletion())
    refused_answer = alice.send(form, address="no")
    assert refused_answer.status_code == 422
    assert "Please type the email address of this account" in refused_answer.text
    answer = alice.send(form, address=ALICE.address)
    assert (answer.status_code, answer.location) == (303, urls.home())
    assert "Your account is deleted" in alice.page(urls.home()).text
    assert alice.get(urls.profile()).status_code == 302


def test_deletion_page_names_the_games_that_are_left(site: Site) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL)
    alice, bob, _ = game.visitors
    assert "Alice's table" in alice.page(urls.account_deletion()).text
    assert alice.post(urls.account_deletion(), address=ALICE.address).status_code == 303
    text = bob.page(urls.game(game.slug)).text
    assert "a former player" in text
    assert "seat open" in text


def test_deleted_player_is_shown_as_a_former_player(site: Site) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL, public=True)
    play_to_end(site.database, game.slug, game.guests)
    alice, bob, _ = game.visitors
    assert alice.post(urls.account_deletion(), address=ALICE.address).status_code == 303
    for path in (urls.game(game.slug), urls.history(game.slug), urls.home(), urls.game(game.slug)):
        page = bob.page(path)
        assert "a former player" in page.text
        assert ALICE.name not in page.text
    assert "a former player" in Page(site.signed_in(DAVE).get(urls.game(game.slug)).text).text


def test_privacy_page_states_what_is_deleted_when(site: Site) -> None:
    text = site.signed_out().page(urls.privacy()).text
    assert "30 days" in text
    assert "180 days" in text
