"""What every kind of email has, and what it takes to add one: a module and a template."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.support.cast import BOB
from tests.support.factories import sign_in_guest
from webapp.kernel.i18n import language_for
from webapp.kernel.resources import templates_folder
from webapp.kernel.tx import Database
from webapp.mail.email import emails_by_kind

_CHECKOUT: Final = Path(__file__).parents[2]
_NEW_MODULE: Final = '''"""There is cake at a table."""

from webapp.kernel.i18n import N_
from webapp.mail.email import Email, EmailSource
from webapp.mail.envelope import EmailContext


class CakeContext(EmailContext, frozen=True, kw_only=True):
    """How many pieces there are."""

    pieces: int


class Cake(Email[None, CakeContext]):
    kind = "cake"
    label = N_("Cake")

    def context(self, source: EmailSource[None]) -> CakeContext:
        return CakeContext(envelope=self.envelope(source), pieces=source.notification.dedup_key)


EMAIL = Cake()
'''
_NEW_TEMPLATE: Final = """
{% set subject = _("There's cake, %(name)s", name=envelope.name|one_line) %}
{% set preview = ngettext("%(num)s piece is left.", "%(num)s pieces are left.", pieces) %}
{% set footer = player_footer() %}
{{ Title(subject) }}
{{ Notice(preview) }}
{{ Button(_("Go to your games"), link(urls.home())) }}
"""
_PREPARES_AND_COMPOSES: Final = """
import sys
from datetime import UTC, datetime

from webapp.mail.compose import Composer
from webapp.mail.mime import message_bytes
from webapp.mail.preparation import prepare_emails
from webapp.moderation.pages.labels import email_name
from webapp.kernel.i18n import language_for
from webapp.mail.outbox.delivery import claim
from tests.support.transactions import transaction
from webapp.kernel.tx import Database
from webapp.mail.queries import outbox
from webapp.mail.queries.outbox import NewNotification

now = datetime(2026, 3, 2, 12, tzinfo=UTC)
with transaction(Database(sys.argv[1])) as tx:
    notice = NewNotification(kind="cake", game_id=None, account_id=int(sys.argv[2]), dedup_key=3, due_at=now)
    outbox.enqueue(tx, [notice])
    [email] = prepare_emails(tx, claim(tx))
composer = Composer(base_url="https://lodepost.example", mail_from="lodepost@lodepost.example")
print(email_name("cake", language_for("en")))
print(message_bytes(composer.compose(email.context, now=now)).decode())
"""


@pytest.mark.parametrize("kind", emails_by_kind())
def test_kind_has_a_label_and_a_template(kind: str) -> None:
    email = emails_by_kind()[kind]
    assert language_for("en").gettext(email.label)
    assert (templates_folder() / email.template()).is_file()


def test_no_template_is_without_its_kind() -> None:
    folder = templates_folder()
    used = {email.template() for email in emails_by_kind().values()}
    shared = {
        line.split('"')[1]
        for name in used
        for line in (folder / name).read_text().splitlines()
        if line.strip().startswith("{% include")
    }
    found = {path.relative_to(folder).as_posix() for path in folder.glob("*/emails/*")}
    assert found == used | shared


def test_module_and_template_are_all_that_a_new_kind_needs(
    tmp_path: Path, database: Database, database_url: str
) -> None:
    bob = sign_in_guest(database, BOB)
    for folder in ("engine", "webapp", "templates", "tests"):
        ignored = shutil.ignore_patterns("__pycache__", "golden", "games")
        shutil.copytree(_CHECKOUT / folder, tmp_path / folder, ignore=ignored)
    (tmp_path / "webapp/play/emails/cake.py").write_text(_NEW_MODULE)
    (tmp_path / "templates/play/emails/cake.jinja").write_text(_NEW_TEMPLATE)
    arguments = (database_url, str(bob.person.id))
    printed = subprocess.run(
        [sys.executable, "-c", _PREPARES_AND_COMPOSES, *arguments],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    assert printed.startswith("Cake\n")
    assert "\nSubject: There's cake, Bob\n" in printed
    assert printed.count("3 pieces are left.") == 3
