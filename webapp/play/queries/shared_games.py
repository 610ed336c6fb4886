"""Links to the public pages of finished games: at most one for each game."""

from sqlalchemy import BigInteger, Executable, bindparam, delete, select
from sqlalchemy.dialects.postgresql import insert

from webapp.kernel.game_status import GameStatus
from webapp.kernel.redacted import Redacted
from webapp.kernel.tx import Tx
from webapp.play.schema import Game, SharedGame, has_status


class SharedGameRow(Redacted, frozen=True):
    """The link of a game: what its token is derived from, and the account that created it."""

    nonce: bytes
    account_id: int


def find_link(tx: Tx, game_id: int) -> SharedGameRow | None:
    """Return the link of a game; None if it is not shared."""
    row = tx.execute(
        select(SharedGame.nonce, SharedGame.account_id).where(SharedGame.game_id == game_id)
    ).first()
    return None if row is None else SharedGameRow(*row)


def slug_of_link(tx: Tx, token_hash: bytes) -> str | None:
    """Return the finished game of a link; None if there is no such link, or the game is running again after a rewind."""
    query = (
        select(Game.slug)
        .join(SharedGame, SharedGame.game_id == Game.id)
        .where(SharedGame.token_hash == token_hash, has_status(GameStatus.FINISHED))
    )
    return tx.execute(query).scalar_one_or_none()


def add_link(
    tx: Tx,
    game_id: int,
    account_id: int,
    *,
    nonce: bytes,
    token_hash: bytes,
) -> None:
    """Store the link of a game, unless it has one."""
    values = {"game_id": game_id, "nonce": nonce, "token_hash": token_hash}
    statement = insert(SharedGame).values(values | {"account_id": account_id, "shared_at": tx.now})
    tx.execute(statement.on_conflict_do_nothing(index_elements=[SharedGame.game_id]))


def delete_link(tx: Tx, game_id: int, token_hash: bytes) -> None:
    """Delete this link of a game; a later one stays."""
    tx.execute(
        delete(SharedGame).where(SharedGame.game_id == game_id, SharedGame.token_hash == token_hash)
    )


def own_links() -> Executable:
    """Return the query for the games that an account has shared, for its owner's download."""
    account_id = bindparam("account_id", type_=BigInteger)
    return (
        select(Game.slug.label("game"), SharedGame.shared_at)
        .join(Game, Game.id == SharedGame.game_id)
        .where(SharedGame.account_id == account_id)
        .order_by(SharedGame.game_id)
    )
