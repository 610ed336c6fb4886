import hashlib
import json
import re

from tests.support.cast import ALICE, BOB, CAROL
from tests.support.factories import (
    confirm_ready,
    fill_with_bots,
    seat_guest,
    sign_in_guests,
    table_settings,
)
from tests.support.factories import open_table as open_for
from tests.support.visitors import Site, open_table
from webapp.kernel import urls
from webapp.play.emails.dealt import DealtContext
from webapp.wording.game_files import grouped_digits


def hashes(page_text: str) -> set[str]:
    return set(re.findall(r"\b[0-9a-f]{64}\b", page_text))


def test_only_commitments_are_shown_before_the_deal(site: Site) -> None:
    alice = site.signed_in(ALICE)
    page = alice.page(urls.fairness(open_table(alice)))
    assert len(hashes(page.text)) == 4
    assert "Nothing is frozen yet" in page.text


def test_frozen_record_matches_the_digest_in_the_emails(site: Site) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL)
    emails = [email for email in site.deliver_emails() if isinstance(email, DealtContext)]
    page = game.visitors[0].page(urls.fairness(game.slug))
    assert all(grouped_digits(email.deal.digest) in page.text for email in emails)
    [record] = re.findall(r"\b[0-9a-f]{130,}\b", page.text)
    assert hashlib.sha256(bytes.fromhex(record)).hexdigest() == emails[0].deal.digest


def test_salts_of_all_players_are_shown(site: Site) -> None:
    alice, bob = sign_in_guests(site.database, ALICE, BOB)
    slug = open_for(site.database, alice, table_settings(seats=3))
    seat_guest(site.database, slug, bob)
    fill_with_bots(site.database, slug, alice)
    confirm_ready(site.database, slug, bob, salt="<b>mine</b> & yours")
    visitor = site.signed_out().with_session(alice.cookie)
    assert "&lt;b&gt;mine&lt;/b&gt; &amp; yours" in visitor.get(urls.fairness(slug)).text
    assert re.search(r"Alice\s+none", visitor.page(urls.fairness(slug)).text)


def test_secrets_stay_closed_while_the_game_runs(site: Site) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL)
    page = game.visitors[0].page(urls.fairness(game.slug))
    assert len(hashes(page.text)) == 4
    assert "They're revealed when the game is over" in page.text


def test_export_of_a_running_game_is_the_viewers_view(site: Site) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL)
    answer = game.visitors[1].get(urls.export(game.slug))
    assert answer.headers["Content-Disposition"] == f'attachment; filename="{game.slug}.json"'
    view = json.loads(answer.text)["view"]
    assert view["seat"] == 1
    assert [role for role in view["roles"] if role] == [view["role"]]
