"""names at tables"""

import sqlalchemy as sa
from alembic import op

revision = '0002'
down_revision = '0001'
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Empty where a process of the release before lets somebody sit down; then the account's name counts.
    op.add_column('seat', sa.Column('name', sa.Text(), nullable=True))
    op.execute('UPDATE seat SET name = account.name FROM account WHERE account.id = seat.account_id')
