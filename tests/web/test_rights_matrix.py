"""Every route of the app answers everyone as ``rights_matrix.txt`` says: visitors, strangers, players, moderators."""

import pytest
from werkzeug.wrappers import Response

from tests.support.roll_back_commits import roll_back_commits
from tests.support.visitors import Site
from tests.web.populated_site import PERSONAS, PopulatedSite, populate_site
from tests.web.rights_routes import Route, lines_of_matrix, routes_of
from tests.web.valid_forms import FORMS
from webapp.kernel import urls

_PART_COUNT = 4
"""So that several processes share the routes."""


def answer_of(response: Response, method: str) -> str:
    """Return what a response is, in the words of the matrix."""
    if 300 <= response.status_code < 400:
        if (response.location or "").partition("?")[0].endswith(urls.sign_in()):
            return "sign-in"
        return "done" if method == "POST" else "moved"
    return {200: "page", 401: "sign-in", 404: "none"}.get(response.status_code, "refused")


def answers_at(site: Site, populated_site: PopulatedSite, route: Route) -> tuple[str, ...]:
    """Return the answer for each persona; what one of them changes is undone for the next."""
    return tuple(_answer_for(site, populated_site, route, persona) for persona in PERSONAS)


def _answer_for(site: Site, populated_site: PopulatedSite, route: Route, persona: str) -> str:
    browser = populated_site.browsers[persona]
    fields = FORMS.get(route.name) or FORMS.get(route.endpoint, {})
    with (
        roll_back_commits(site.database),
        site.app.test_client() as client,
    ):
        # Limits on how often something may be requested count by network address.
        client.environ_base["REMOTE_ADDR"] = browser.network_address
        client.set_cookie(site.app.config["SESSION_COOKIE_NAME"], browser.cookie)
        sent_fields = {
            "csrf_token": browser.csrf_token,
            **populated_site.with_table_values(fields, route.table),
        }
        data = sent_fields if route.method == "POST" else None
        with client.open(route.path, method=route.method, data=data) as response:
            return answer_of(response, route.method)


@pytest.fixture
def populated_site(site: Site) -> PopulatedSite:
    return populate_site(site)


@pytest.mark.parametrize("part", range(_PART_COUNT))
def test_every_route_answers_everyone_as_the_matrix_says(
    site: Site, populated_site: PopulatedSite, part: int
) -> None:
    lines, problems = lines_of_matrix(), []
    for route in routes_of(site.app, populated_site)[part::_PART_COUNT]:
        line = next((line for line in lines if line.matches(route)), None)
        answers = answers_at(site, populated_site, route)
        if line is None or line.answers != answers:
            expected = "has no line" if line is None else f"expected {' '.join(line.answers)}"
            problems.append(f"{route}\n    answers  {' '.join(answers)}\n    {expected}")
    if problems:
        pytest.fail("\n".join(problems), pytrace=False)


def test_every_line_of_the_matrix_is_about_a_route(
    site: Site, populated_site: PopulatedSite
) -> None:
    lines = lines_of_matrix()
    used_lines = {
        next((line for line in lines if line.matches(route)), None)
        for route in routes_of(site.app, populated_site)
    }
    unused_line_problems = [
        f"no route matches: {' '.join(line[:3])}" for line in lines if line not in used_lines
    ]
    assert unused_line_problems == []
