"""The download of everything that is stored about a person: files of a ZIP, each game as its owner may know it."""

import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack
from typing import IO, Final, NamedTuple

import msgspec

from webapp.accounts import security_log
from webapp.accounts.person import Person
from webapp.accounts.security_log import SecurityEventKind
from webapp.clock.reliability import reliability_of
from webapp.kernel.refusals import NotInGame
from webapp.kernel.tx import Tx
from webapp.play.views.fairness_page import export
from webapp.privacy.queries import own_data

_MAX_BYTES_IN_MEMORY: Final = 1 << 20
_README: Final = """Everything that Lodepost stores about you.

account.json                    your address, name, language and settings
sessions.json                   the browsers where you are signed in
sign-ins.json                   codes that were sent to your address in the last days
passkeys.json                   your passkeys; their secret halves are on your devices
address-changes.json            changes of your address in the last weeks
games.json                      the games you play or played, and the tables you opened
games/                          each game after its deal: the whole record once it is
                                finished, before that what you may know of it
former-seats.json               seats in games that others have taken over from you
clubs.json                      the clubs you belong to
club-announcements.json         what you announced to clubs
invitations-sent.json           the addresses you invited to tables
invitations-received.json       the tables you were invited to
club-invitations-sent.json      the addresses you invited to clubs
club-invitations-received.json  the clubs you were invited to
seats-offered.json              to whom you offered a seat in a game
seats-offered-to-you.json       the games in which you were offered a seat
emails.json                     the emails about games that were sent to you
stopped-emails.json             the emails you have stopped
blocked.json                    the people you have blocked
messages.json                   what you said at tables
muted.json                      the people whose messages you don't read
notes.json                      your private notes about games
suspicions.json                 your private marks: whom you trusted, and whom you suspected
shared-games.json               finished games that you share with anyone who has the link
absences.json                   when you said that you are away
reliability.json                how many of your latest turns were in time: others see the share
quiet-hours.json                hours in which emails about games wait; weekday 0 is Monday
sanctions.json                  warnings, bans and new names that moderators gave you
reports-sent.json               what you reported or appealed against, and the answers
moderator-acts.json             what you did as a moderator or host, and why
saved-filters.json              lists of games that you saved as a moderator
security-events.json            sign-ins and other events of your account

All times are UTC.
"""


class ExportedFile(NamedTuple):
    """One file of the download."""

    name: str
    content: bytes


def exported_files(tx: Tx, person: Person) -> Iterator[ExportedFile]:
    """Yield every file of the person's download, one after the other."""
    yield ExportedFile("README.txt", _README.encode())
    for name, rows in own_data.read(tx, person.id).items():
        yield _json_file(name, rows)
    reliability = reliability_of(tx, person.id)
    counts = msgspec.structs.asdict(reliability) | {"percent": reliability.percent}
    yield _json_file("reliability", counts)
    for slug in own_data.slugs_of_account(tx, person.id):
        try:
            game = export(tx, slug, person)
        except NotInGame:
            # Before the deal there is nothing but what games.json has.
            continue
        yield ExportedFile(f"games/{game.filename}", game.text.encode())


def _json_file(name: str, content: object) -> ExportedFile:
    return ExportedFile(f"{name}.json", msgspec.json.format(msgspec.json.encode(content)) + b"\n")


def zip_files(files: Iterator[ExportedFile]) -> IO[bytes]:
    """Return an open file with one ZIP of the files, complete and at its beginning; the caller closes it."""
    archive = tempfile.SpooledTemporaryFile(max_size=_MAX_BYTES_IN_MEMORY)  # noqa: SIM115 - closed with the response
    with ExitStack() as on_failure:
        on_failure.callback(archive.close)
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as opened:
            for file in files:
                # The time in the ZIP is the same for all: it tells nothing.
                opened.writestr(zipfile.ZipInfo(file.name), file.content, zipfile.ZIP_DEFLATED)
        archive.seek(0)
        on_failure.pop_all()
    return archive


def record_export(tx: Tx, person: Person) -> None:
    """Record in the security log that the person downloads their data."""
    security_log.record(tx, SecurityEventKind.DATA_EXPORTED, account_id=person.id)
