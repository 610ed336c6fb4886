import pytest

from tests.support.cast import ALICE, BOB
from tests.support.factories import open_table, sign_in_guest
from tests.support.transactions import transaction
from webapp.accounts.sign_in import may_sign_in
from webapp.kernel.site_settings import SignUp
from webapp.kernel.tx import Database
from webapp.lobby import invitations
from webapp.play import access

NEW_ADDRESS = "new@example.test"


def may_sign_in_under_policy(
    database: Database, address: str, policy: SignUp, *, return_path: str = ""
) -> bool:
    with transaction(database) as tx:
        return may_sign_in(tx, address, policy, return_path=return_path)


@pytest.mark.parametrize("policy", SignUp)
def test_people_with_an_account_may_always_sign_in(database: Database, policy: SignUp) -> None:
    sign_in_guest(database, ALICE)
    assert may_sign_in_under_policy(database, ALICE.address.upper(), policy)


def test_people_without_an_invitation_create_accounts_only_on_an_open_site(
    database: Database,
) -> None:
    assert [may_sign_in_under_policy(database, NEW_ADDRESS, policy) for policy in SignUp] == [
        True,
        False,
        False,
    ]


def test_invited_address_may_create_an_account(database: Database) -> None:
    alice = sign_in_guest(database, ALICE)
    slug = open_table(database, alice)
    with transaction(database) as tx:
        game = access.game_for(tx, slug, alice.cookie, mode="change").game
        invitations.invite(tx, game, alice.person, address=NEW_ADDRESS)
    assert may_sign_in_under_policy(database, "NEW@example.test", SignUp.INVITATION)
    assert not may_sign_in_under_policy(database, NEW_ADDRESS, SignUp.CLOSED)
    assert not may_sign_in_under_policy(database, BOB.address, SignUp.INVITATION)


@pytest.mark.parametrize("path", ["/invitations/none-such", "/invitations/", "/invitations/\u00e9"])
def test_invented_invitation_creates_no_account(database: Database, path: str) -> None:
    assert not may_sign_in_under_policy(database, NEW_ADDRESS, SignUp.INVITATION, return_path=path)
