"""names of hosts"""

import sqlalchemy as sa
from alembic import op

revision = '0004'
down_revision = '0003'
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Empty where a process of the release before opens a table; then the host is called as before.
    op.add_column('game', sa.Column('host_name', sa.Text(), nullable=True))
    op.execute('UPDATE game SET host_name = account.name FROM account WHERE account.id = game.host_id')
    op.execute(
        'UPDATE game SET host_name = seat.name FROM seat'
        ' WHERE seat.game_id = game.id AND seat.account_id = game.host_id AND seat.name <> game.host_name'
    )
