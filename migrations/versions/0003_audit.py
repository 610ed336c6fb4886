"""how far the audit has come, and what it found"""

import sqlalchemy as sa
from alembic import op

revision = '0003'
down_revision = '0002'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table('audit',
    sa.Column('id', sa.SmallInteger(), autoincrement=False, nullable=False),
    sa.Column('begun_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('ended_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('position', sa.BigInteger(), nullable=False),
    sa.Column('mended', sa.BigInteger(), nullable=False),
    sa.PrimaryKeyConstraint('id', name=op.f('audit_pkey'))
    )
    op.create_table('disagreement',
    sa.Column('game_id', sa.BigInteger(), nullable=False),
    sa.Column('why', sa.Text(), nullable=False),
    sa.Column('found_at', sa.DateTime(timezone=True), nullable=False),
    sa.ForeignKeyConstraint(['game_id'], ['game.id'], name=op.f('disagreement_game_id_fkey')),
    sa.PrimaryKeyConstraint('game_id', 'why', name=op.f('disagreement_pkey'))
    )
