"""Games that are stuck for every cause, and the moderator who looks at them."""

from datetime import datetime, timedelta

from sqlalchemy import text

from tests.support.cast import MO, Character
from tests.support.transactions import transaction
from tests.support.visitors import Site, Visitor
from webapp.kernel.tx import Database

RELAY_ANSWER = "550 5.1.1 mailbox unavailable"


def make_moderator(database: Database, character: Character) -> None:
    """Make someone who has signed in a moderator of the whole site."""
    execute(
        database,
        "UPDATE account SET is_moderator = true WHERE address = :address",
        address=character.address,
    )


def moderator_of(site: Site, character: Character = MO) -> Visitor:
    """Return a browser in which a site moderator is signed in."""
    visitor = site.signed_in(character)
    make_moderator(site.database, character)
    return visitor


def execute(database: Database, statement: str, **values: object) -> None:
    with transaction(database) as tx:
        tx.execute(text(statement), values)


def set_turn_email_status(
    database: Database, slug: str, status: str, *, reason: str | None = None, at: datetime
) -> None:
    """Set what became of the email about the current turn of a game."""
    execute(
        database,
        """
        UPDATE notification SET status = :status, reason = cast(:reason AS text),
            delay_cause = CASE WHEN :status = 'pending' AND cast(:reason AS text) IS NOT NULL THEN 'refused' END,
            settled_at = CASE WHEN :status = 'pending' THEN NULL ELSE cast(:at AS timestamptz) END
        FROM game WHERE game.slug = :slug AND notification.game_id = game.id
            AND notification.kind = 'your-turn' AND notification.seq = game.turn_seq
        """,
        slug=slug,
        status=status,
        reason=reason,
        at=at,
    )


def put_on_hold(database: Database, slug: str) -> None:
    """Record that a check found the game to differ from its log."""
    execute(
        database,
        "INSERT INTO inconsistency SELECT id, 'state' FROM game WHERE slug = :slug",
        slug=slug,
    )


def let_deadline_fail(database: Database, slug: str, *, now: datetime) -> None:
    """Let the deadline pass, and the clock have failed to play."""
    execute(
        database,
        "UPDATE game SET deadline_at = :deadline, wake_at = :wake WHERE slug = :slug",
        slug=slug,
        deadline=now - timedelta(hours=2),
        wake=now + timedelta(minutes=3),
    )


def pause(database: Database, slug: str, *, at: datetime) -> None:
    execute(
        database,
        "UPDATE game SET status = 'paused', paused_at = :at WHERE slug = :slug",
        slug=slug,
        at=at,
    )


def vacate_seat_on_turn(database: Database, slug: str) -> None:
    """Let no one sit in the seat whose turn it is."""
    execute(
        database,
        """
        UPDATE seat SET account_id = NULL, name = NULL FROM game
        WHERE game.slug = :slug AND seat.game_id = game.id AND seat.number = game.awaiting
        """,
        slug=slug,
    )
