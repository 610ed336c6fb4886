"""Where forms are prepared before tests send them: everyone's browsers, and forms as pages show them."""

from collections.abc import Callable
from typing import Any, NamedTuple

from tests.support.html import Page
from tests.support.visitors import Site, Visitor
from tests.web.populated_site import PopulatedSite


class FormSubmission(NamedTuple):
    """A form that a visitor is about to send."""

    visitor: Visitor
    path: str
    fields: dict[str, Any]

    def send(self) -> Any:
        return self.visitor.client.post(self.path, data=self.fields)


class FormContext(NamedTuple):
    """Where forms are prepared. What is done here is undone after each form."""

    site: Site
    populated_site: PopulatedSite

    def visitor(self, persona: str) -> Visitor:
        """Return the browser of a persona of the matrix."""
        browser, app = self.populated_site.browsers[persona], self.site.app
        visitor = Visitor(app, app.test_client())
        visitor.client.environ_base["REMOTE_ADDR"] = browser.network_address
        visitor.client.set_cookie(app.config["SESSION_COOKIE_NAME"], browser.cookie)
        return visitor

    def email(self, kind: type[Any]) -> Any:
        """Deliver what is due and return the only email of this kind."""
        [matching_email] = [
            email for email in self.site.deliver_emails() if isinstance(email, kind)
        ]
        return matching_email

    @property
    def moderator(self) -> Visitor:
        return self.visitor("site-moderator")


PrepareForm = Callable[[FormContext], FormSubmission]


def shown_form(visitor: Visitor, page: str, action: str, **changed_fields: Any) -> FormSubmission:
    """Return the form of a page with some of its fields filled in."""
    form = visitor.page(page).form(action)
    return FormSubmission(visitor, action, form.fields | changed_fields)


def confirmed_form(form: FormSubmission) -> FormSubmission:
    """Send a form that is shown again with a preview, and return that."""
    answer = form.send()
    assert answer.status_code == 200, Page(answer.text).text
    form_shown_again = Page(answer.text).form(form.path)
    return form._replace(fields=form.fields | form_shown_again.fields)
