from tests.support.visitors import Site
from webapp.kernel import urls
from webapp.kernel.i18n import language_for
from webapp.kernel.rights import ClubRight, GameRight, SiteRight
from webapp.site.pages.rights import right_sentence

ENGLISH = language_for("en")


def test_page_lists_every_right_that_the_server_checks(site: Site) -> None:
    page = site.signed_out().page(urls.rights())
    for right in (*GameRight, *ClubRight, *SiteRight):
        assert right_sentence(right, ENGLISH) in page.text


def test_host_is_not_named_in_the_column_of_public_tables(site: Site) -> None:
    html = site.signed_out().get(urls.rights()).text
    row = html.split("Pause the game", 1)[1].split("</tr>", 1)[0]
    private_cell, _, public_cell = row.split("<td>")[1:]
    assert "The host" in private_cell
    assert "The host" not in public_cell
