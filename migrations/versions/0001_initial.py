"""initial"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql
revision = '0001'
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table('account',
    sa.Column('id', sa.BigInteger(), sa.Identity(always=False), nullable=False),
    sa.Column('address', sa.Text(), nullable=False),
    sa.Column('name', sa.Text(), nullable=False),
    sa.Column('language', sa.Text(), nullable=False),
    sa.Column('zone', sa.Text(), nullable=False),
    sa.Column('picks_gold', sa.Boolean(), server_default=sa.text('true'), nullable=False),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.PrimaryKeyConstraint('id', name=op.f('account_pkey'))
    )
    op.create_index('account_address', 'account', [sa.literal_column('lower(address)')], unique=True)
    op.create_table('audit',
    sa.Column('id', sa.SmallInteger(), autoincrement=False, nullable=False),
    sa.Column('started_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('completed_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('last_game_id', sa.BigInteger(), nullable=False),
    sa.Column('repaired_snapshots', sa.BigInteger(), nullable=False),
    sa.PrimaryKeyConstraint('id', name=op.f('audit_pkey'))
    )
    op.create_table('notification',
    sa.Column('id', sa.BigInteger(), sa.Identity(always=False), nullable=False),
    sa.Column('kind', sa.Text(), nullable=False),
    sa.Column('game_id', sa.BigInteger(), nullable=True),
    sa.Column('seq', sa.BigInteger(), nullable=True),
    sa.Column('account_id', sa.BigInteger(), nullable=True),
    sa.Column('dedup_key', sa.BigInteger(), server_default=sa.text('0'), nullable=False),
    sa.Column('status', sa.Text(), server_default=sa.text("'pending'"), nullable=False),
    sa.Column('first_due_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('due_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('lease_until', sa.DateTime(timezone=True), nullable=True),
    sa.Column('attempts', sa.SmallInteger(), server_default=sa.text('0'), nullable=False),
    sa.Column('message_id', sa.Text(), nullable=True),
    sa.Column('message', sa.LargeBinary(), nullable=True),
    sa.Column('reason', sa.Text(), nullable=True),
    sa.Column('settled_at', sa.DateTime(timezone=True), nullable=True),
    sa.CheckConstraint("status IN ('pending', 'sent', 'dropped', 'failed')", name=op.f('notification_status')),
    sa.PrimaryKeyConstraint('id', name=op.f('notification_pkey')),
    sa.UniqueConstraint('game_id', 'seq', 'kind', 'account_id', 'dedup_key', name='notification_key', postgresql_nulls_not_distinct=True)
    )
    op.create_index('notification_due', 'notification', ['due_at'], unique=False, postgresql_where=sa.text("status = 'pending'"))
    op.create_table('sign_in',
    sa.Column('id', sa.BigInteger(), sa.Identity(always=False), nullable=False),
    sa.Column('address', sa.Text(), nullable=False),
    sa.Column('nonce', sa.LargeBinary(), nullable=False),
    sa.Column('token_hash', sa.LargeBinary(), nullable=False),
    sa.Column('code_hash', sa.LargeBinary(), nullable=False),
    sa.Column('browser_hash', sa.LargeBinary(), nullable=False),
    sa.Column('language', sa.Text(), nullable=False),
    sa.Column('tries', sa.SmallInteger(), server_default=sa.text('0'), nullable=False),
    sa.Column('requested_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('expires_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('used_at', sa.DateTime(timezone=True), nullable=True),
    sa.PrimaryKeyConstraint('id', name=op.f('sign_in_pkey')),
    sa.UniqueConstraint('token_hash', name=op.f('sign_in_token_hash_key'))
    )
    op.create_index('sign_in_address', 'sign_in', [sa.literal_column('lower(address)'), sa.literal_column('requested_at')], unique=False)
    op.create_index(op.f('sign_in_browser_hash'), 'sign_in', ['browser_hash'], unique=False)
    op.create_table('turn',
    sa.Column('game_id', sa.BigInteger(), autoincrement=False, nullable=False),
    sa.Column('seq', sa.BigInteger(), autoincrement=False, nullable=False),
    sa.Column('seat', sa.SmallInteger(), nullable=True),
    sa.Column('by', sa.Text(), nullable=False),
    sa.Column('action', sa.LargeBinary(), nullable=True),
    sa.Column('events', sa.LargeBinary(), nullable=False),
    sa.Column('at', sa.DateTime(timezone=True), nullable=False),
    sa.PrimaryKeyConstraint('game_id', 'seq', name=op.f('turn_pkey'))
    )
    op.create_table('game',
    sa.Column('id', sa.BigInteger(), sa.Identity(always=False), nullable=False),
    sa.Column('slug', sa.Text(), nullable=False),
    sa.Column('host_id', sa.BigInteger(), nullable=False),
    sa.Column('host_name', sa.Text(), nullable=False),
    sa.Column('rulebook', sa.Text(), nullable=False),
    sa.Column('house', postgresql.JSONB(astext_type=sa.Text()), nullable=False),
    sa.Column('seat_count', sa.SmallInteger(), nullable=False),
    sa.Column('starter', sa.SmallInteger(), nullable=True),
    sa.Column('allowance', sa.Interval(), nullable=False),
    sa.Column('public', sa.Boolean(), nullable=False),
    sa.Column('status', sa.Text(), nullable=False),
    sa.Column('opened_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('ended_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('ready_check_count', sa.SmallInteger(), server_default=sa.text('0'), nullable=False),
    sa.Column('freeze_record', sa.LargeBinary(), nullable=True),
    sa.Column('seq', sa.BigInteger(), server_default=sa.text('-1'), nullable=False),
    sa.Column('state', sa.LargeBinary(), nullable=True),
    sa.Column('state_format', sa.SmallInteger(), nullable=True),
    sa.Column('awaiting', sa.SmallInteger(), nullable=True),
    sa.Column('awaiting_bot', sa.Boolean(), server_default=sa.text('false'), nullable=False),
    sa.Column('round', sa.SmallInteger(), server_default=sa.text('0'), nullable=False),
    sa.Column('turn_seq', sa.BigInteger(), server_default=sa.text('-1'), nullable=False),
    sa.Column('turn_started_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('deadline_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('remind_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('wake_at', sa.DateTime(timezone=True), nullable=True),
    sa.CheckConstraint("status IN ('open', 'ready-check', 'running', 'finished', 'cancelled')", name=op.f('game_status')),
    sa.CheckConstraint('seat_count BETWEEN 3 AND 10', name=op.f('game_seat_count')),
    sa.ForeignKeyConstraint(['host_id'], ['account.id'], name=op.f('game_host_id_fkey')),
    sa.PrimaryKeyConstraint('id', name=op.f('game_pkey')),
    sa.UniqueConstraint('slug', name=op.f('game_slug_key'))
    )
    op.create_index('game_bot_turn', 'game', ['wake_at'], unique=False, postgresql_where=sa.text("status = 'running' AND awaiting_bot"))
    op.create_index('game_hosted', 'game', ['host_id'], unique=False, postgresql_where=sa.text("status IN ('open', 'ready-check')"))
    op.create_index('game_open', 'game', ['opened_at'], unique=False, postgresql_where=sa.text("status = 'open' AND public"))
    op.create_index('game_wake_at', 'game', ['wake_at'], unique=False, postgresql_where=sa.text("status = 'running' AND NOT awaiting_bot"))
    op.create_table('session',
    sa.Column('id', sa.BigInteger(), sa.Identity(always=False), nullable=False),
    sa.Column('token_hash', sa.LargeBinary(), nullable=False),
    sa.Column('ref', sa.Text(), nullable=False),
    sa.Column('account_id', sa.BigInteger(), nullable=False),
    sa.Column('user_agent', sa.Text(), nullable=False),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('expires_at', sa.DateTime(timezone=True), nullable=False),
    sa.ForeignKeyConstraint(['account_id'], ['account.id'], name=op.f('session_account_id_fkey')),
    sa.PrimaryKeyConstraint('id', name=op.f('session_pkey')),
    sa.UniqueConstraint('ref', name=op.f('session_ref_key')),
    sa.UniqueConstraint('token_hash', name=op.f('session_token_hash_key'))
    )
    op.create_index(op.f('session_account_id'), 'session', ['account_id'], unique=False)
    op.create_table('inconsistency',
    sa.Column('game_id', sa.BigInteger(), nullable=False),
    sa.Column('kind', sa.Text(), nullable=False),
    sa.ForeignKeyConstraint(['game_id'], ['game.id'], name=op.f('inconsistency_game_id_fkey')),
    sa.PrimaryKeyConstraint('game_id', 'kind', name=op.f('inconsistency_pkey'))
    )
    op.create_table('invitation',
    sa.Column('id', sa.BigInteger(), sa.Identity(always=False), nullable=False),
    sa.Column('game_id', sa.BigInteger(), nullable=False),
    sa.Column('nonce', sa.LargeBinary(), nullable=False),
    sa.Column('token_hash', sa.LargeBinary(), nullable=False),
    sa.Column('address', sa.Text(), nullable=True),
    sa.Column('invited_by', sa.BigInteger(), nullable=False),
    sa.Column('invited_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('accepted_by', sa.BigInteger(), nullable=True),
    sa.ForeignKeyConstraint(['accepted_by'], ['account.id'], name=op.f('invitation_accepted_by_fkey')),
    sa.ForeignKeyConstraint(['game_id'], ['game.id'], name=op.f('invitation_game_id_fkey')),
    sa.ForeignKeyConstraint(['invited_by'], ['account.id'], name=op.f('invitation_invited_by_fkey')),
    sa.PrimaryKeyConstraint('id', name=op.f('invitation_pkey')),
    sa.UniqueConstraint('token_hash', name=op.f('invitation_token_hash_key'))
    )
    op.create_index(op.f('invitation_game_id'), 'invitation', ['game_id'], unique=False)
    op.create_index(op.f('invitation_invited_by_invited_at'), 'invitation', ['invited_by', 'invited_at'], unique=False)
    op.create_table('opt_out',
    sa.Column('id', sa.BigInteger(), sa.Identity(always=False), nullable=False),
    sa.Column('address', sa.Text(), nullable=False),
    sa.Column('scope', sa.Text(), nullable=False),
    sa.Column('game_id', sa.BigInteger(), nullable=True),
    sa.Column('at', sa.DateTime(timezone=True), nullable=False),
    sa.CheckConstraint("(scope = 'game') = (game_id IS NOT NULL)", name=op.f('opt_out_scope')),
    sa.ForeignKeyConstraint(['game_id'], ['game.id'], name=op.f('opt_out_game_id_fkey')),
    sa.PrimaryKeyConstraint('id', name=op.f('opt_out_pkey')),
    sa.UniqueConstraint('address', 'scope', 'game_id', name='opt_out_key', postgresql_nulls_not_distinct=True)
    )
    op.create_table('seat',
    sa.Column('game_id', sa.BigInteger(), nullable=False),
    sa.Column('number', sa.SmallInteger(), nullable=False),
    sa.Column('account_id', sa.BigInteger(), nullable=True),
    sa.Column('bot_name', sa.Text(), nullable=True),
    sa.Column('name', sa.Text(), nullable=True),
    sa.Column('is_ready', sa.Boolean(), server_default=sa.text('false'), nullable=False),
    sa.Column('salt', sa.LargeBinary(), server_default=sa.text("''::bytea"), nullable=False),
    sa.CheckConstraint('account_id IS NULL OR bot_name IS NULL', name=op.f('seat_person_or_bot')),
    sa.CheckConstraint('octet_length(salt) <= 64', name=op.f('seat_salt')),
    sa.ForeignKeyConstraint(['account_id'], ['account.id'], name=op.f('seat_account_id_fkey')),
    sa.ForeignKeyConstraint(['game_id'], ['game.id'], name=op.f('seat_game_id_fkey')),
    sa.PrimaryKeyConstraint('game_id', 'number', name=op.f('seat_pkey'))
    )
    op.create_index(op.f('seat_account_id'), 'seat', ['account_id'], unique=False)
    op.create_index('seat_person', 'seat', ['game_id', 'account_id'], unique=True, postgresql_where=sa.text('account_id IS NOT NULL'))
    op.create_table('secret',
    sa.Column('game_id', sa.BigInteger(), nullable=False),
    sa.Column('gold', sa.LargeBinary(), nullable=False),
    sa.Column('round_1', sa.LargeBinary(), nullable=False),
    sa.Column('round_2', sa.LargeBinary(), nullable=False),
    sa.Column('round_3', sa.LargeBinary(), nullable=False),
    sa.Column('commitments', sa.Text(), nullable=False),
    sa.ForeignKeyConstraint(['game_id'], ['game.id'], name=op.f('secret_game_id_fkey')),
    sa.PrimaryKeyConstraint('game_id', name=op.f('secret_pkey'))
    )
    op.create_table('unsubscribe_token',
    sa.Column('token_hash', sa.LargeBinary(), nullable=False),
    sa.Column('address', sa.Text(), nullable=False),
    sa.Column('scope', sa.Text(), nullable=False),
    sa.Column('game_id', sa.BigInteger(), nullable=True),
    sa.ForeignKeyConstraint(['game_id'], ['game.id'], name=op.f('unsubscribe_token_game_id_fkey')),
    sa.PrimaryKeyConstraint('token_hash', name=op.f('unsubscribe_token_pkey'))
    )
