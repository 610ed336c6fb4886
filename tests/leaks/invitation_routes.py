"""The routes of invitations to tables, and how their paths and forms are listed for the crawl."""

from tests.leaks.account_routes import ListForms, ListPaths, same_forms
from tests.leaks.observed_site import ObservedSite
from tests.support.visitors import table_link
from webapp.kernel import urls


def _invitation_urls(observed_site: ObservedSite) -> list[str]:
    """Return the table link, which the people at the table share, and an invented link."""
    return [urls.invitation(_table_link_token(observed_site)), urls.invitation("none-such")]


def _invited_name_urls(observed_site: ObservedSite) -> list[str]:
    """Return the page for a name behind the same links."""
    return [f"{url}/name" for url in _invitation_urls(observed_site)]


def _table_link_token(observed_site: ObservedSite) -> str:
    bob_visitor = ObservedSite.visitor(observed_site).with_session(
        observed_site.seed_data.seated_guests[1].cookie
    )
    return table_link(bob_visitor, observed_site.seed_data.lobby_slug)


INVITATION_PATHS: dict[str, ListPaths] = {
    "invitation.accept_invitation": _invitation_urls,
    "invitation.show_invitation": _invitation_urls,
    "invitation.show_name_form": _invited_name_urls,
    "invitation.take_named_seat": _invited_name_urls,
}
INVITATION_FORMS: dict[str, ListForms] = {
    "invitation.accept_invitation": same_forms({"seat": "9"}),
    # A name that no one may have: no one takes the seat.
    "invitation.take_named_seat": same_forms({"name": "a\u202eb"}),
}
