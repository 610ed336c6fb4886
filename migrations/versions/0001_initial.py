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
    sa.Column('address', sa.Text(), nullable=True),
    sa.Column('name', sa.Text(), nullable=False),
    sa.Column('language', sa.Text(), nullable=False),
    sa.Column('zone', sa.Text(), nullable=False),
    sa.Column('picks_gold', sa.Boolean(), server_default=sa.text('true'), nullable=False),
    sa.Column('reminder_hours', sa.ARRAY(sa.SmallInteger()), nullable=True),
    sa.Column('hold_minutes', sa.SmallInteger(), server_default=sa.text('0'), nullable=False),
    sa.Column('wants_link_only', sa.Boolean(), server_default=sa.text('false'), nullable=False),
    sa.Column('wants_every_email', sa.Boolean(), server_default=sa.text('false'), nullable=False),
    sa.Column('moves_need_sign_in', sa.Boolean(), server_default=sa.text('false'), nullable=False),
    sa.Column('wants_hints', sa.Boolean(), server_default=sa.text('true'), nullable=False),
    sa.Column('wants_open_seats', sa.Boolean(), server_default=sa.text('false'), nullable=False),
    sa.Column('informed_of_seats_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('is_moderator', sa.Boolean(), server_default=sa.text('false'), nullable=False),
    sa.Column('ref', sa.Text(), server_default=sa.text("replace((gen_random_uuid())::text, '-'::text, ''::text)"), nullable=False),
    sa.Column('banned_until', sa.DateTime(timezone=True), nullable=True),
    sa.Column('muted_until', sa.DateTime(timezone=True), nullable=True),
    sa.Column('warning_id', sa.BigInteger(), nullable=True),
    sa.Column('dismissed_announcement', sa.BigInteger(), server_default=sa.text('0'), nullable=False),
    sa.Column('bounce_score', sa.Double(), server_default=sa.text('0'), nullable=False),
    sa.Column('bounced_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('bounce_reason', sa.Text(), nullable=True),
    sa.Column('suppressed_until', sa.DateTime(timezone=True), nullable=True),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.CheckConstraint('hold_minutes BETWEEN 0 AND 10', name=op.f('account_hold_minutes')),
    sa.PrimaryKeyConstraint('id', name=op.f('account_pkey')),
    sa.UniqueConstraint('ref', name=op.f('account_ref_key'))
    )
    op.create_index('account_address', 'account', [sa.literal_column('lower(address)')], unique=True)
    op.create_index('account_name', 'account', [sa.literal_column('lower(name)').label('lower_name')], unique=False, postgresql_ops={'lower_name': 'text_pattern_ops'})
    op.create_index('account_volunteer', 'account', ['informed_of_seats_at'], unique=False, postgresql_where=sa.text('wants_open_seats'))
    op.create_index('account_banned', 'account', ['banned_until'], unique=False, postgresql_where=sa.text('banned_until IS NOT NULL'))
    op.create_index(op.f('account_created_at'), 'account', ['created_at'], unique=False)
    op.create_table('audit',
    sa.Column('id', sa.SmallInteger(), autoincrement=False, nullable=False),
    sa.Column('started_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('completed_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('last_game_id', sa.BigInteger(), nullable=False),
    sa.Column('repaired_snapshots', sa.BigInteger(), nullable=False),
    sa.PrimaryKeyConstraint('id', name=op.f('audit_pkey'))
    )
    op.create_table('club',
    sa.Column('id', sa.BigInteger(), sa.Identity(always=False), nullable=False),
    sa.Column('slug', sa.Text(), nullable=False),
    sa.Column('name', sa.Text(), nullable=False),
    sa.Column('name_skeletons', postgresql.ARRAY(sa.Text()), nullable=False),
    sa.Column('description', sa.Text(), nullable=False),
    sa.Column('is_public', sa.Boolean(), nullable=False),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('closed_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('rulebook', sa.Text(), nullable=False),
    sa.Column('house', postgresql.JSONB(astext_type=sa.Text()), nullable=False),
    sa.Column('allowance', sa.Interval(), nullable=False),
    sa.Column('pace', postgresql.JSONB(astext_type=sa.Text()), server_default=sa.text("'{}'::jsonb"), nullable=False),
    sa.Column('late_rules', postgresql.JSONB(astext_type=sa.Text()), nullable=False),
    sa.Column('language', sa.Text(), nullable=False),
    sa.Column('who_may_open', sa.Text(), nullable=False),
    sa.CheckConstraint("who_may_open IN ('members', 'moderators')", name=op.f('club_who_may_open')),
    sa.PrimaryKeyConstraint('id', name=op.f('club_pkey')),
    sa.UniqueConstraint('slug', name=op.f('club_slug_key'))
    )
    op.create_index('club_name_skeletons', 'club', ['name_skeletons'], unique=False, postgresql_using='gin', postgresql_where=sa.text('closed_at IS NULL'))
    op.create_index('club_public', 'club', ['created_at'], unique=False, postgresql_where=sa.text('is_public AND closed_at IS NULL'))
    op.create_table('daily_statistics',
    sa.Column('day', sa.Date(), nullable=False),
    sa.Column('counted_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('turns', sa.Integer(), nullable=False),
    sa.Column('late_turns', sa.Integer(), nullable=False),
    sa.Column('answer_times', sa.ARRAY(sa.Integer()), nullable=False),
    sa.Column('active_games', sa.Integer(), nullable=False),
    sa.Column('emails_sent', sa.Integer(), nullable=False),
    sa.Column('emails_dropped', sa.Integer(), nullable=False),
    sa.Column('emails_failed', sa.Integer(), nullable=False),
    sa.Column('sign_ins', sa.Integer(), nullable=False),
    sa.Column('new_accounts', sa.Integer(), nullable=False),
    sa.PrimaryKeyConstraint('day', name=op.f('daily_statistics_pkey'))
    )
    op.create_table('deadline_event',
    sa.Column('game_id', sa.Integer(), autoincrement=False, nullable=False),
    sa.Column('turn_seq', sa.Integer(), autoincrement=False, nullable=False),
    sa.Column('id', sa.BigInteger(), sa.Identity(always=False), nullable=False),
    sa.Column('at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('kind', sa.Text(), nullable=False),
    sa.Column('seat', sa.SmallInteger(), nullable=True),
    sa.Column('account_id', sa.BigInteger(), nullable=True),
    sa.Column('by', sa.Text(), nullable=False),
    sa.Column('deadline_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('cause', sa.Text(), server_default=sa.text("''"), nullable=False),
    sa.Column('bank', sa.Interval(), nullable=True),
    sa.Column('absence_used', sa.Interval(), nullable=True),
    sa.CheckConstraint("kind IN ('started', 'reminded', 'nudged', 'extended', 'paused', 'resumed', 'shifted', 'absence', 'undelivered', 'played', 'late', 'missed', 'opened', 'undone')", name=op.f('deadline_event_kind')),
    sa.PrimaryKeyConstraint('game_id', 'turn_seq', 'id', name=op.f('deadline_event_pkey'))
    )
    op.create_index('deadline_event_account', 'deadline_event', ['account_id', 'at'], unique=False, postgresql_where=sa.text("kind IN ('played', 'late', 'missed')"))
    op.create_table('health_sample',
    sa.Column('at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('oldest_email', sa.Integer(), nullable=True),
    sa.Column('most_overdue', sa.Integer(), nullable=True),
    sa.Column('pending_emails', sa.Integer(), nullable=True),
    sa.Column('failed_emails', sa.Integer(), nullable=True),
    sa.Column('sign_ins', sa.Integer(), nullable=True),
    sa.Column('workers', sa.Integer(), nullable=True),
    sa.Column('sweeps', sa.Integer(), server_default=sa.text('0'), nullable=False),
    sa.Column('slow_sweeps', sa.Integer(), server_default=sa.text('0'), nullable=False),
    sa.PrimaryKeyConstraint('at', name=op.f('health_sample_pkey'))
    )
    op.create_table('email_hold',
    sa.Column('id', sa.SmallInteger(), autoincrement=False, nullable=False),
    sa.Column('held_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('backup_taken_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('clocks_stopped_at', sa.DateTime(timezone=True), nullable=False),
    sa.CheckConstraint('id = 1', name=op.f('email_hold_one')),
    sa.PrimaryKeyConstraint('id', name=op.f('email_hold_pkey'))
    )
    op.create_table('expected_key',
    sa.Column('id', sa.SmallInteger(), autoincrement=False, nullable=False),
    sa.Column('fingerprint', sa.Text(), nullable=False),
    sa.Column('since', sa.DateTime(timezone=True), nullable=False),
    sa.CheckConstraint('id = 1', name=op.f('expected_key_one')),
    sa.PrimaryKeyConstraint('id', name=op.f('expected_key_pkey'))
    )
    op.create_table('heartbeat',
    sa.Column('part', sa.Text(), nullable=False),
    sa.Column('instance', sa.Text(), nullable=False),
    sa.Column('at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('clock_ahead', sa.Interval(), server_default=sa.text("'00:00:00'::interval"), nullable=False),
    sa.Column('started_at', sa.DateTime(timezone=True), nullable=True),
    sa.PrimaryKeyConstraint('part', 'instance', name=op.f('heartbeat_pkey'))
    )
    op.create_table('maintenance',
    sa.Column('id', sa.BigInteger(), sa.Identity(always=False), nullable=False),
    sa.Column('began_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('recorded_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('ended_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('shifted_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('last_game_id', sa.BigInteger(), server_default=sa.text('0'), nullable=False),
    sa.Column('cause', sa.Text(), server_default=sa.text("'maintenance'"), nullable=False),
    sa.CheckConstraint("cause IN ('maintenance', 'server', 'email')", name=op.f('maintenance_cause')),
    sa.PrimaryKeyConstraint('id', name=op.f('maintenance_pkey'))
    )
    op.create_index('maintenance_unfinished', 'maintenance', [sa.literal_column('(true)')], unique=True, postgresql_where=sa.text('shifted_at IS NULL'))
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
    sa.Column('quiet_until', sa.DateTime(timezone=True), nullable=True),
    sa.Column('lease_until', sa.DateTime(timezone=True), nullable=True),
    sa.Column('attempts', sa.SmallInteger(), server_default=sa.text('0'), nullable=False),
    sa.Column('message_id', sa.Text(), nullable=True),
    sa.Column('attempted_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('delay_cause', sa.Text(), nullable=True),
    sa.Column('reason', sa.Text(), nullable=True),
    sa.Column('settled_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('request_id', sa.Text(), nullable=True),
    sa.CheckConstraint("status IN ('pending', 'sent', 'dropped', 'failed')", name=op.f('notification_status')),
    sa.PrimaryKeyConstraint('id', name=op.f('notification_pkey')),
    sa.UniqueConstraint('game_id', 'seq', 'kind', 'account_id', 'dedup_key', name='notification_key', postgresql_nulls_not_distinct=True)
    )
    op.create_index('notification_due', 'notification', ['due_at'], unique=False, postgresql_where=sa.text("status = 'pending'"))
    op.create_index('notification_failed', 'notification', ['first_due_at'], unique=False, postgresql_where=sa.text("status = 'failed'"))
    op.create_index('notification_message_id', 'notification', ['message_id'], unique=False, postgresql_where=sa.text("status = 'sent'"))
    op.create_index('notification_settled', 'notification', ['settled_at', 'status'], unique=False, postgresql_where=sa.text('settled_at IS NOT NULL'))
    op.create_table('stored_message',
    sa.Column('notification_id', sa.BigInteger(), nullable=False),
    sa.Column('message', sa.LargeBinary(), nullable=False),
    sa.ForeignKeyConstraint(['notification_id'], ['notification.id'], name=op.f('stored_message_notification_id_fkey'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('notification_id', name=op.f('stored_message_pkey')),
    prefixes=['UNLOGGED']
    )
    op.create_table('alarm',
    sa.Column('name', sa.Text(), nullable=False),
    sa.Column('count', sa.BigInteger(), server_default=sa.text('0'), nullable=False),
    sa.Column('raised_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('logged_at', sa.DateTime(timezone=True), nullable=True),
    sa.PrimaryKeyConstraint('name', name=op.f('alarm_pkey'))
    )
    op.create_table('site_figure',
    sa.Column('name', sa.Text(), nullable=False),
    sa.Column('label', sa.Text(), nullable=False),
    sa.Column('value', sa.BigInteger(), server_default=sa.text('0'), nullable=False),
    sa.PrimaryKeyConstraint('name', 'label', name=op.f('site_figure_pkey'))
    )
    op.create_table('passkey_challenge',
    sa.Column('id', sa.BigInteger(), sa.Identity(always=False), nullable=False),
    sa.Column('browser_hash', sa.LargeBinary(), nullable=False),
    sa.Column('purpose', sa.Text(), nullable=False),
    sa.Column('challenge', sa.LargeBinary(), nullable=False),
    sa.Column('expires_at', sa.DateTime(timezone=True), nullable=False),
    sa.CheckConstraint("purpose IN ('add', 'sign-in', 'identity')", name=op.f('passkey_challenge_purpose')),
    sa.PrimaryKeyConstraint('id', name=op.f('passkey_challenge_pkey')),
    sa.UniqueConstraint('browser_hash', 'purpose', name=op.f('passkey_challenge_browser_hash_purpose_key'))
    )
    op.create_table('sign_in',
    sa.Column('id', sa.BigInteger(), sa.Identity(always=False), nullable=False),
    sa.Column('purpose', sa.Text(), server_default=sa.text("'sign-in'"), nullable=False),
    sa.Column('address', sa.Text(), nullable=False),
    sa.Column('nonce', sa.LargeBinary(), nullable=False),
    sa.Column('token_hash', sa.LargeBinary(), nullable=False),
    sa.Column('pause_hash', sa.LargeBinary(), nullable=True),
    sa.Column('code_hash', sa.LargeBinary(), nullable=False),
    sa.Column('browser_hash', sa.LargeBinary(), nullable=False),
    sa.Column('user_agent', sa.Text(), nullable=True),
    sa.Column('source', sa.Text(), nullable=True),
    sa.Column('language', sa.Text(), nullable=False),
    sa.Column('invitation_id', sa.BigInteger(), nullable=True),
    sa.Column('tries', sa.SmallInteger(), server_default=sa.text('0'), nullable=False),
    sa.Column('requested_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('expires_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('used_at', sa.DateTime(timezone=True), nullable=True),
    sa.CheckConstraint("purpose IN ('sign-in', 'identity')", name=op.f('sign_in_purpose')),
    sa.PrimaryKeyConstraint('id', name=op.f('sign_in_pkey')),
    sa.UniqueConstraint('pause_hash', name=op.f('sign_in_pause_hash_key')),
    sa.UniqueConstraint('token_hash', name=op.f('sign_in_token_hash_key'))
    )
    op.create_index('sign_in_address', 'sign_in', [sa.literal_column(r"regexp_replace(lower(address), '^([^@+]+)\+[^@]*@', '\1@')"), sa.literal_column('requested_at')], unique=False)
    op.create_index(op.f('sign_in_browser_hash'), 'sign_in', ['browser_hash'], unique=False)
    op.create_table('sign_in_pause',
    sa.Column('address', sa.Text(), nullable=False),
    sa.Column('until', sa.DateTime(timezone=True), nullable=False),
    sa.PrimaryKeyConstraint('address', name=op.f('sign_in_pause_pkey'))
    )
    op.create_table('site_setting',
    sa.Column('name', sa.Text(), nullable=False),
    sa.Column('value', postgresql.JSONB(astext_type=sa.Text()), nullable=False),
    sa.PrimaryKeyConstraint('name', name=op.f('site_setting_pkey'))
    )
    op.create_table('turn',
    sa.Column('game_id', sa.Integer(), autoincrement=False, nullable=False),
    sa.Column('seq', sa.Integer(), autoincrement=False, nullable=False),
    sa.Column('at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('seat', sa.SmallInteger(), nullable=True),
    sa.Column('by', sa.Text(), nullable=False),
    sa.Column('action', sa.LargeBinary(), nullable=True),
    sa.Column('events', sa.LargeBinary(), nullable=False),
    sa.Column('head', sa.LargeBinary(), nullable=False),
    sa.PrimaryKeyConstraint('game_id', 'seq', name=op.f('turn_pkey'))
    )
    op.create_index('turn_at', 'turn', ['at'], unique=False, postgresql_using='brin', postgresql_with={'autosummarize': True, 'pages_per_range': 32})
    op.create_table('absence',
    sa.Column('id', sa.BigInteger(), sa.Identity(always=False), nullable=False),
    sa.Column('account_id', sa.BigInteger(), nullable=False),
    sa.Column('kind', sa.Text(), nullable=False),
    sa.Column('from_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('until_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('declared_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('ended_at', sa.DateTime(timezone=True), nullable=True),
    sa.CheckConstraint("kind IN ('dates', 'holiday')", name=op.f('absence_kind')),
    sa.CheckConstraint('ended_at BETWEEN from_at AND until_at', name=op.f('absence_end')),
    sa.CheckConstraint('from_at < until_at', name=op.f('absence_order')),
    sa.ForeignKeyConstraint(['account_id'], ['account.id'], name=op.f('absence_account_id_fkey')),
    sa.PrimaryKeyConstraint('id', name=op.f('absence_pkey'))
    )
    op.create_index(op.f('absence_account_id_until_at'), 'absence', ['account_id', 'until_at'], unique=False)
    op.create_table('address_change',
    sa.Column('id', sa.BigInteger(), sa.Identity(always=False), nullable=False),
    sa.Column('account_id', sa.BigInteger(), nullable=False),
    sa.Column('old_address', sa.Text(), nullable=False),
    sa.Column('new_address', sa.Text(), nullable=False),
    sa.Column('nonce', sa.LargeBinary(), nullable=False),
    sa.Column('token_hash', sa.LargeBinary(), nullable=False),
    sa.Column('requested_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('expires_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('confirmed_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('withdrawn_at', sa.DateTime(timezone=True), nullable=True),
    sa.ForeignKeyConstraint(['account_id'], ['account.id'], name=op.f('address_change_account_id_fkey')),
    sa.PrimaryKeyConstraint('id', name=op.f('address_change_pkey')),
    sa.UniqueConstraint('token_hash', name=op.f('address_change_token_hash_key'))
    )
    op.create_index(op.f('address_change_account_id_requested_at'), 'address_change', ['account_id', 'requested_at'], unique=False)
    op.create_table('block',
    sa.Column('blocker_id', sa.BigInteger(), nullable=False),
    sa.Column('blocked_id', sa.BigInteger(), nullable=False),
    sa.Column('ref', sa.Text(), nullable=False),
    sa.Column('name', sa.Text(), nullable=False),
    sa.Column('blocked_at', sa.DateTime(timezone=True), nullable=False),
    sa.ForeignKeyConstraint(['blocked_id'], ['account.id'], name=op.f('block_blocked_id_fkey')),
    sa.ForeignKeyConstraint(['blocker_id'], ['account.id'], name=op.f('block_blocker_id_fkey')),
    sa.PrimaryKeyConstraint('blocker_id', 'blocked_id', name=op.f('block_pkey')),
    sa.UniqueConstraint('ref', name=op.f('block_ref_key'))
    )
    op.create_index(op.f('block_blocked_id'), 'block', ['blocked_id'], unique=False)
    op.create_table('club_announcement',
    sa.Column('id', sa.BigInteger(), sa.Identity(always=False), nullable=False),
    sa.Column('club_id', sa.BigInteger(), nullable=False),
    sa.Column('author_id', sa.BigInteger(), nullable=False),
    sa.Column('text', sa.Text(), nullable=False),
    sa.Column('announced_at', sa.DateTime(timezone=True), nullable=False),
    sa.ForeignKeyConstraint(['author_id'], ['account.id'], name=op.f('club_announcement_author_id_fkey')),
    sa.ForeignKeyConstraint(['club_id'], ['club.id'], name=op.f('club_announcement_club_id_fkey')),
    sa.PrimaryKeyConstraint('id', name=op.f('club_announcement_pkey'))
    )
    op.create_index(op.f('club_announcement_club_id_announced_at'), 'club_announcement', ['club_id', 'announced_at'], unique=False)
    op.create_table('club_invitation',
    sa.Column('id', sa.BigInteger(), sa.Identity(always=False), nullable=False),
    sa.Column('club_id', sa.BigInteger(), nullable=False),
    sa.Column('nonce', sa.LargeBinary(), nullable=False),
    sa.Column('token_hash', sa.LargeBinary(), nullable=False),
    sa.Column('address', sa.Text(), nullable=True),
    sa.Column('invited_by', sa.BigInteger(), nullable=False),
    sa.Column('invited_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('accepted_by', sa.BigInteger(), nullable=True),
    sa.ForeignKeyConstraint(['accepted_by'], ['account.id'], name=op.f('club_invitation_accepted_by_fkey')),
    sa.ForeignKeyConstraint(['club_id'], ['club.id'], name=op.f('club_invitation_club_id_fkey')),
    sa.ForeignKeyConstraint(['invited_by'], ['account.id'], name=op.f('club_invitation_invited_by_fkey')),
    sa.PrimaryKeyConstraint('id', name=op.f('club_invitation_pkey')),
    sa.UniqueConstraint('token_hash', name=op.f('club_invitation_token_hash_key'))
    )
    op.create_index(op.f('club_invitation_club_id'), 'club_invitation', ['club_id'], unique=False)
    op.create_index(op.f('club_invitation_invited_by_invited_at'), 'club_invitation', ['invited_by', 'invited_at'], unique=False)
    op.create_table('game',
    sa.Column('id', sa.BigInteger(), sa.Identity(always=False), nullable=False),
    sa.Column('slug', sa.Text(), nullable=False),
    sa.Column('host_id', sa.BigInteger(), nullable=False),
    sa.Column('host_name', sa.Text(), nullable=False),
    sa.Column('table_name', sa.Text(), server_default=sa.text("''"), nullable=False),
    sa.Column('rematch_of', sa.BigInteger(), nullable=True),
    sa.Column('club_id', sa.BigInteger(), nullable=True),
    sa.Column('rulebook', sa.Text(), nullable=False),
    sa.Column('house', postgresql.JSONB(astext_type=sa.Text()), nullable=False),
    sa.Column('seat_count', sa.SmallInteger(), nullable=False),
    sa.Column('starter', sa.SmallInteger(), nullable=True),
    sa.Column('allowance', sa.Interval(), nullable=False),
    sa.Column('pace', postgresql.JSONB(astext_type=sa.Text()), server_default=sa.text("'{}'::jsonb"), nullable=False),
    sa.Column('late_rules', postgresql.JSONB(astext_type=sa.Text()), server_default=sa.text("'{}'::jsonb"), nullable=False),
    sa.Column('public', sa.Boolean(), nullable=False),
    sa.Column('status', sa.Text(), nullable=False),
    sa.Column('opened_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('ended_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('waiting_since', sa.DateTime(timezone=True), nullable=True),
    sa.Column('is_waiting_warned', sa.Boolean(), server_default=sa.text('false'), nullable=False),
    sa.Column('removal_count', sa.SmallInteger(), server_default=sa.text('0'), nullable=False),
    sa.Column('ready_check_count', sa.SmallInteger(), server_default=sa.text('0'), nullable=False),
    sa.Column('freeze_record', sa.LargeBinary(), nullable=True),
    sa.Column('thread_id', sa.Text(), nullable=False),
    sa.Column('head', sa.LargeBinary(), nullable=True),
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
    sa.Column('paused_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('plans', sa.LargeBinary(), nullable=True),
    sa.Column('player_changes', sa.BigInteger(), server_default=sa.text('0'), nullable=False),
    sa.Column('held_turn', sa.LargeBinary(), nullable=True),
    sa.CheckConstraint("status IN ('open', 'ready-check', 'running', 'paused', 'finished', 'cancelled')", name=op.f('game_status')),
    sa.CheckConstraint('seat_count BETWEEN 3 AND 10', name=op.f('game_seat_count')),
    sa.ForeignKeyConstraint(['club_id'], ['club.id'], name=op.f('game_club_id_fkey')),
    sa.ForeignKeyConstraint(['host_id'], ['account.id'], name=op.f('game_host_id_fkey')),
    sa.ForeignKeyConstraint(['rematch_of'], ['game.id'], name=op.f('game_rematch_of_fkey')),
    sa.PrimaryKeyConstraint('id', name=op.f('game_pkey')),
    sa.UniqueConstraint('slug', name=op.f('game_slug_key'))
    )
    op.create_index('game_bot_turn', 'game', ['wake_at'], unique=False, postgresql_where=sa.text("status = 'running' AND awaiting_bot"))
    op.create_index('game_club', 'game', ['club_id', 'status'], unique=False, postgresql_where=sa.text('club_id IS NOT NULL'))
    op.create_index('game_hosted', 'game', ['host_id'], unique=False, postgresql_where=sa.text("status IN ('open', 'ready-check', 'running', 'paused')"))
    op.create_index('game_open', 'game', ['opened_at'], unique=False, postgresql_where=sa.text("status = 'open' AND public"))
    op.create_index('game_lobby', 'game', ['opened_at'], unique=False, postgresql_where=sa.text("status IN ('open', 'ready-check')"))
    op.create_index('game_over', 'game', [sa.literal_column('coalesce(ended_at, opened_at)')], unique=False, postgresql_where=sa.text("status IN ('finished', 'cancelled')"))
    op.create_index('game_paused', 'game', ['paused_at'], unique=False, postgresql_where=sa.text("status = 'paused'"))
    op.create_index('game_rematch', 'game', ['rematch_of'], unique=True, postgresql_where=sa.text("rematch_of IS NOT NULL AND status <> 'cancelled'"))
    op.create_index('game_waiting', 'game', [sa.literal_column('coalesce(deadline_at, wake_at)')], unique=False, postgresql_where=sa.text("status = 'running' AND NOT awaiting_bot"))
    op.create_index('game_unanswered', 'game', ['id'], unique=False, postgresql_where=sa.text("status = 'ready-check'"))
    op.create_index('game_unfilled', 'game', ['waiting_since'], unique=False, postgresql_where=sa.text("status = 'open'"))
    op.create_index('game_wake_at', 'game', ['wake_at'], unique=False, postgresql_where=sa.text("status = 'running' AND NOT awaiting_bot"))
    op.create_table('membership',
    sa.Column('id', sa.BigInteger(), sa.Identity(always=False), nullable=False),
    sa.Column('club_id', sa.BigInteger(), nullable=False),
    sa.Column('account_id', sa.BigInteger(), nullable=False),
    sa.Column('rank', sa.Text(), server_default=sa.text("'member'"), nullable=False),
    sa.Column('status', sa.Text(), nullable=False),
    sa.Column('joined_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('wants_announcements', sa.Boolean(), server_default=sa.text('true'), nullable=False),
    sa.Column('wants_requests', sa.Boolean(), server_default=sa.text('true'), nullable=False),
    sa.CheckConstraint("rank IN ('founder', 'moderator', 'member')", name=op.f('membership_rank')),
    sa.CheckConstraint("status = 'member' OR rank = 'member'", name=op.f('membership_asked')),
    sa.CheckConstraint("status IN ('asked', 'member')", name=op.f('membership_status')),
    sa.ForeignKeyConstraint(['account_id'], ['account.id'], name=op.f('membership_account_id_fkey')),
    sa.ForeignKeyConstraint(['club_id'], ['club.id'], name=op.f('membership_club_id_fkey')),
    sa.PrimaryKeyConstraint('id', name=op.f('membership_pkey')),
    sa.UniqueConstraint('club_id', 'account_id', name=op.f('membership_club_id_account_id_key'))
    )
    op.create_index(op.f('membership_account_id'), 'membership', ['account_id'], unique=False)
    op.create_index('membership_founder', 'membership', ['club_id'], unique=True, postgresql_where=sa.text("rank = 'founder'"))
    op.create_table('outage',
    sa.Column('kind', sa.Text(), nullable=False),
    sa.Column('began_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('ended_at', sa.DateTime(timezone=True), nullable=False),
    sa.PrimaryKeyConstraint('kind', 'began_at', name=op.f('outage_pkey'))
    )
    op.create_table('passkey',
    sa.Column('id', sa.BigInteger(), sa.Identity(always=False), nullable=False),
    sa.Column('ref', sa.Text(), nullable=False),
    sa.Column('account_id', sa.BigInteger(), nullable=False),
    sa.Column('credential_id', sa.LargeBinary(), nullable=False),
    sa.Column('public_key', sa.LargeBinary(), nullable=False),
    sa.Column('sign_count', sa.BigInteger(), nullable=False),
    sa.Column('name', sa.Text(), nullable=False),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('last_used_at', sa.DateTime(timezone=True), nullable=True),
    sa.ForeignKeyConstraint(['account_id'], ['account.id'], name=op.f('passkey_account_id_fkey')),
    sa.PrimaryKeyConstraint('id', name=op.f('passkey_pkey')),
    sa.UniqueConstraint('credential_id', name=op.f('passkey_credential_id_key')),
    sa.UniqueConstraint('ref', name=op.f('passkey_ref_key'))
    )
    op.create_index(op.f('passkey_account_id'), 'passkey', ['account_id'], unique=False)
    op.create_table('quiet_hours',
    sa.Column('account_id', sa.BigInteger(), nullable=False),
    sa.Column('number', sa.SmallInteger(), nullable=False),
    sa.Column('weekdays', sa.ARRAY(sa.SmallInteger()), nullable=False),
    sa.Column('from_time', sa.Time(), nullable=False),
    sa.Column('until_time', sa.Time(), nullable=False),
    sa.CheckConstraint('from_time <> until_time', name=op.f('quiet_hours_length')),
    sa.ForeignKeyConstraint(['account_id'], ['account.id'], name=op.f('quiet_hours_account_id_fkey')),
    sa.PrimaryKeyConstraint('account_id', 'number', name=op.f('quiet_hours_pkey'))
    )
    op.create_table('saved_filter',
    sa.Column('id', sa.BigInteger(), sa.Identity(always=False), nullable=False),
    sa.Column('account_id', sa.BigInteger(), nullable=False),
    sa.Column('name', sa.Text(), nullable=False),
    sa.Column('query', sa.Text(), nullable=False),
    sa.ForeignKeyConstraint(['account_id'], ['account.id'], name=op.f('saved_filter_account_id_fkey')),
    sa.PrimaryKeyConstraint('id', name=op.f('saved_filter_pkey')),
    sa.UniqueConstraint('account_id', 'name', name='saved_filter_name')
    )
    op.create_table('season',
    sa.Column('id', sa.BigInteger(), sa.Identity(always=False), nullable=False),
    sa.Column('club_id', sa.BigInteger(), nullable=False),
    sa.Column('name', sa.Text(), nullable=False),
    sa.Column('starts_on', sa.Date(), nullable=False),
    sa.Column('ends_on', sa.Date(), nullable=False),
    sa.CheckConstraint('starts_on <= ends_on', name=op.f('season_days')),
    sa.ForeignKeyConstraint(['club_id'], ['club.id'], name=op.f('season_club_id_fkey')),
    sa.PrimaryKeyConstraint('id', name=op.f('season_pkey'))
    )
    op.create_index(op.f('season_club_id'), 'season', ['club_id'], unique=False)
    op.create_table('security_event',
    sa.Column('id', sa.BigInteger(), sa.Identity(always=False), nullable=False),
    sa.Column('at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('kind', sa.Text(), nullable=False),
    sa.Column('account_id', sa.BigInteger(), nullable=True),
    sa.Column('network_address', sa.Text(), nullable=True),
    sa.Column('detail', postgresql.JSONB(astext_type=sa.Text()), server_default=sa.text("'{}'"), nullable=False),
    sa.Column('counted_as', sa.Text(), nullable=True),
    sa.Column('times', sa.BigInteger(), server_default=sa.text('1'), nullable=False),
    sa.Column('last_at', sa.DateTime(timezone=True), nullable=True),
    sa.ForeignKeyConstraint(['account_id'], ['account.id'], name=op.f('security_event_account_id_fkey')),
    sa.PrimaryKeyConstraint('id', name=op.f('security_event_pkey')),
    sa.UniqueConstraint('counted_as', name=op.f('security_event_counted_as_key'))
    )
    op.create_index('security_event_account', 'security_event', ['account_id', 'id'], unique=False)
    op.create_index('security_event_at', 'security_event', ['at'], unique=False)
    op.create_index('security_event_kind', 'security_event', ['kind', 'id'], unique=False)
    op.create_index('security_event_network', 'security_event', ['at'], unique=False, postgresql_where=sa.text('network_address IS NOT NULL'))
    op.create_table('session',
    sa.Column('id', sa.BigInteger(), sa.Identity(always=False), nullable=False),
    sa.Column('token_hash', sa.LargeBinary(), nullable=False),
    sa.Column('ref', sa.Text(), nullable=False),
    sa.Column('account_id', sa.BigInteger(), nullable=False),
    sa.Column('user_agent', sa.Text(), nullable=False),
    sa.Column('network_address', sa.Text(), nullable=True),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('confirmed_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('with_passkey', sa.Boolean(), server_default=sa.text('false'), nullable=False),
    sa.Column('active_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('expires_at', sa.DateTime(timezone=True), nullable=False),
    sa.ForeignKeyConstraint(['account_id'], ['account.id'], name=op.f('session_account_id_fkey')),
    sa.PrimaryKeyConstraint('id', name=op.f('session_pkey')),
    sa.UniqueConstraint('ref', name=op.f('session_ref_key')),
    sa.UniqueConstraint('token_hash', name=op.f('session_token_hash_key'))
    )
    op.create_index(op.f('session_account_id'), 'session', ['account_id'], unique=False)
    op.create_index('session_network', 'session', ['network_address'], unique=False, postgresql_where=sa.text('network_address IS NOT NULL'))
    op.create_table('game_result',
    sa.Column('game_id', sa.BigInteger(), nullable=False),
    sa.Column('seat', sa.SmallInteger(), nullable=False),
    sa.Column('account_id', sa.BigInteger(), nullable=True),
    sa.Column('gold', sa.SmallInteger(), nullable=False),
    sa.Column('is_winner', sa.Boolean(), nullable=False),
    sa.Column('digger_rounds', sa.SmallInteger(), nullable=False),
    sa.Column('saboteur_rounds', sa.SmallInteger(), nullable=False),
    sa.ForeignKeyConstraint(['account_id'], ['account.id'], name=op.f('game_result_account_id_fkey')),
    sa.ForeignKeyConstraint(['game_id'], ['game.id'], name=op.f('game_result_game_id_fkey')),
    sa.PrimaryKeyConstraint('game_id', 'seat', name=op.f('game_result_pkey'))
    )
    op.create_index(op.f('game_result_account_id'), 'game_result', ['account_id'], unique=False)
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
    sa.Column('name', sa.Text(), nullable=True),
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
    op.create_table('seat_offer',
    sa.Column('id', sa.BigInteger(), sa.Identity(always=False), nullable=False),
    sa.Column('game_id', sa.BigInteger(), nullable=False),
    sa.Column('seat', sa.SmallInteger(), nullable=False),
    sa.Column('nonce', sa.LargeBinary(), nullable=False),
    sa.Column('token_hash', sa.LargeBinary(), nullable=False),
    sa.Column('name', sa.Text(), nullable=True),
    sa.Column('address', sa.Text(), nullable=True),
    sa.Column('is_link', sa.Boolean(), nullable=False),
    sa.Column('offered_by', sa.BigInteger(), nullable=True),
    sa.Column('reason', sa.Text(), nullable=False),
    sa.Column('offered_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('expires_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('ended_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('ended_as', sa.Text(), nullable=True),
    sa.Column('accepted_by', sa.BigInteger(), nullable=True),
    sa.CheckConstraint("ended_as IN ('accepted', 'declined', 'withdrawn', 'replaced', 'filled')", name=op.f('seat_offer_ended_as')),
    sa.CheckConstraint('(ended_at IS NULL) = (ended_as IS NULL)', name=op.f('seat_offer_ended')),
    sa.CheckConstraint("(ended_as = 'accepted') = (accepted_by IS NOT NULL)", name=op.f('seat_offer_accepted')),
    sa.ForeignKeyConstraint(['accepted_by'], ['account.id'], name=op.f('seat_offer_accepted_by_fkey')),
    sa.ForeignKeyConstraint(['game_id'], ['game.id'], name=op.f('seat_offer_game_id_fkey')),
    sa.ForeignKeyConstraint(['offered_by'], ['account.id'], name=op.f('seat_offer_offered_by_fkey')),
    sa.PrimaryKeyConstraint('id', name=op.f('seat_offer_pkey')),
    sa.UniqueConstraint('token_hash', name=op.f('seat_offer_token_hash_key'))
    )
    op.create_index(op.f('seat_offer_expires_at'), 'seat_offer', ['expires_at'], unique=False)
    op.create_index('seat_offer_game', 'seat_offer', ['game_id', 'id'], unique=False)
    op.create_index('seat_offer_open', 'seat_offer', ['game_id', 'seat'], unique=True, postgresql_where=sa.text('ended_as IS NULL'))
    op.create_table('vote',
    sa.Column('id', sa.BigInteger(), sa.Identity(always=False), nullable=False),
    sa.Column('game_id', sa.BigInteger(), nullable=False),
    sa.Column('kind', sa.Text(), nullable=False),
    sa.Column('seat', sa.SmallInteger(), nullable=False),
    sa.Column('round', sa.SmallInteger(), nullable=False),
    sa.Column('opened_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('expires_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('ended_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('outcome', sa.Text(), nullable=True),
    sa.Column('pause_ends_at', sa.DateTime(timezone=True), nullable=True),
    sa.CheckConstraint("kind IN ('pause', 'resume', 'cancel', 'shorten')", name=op.f('vote_kind')),
    sa.CheckConstraint("outcome IN ('passed', 'rejected', 'expired', 'outdated')", name=op.f('vote_outcome')),
    sa.CheckConstraint('(ended_at IS NULL) = (outcome IS NULL)', name=op.f('vote_ended')),
    sa.ForeignKeyConstraint(['game_id'], ['game.id'], name=op.f('vote_game_id_fkey')),
    sa.PrimaryKeyConstraint('id', name=op.f('vote_pkey'))
    )
    op.create_index('vote_expires_at', 'vote', ['expires_at'], unique=False, postgresql_where=sa.text('ended_at IS NULL'))
    op.create_index('vote_game', 'vote', ['game_id', 'id'], unique=False)
    op.create_index('vote_open', 'vote', ['game_id'], unique=True, postgresql_where=sa.text('ended_at IS NULL'))
    op.create_index('vote_pause_ends_at', 'vote', ['pause_ends_at'], unique=False, postgresql_where=sa.text('pause_ends_at IS NOT NULL'))
    op.create_table('ballot',
    sa.Column('vote_id', sa.BigInteger(), nullable=False),
    sa.Column('account_id', sa.BigInteger(), nullable=False),
    sa.Column('is_yes', sa.Boolean(), nullable=True),
    sa.ForeignKeyConstraint(['account_id'], ['account.id'], name=op.f('ballot_account_id_fkey')),
    sa.ForeignKeyConstraint(['vote_id'], ['vote.id'], name=op.f('ballot_vote_id_fkey')),
    sa.PrimaryKeyConstraint('vote_id', 'account_id', name=op.f('ballot_pkey'))
    )
    op.create_index(op.f('ballot_account_id'), 'ballot', ['account_id'], unique=False)
    op.create_table('ledger',
    sa.Column('id', sa.BigInteger(), sa.Identity(always=False), nullable=False),
    sa.Column('at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('act', sa.Text(), nullable=False),
    sa.Column('actor_id', sa.BigInteger(), nullable=True),
    sa.Column('acted_as', sa.Text(), nullable=False),
    sa.Column('game_id', sa.BigInteger(), nullable=True),
    sa.Column('seat', sa.SmallInteger(), nullable=True),
    sa.Column('seq', sa.BigInteger(), nullable=True),
    sa.Column('club_id', sa.BigInteger(), nullable=True),
    sa.Column('account_id', sa.BigInteger(), nullable=True),
    sa.Column('before', postgresql.JSONB(astext_type=sa.Text()), server_default=sa.text("'{}'"), nullable=False),
    sa.Column('after', postgresql.JSONB(astext_type=sa.Text()), server_default=sa.text("'{}'"), nullable=False),
    sa.Column('reason', sa.Text(), nullable=False),
    sa.Column('form_id', sa.Text(), nullable=False),
    sa.Column('undoes', sa.BigInteger(), nullable=True),
    sa.CheckConstraint('length(reason) BETWEEN 1 AND 500', name=op.f('ledger_reason')),
    sa.ForeignKeyConstraint(['account_id'], ['account.id'], name=op.f('ledger_account_id_fkey')),
    sa.ForeignKeyConstraint(['actor_id'], ['account.id'], name=op.f('ledger_actor_id_fkey')),
    sa.ForeignKeyConstraint(['game_id'], ['game.id'], name=op.f('ledger_game_id_fkey')),
    sa.ForeignKeyConstraint(['undoes'], ['ledger.id'], name=op.f('ledger_undoes_fkey')),
    sa.PrimaryKeyConstraint('id', name=op.f('ledger_pkey')),
    sa.UniqueConstraint('form_id', name=op.f('ledger_form_id_key')),
    sa.UniqueConstraint('undoes', name=op.f('ledger_undoes_key'))
    )
    op.create_index('ledger_account', 'ledger', ['account_id', 'id'], unique=False, postgresql_where=sa.text('account_id IS NOT NULL'))
    op.create_index('ledger_act', 'ledger', ['act', 'id'], unique=False)
    op.create_index('ledger_actor', 'ledger', ['actor_id', 'id'], unique=False)
    op.create_index('ledger_club', 'ledger', ['club_id', 'id'], unique=False, postgresql_where=sa.text('club_id IS NOT NULL'))
    op.create_index('ledger_game', 'ledger', ['game_id', 'id'], unique=False, postgresql_where=sa.text('game_id IS NOT NULL'))
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
    sa.Column('bot_level', sa.Text(), nullable=True),
    sa.Column('name', sa.Text(), nullable=True),
    sa.Column('is_ready', sa.Boolean(), server_default=sa.text('false'), nullable=False),
    sa.Column('salt', sa.LargeBinary(), server_default=sa.text("''::bytea"), nullable=False),
    sa.Column('bank', sa.Interval(), nullable=True),
    sa.Column('strikes', sa.SmallInteger(), server_default=sa.text('0'), nullable=False),
    sa.Column('absence_used', sa.Interval(), nullable=True),
    sa.Column('returned_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('opened_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('leaver_id', sa.BigInteger(), nullable=True),
    sa.Column('is_lost', sa.Boolean(), server_default=sa.text('false'), nullable=False),
    sa.Column('informed_volunteers', sa.SmallInteger(), server_default=sa.text('0'), nullable=False),
    sa.CheckConstraint('account_id IS NULL OR bot_name IS NULL', name=op.f('seat_person_or_bot')),
    sa.CheckConstraint('opened_at IS NULL OR (account_id IS NULL AND bot_name IS NULL)', name=op.f('seat_opened')),
    sa.CheckConstraint('opened_at IS NOT NULL OR (leaver_id IS NULL AND NOT is_lost)', name=op.f('seat_leaver')),
    sa.CheckConstraint('(bot_level IS NULL) = (bot_name IS NULL)', name=op.f('seat_bot_has_level')),
    sa.CheckConstraint('octet_length(salt) <= 64', name=op.f('seat_salt')),
    sa.ForeignKeyConstraint(['account_id'], ['account.id'], name=op.f('seat_account_id_fkey')),
    sa.ForeignKeyConstraint(['game_id'], ['game.id'], name=op.f('seat_game_id_fkey')),
    sa.ForeignKeyConstraint(['leaver_id'], ['account.id'], name=op.f('seat_leaver_id_fkey')),
    sa.PrimaryKeyConstraint('game_id', 'number', name=op.f('seat_pkey'))
    )
    op.create_index(op.f('seat_account_id'), 'seat', ['account_id'], unique=False)
    op.create_index('seat_free', 'seat', ['game_id', 'number'], unique=False, postgresql_where=sa.text('account_id IS NULL AND bot_name IS NULL'))
    op.create_index('seat_leaver', 'seat', ['leaver_id'], unique=False, postgresql_where=sa.text('leaver_id IS NOT NULL'))
    op.create_index('seat_lost', 'seat', ['opened_at'], unique=False, postgresql_where=sa.text('is_lost'))
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
    op.create_table('sitting',
    sa.Column('game_id', sa.BigInteger(), nullable=False),
    sa.Column('seat', sa.SmallInteger(), nullable=False),
    sa.Column('number', sa.SmallInteger(), nullable=False),
    sa.Column('until_seq', sa.BigInteger(), nullable=False),
    sa.Column('account_id', sa.BigInteger(), nullable=True),
    sa.Column('name', sa.Text(), nullable=False),
    sa.Column('bot_level', sa.Text(), nullable=True),
    sa.ForeignKeyConstraint(['account_id'], ['account.id'], name=op.f('sitting_account_id_fkey')),
    sa.ForeignKeyConstraint(['game_id'], ['game.id'], name=op.f('sitting_game_id_fkey')),
    sa.PrimaryKeyConstraint('game_id', 'seat', 'number', name=op.f('sitting_pkey'))
    )
    op.create_index(op.f('sitting_account_id'), 'sitting', ['account_id'], unique=False)
    op.create_table('reply_token',
    sa.Column('token_hash', sa.LargeBinary(), nullable=False),
    sa.Column('account_id', sa.BigInteger(), nullable=False),
    sa.Column('game_id', sa.BigInteger(), nullable=False),
    sa.Column('seq', sa.BigInteger(), nullable=False),
    sa.PrimaryKeyConstraint('token_hash', name=op.f('reply_token_pkey'))
    )
    op.create_index(op.f('reply_token_game_id'), 'reply_token', ['game_id'], unique=False)
    op.create_table('inbound_email',
    sa.Column('id', sa.BigInteger(), sa.Identity(always=False), nullable=False),
    sa.Column('digest', sa.LargeBinary(), nullable=False),
    sa.Column('message_id_digest', sa.LargeBinary(), nullable=True),
    sa.Column('token_hash', sa.LargeBinary(), nullable=True),
    sa.Column('notification_id', sa.BigInteger(), nullable=True),
    sa.Column('received_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('is_vouched', sa.Boolean(), nullable=False),
    sa.Column('message', sa.LargeBinary(), nullable=True),
    sa.Column('settled_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('account_id', sa.BigInteger(), nullable=True),
    sa.Column('is_proven', sa.Boolean(), nullable=True),
    sa.Column('outcome', sa.Text(), nullable=True),
    sa.CheckConstraint('(settled_at IS NULL) = (message IS NOT NULL)', name=op.f('inbound_email_settled')),
    sa.CheckConstraint('(token_hash IS NULL) = (notification_id IS NOT NULL)', name=op.f('inbound_email_recipient')),
    sa.PrimaryKeyConstraint('id', name=op.f('inbound_email_pkey')),
    sa.UniqueConstraint('digest', name=op.f('inbound_email_digest_key')),
    sa.UniqueConstraint('message_id_digest', name=op.f('inbound_email_message_id_digest_key'))
    )
    op.create_index('inbound_email_waiting', 'inbound_email', ['id'], unique=False, postgresql_where=sa.text('settled_at IS NULL'))
    op.create_index('inbound_email_settled', 'inbound_email', ['settled_at'], unique=False)
    op.create_index(op.f('inbound_email_account_id'), 'inbound_email', ['account_id'], unique=False)
    op.create_table('unsubscribe_token',
    sa.Column('token_hash', sa.LargeBinary(), nullable=False),
    sa.Column('address', sa.Text(), nullable=False),
    sa.Column('scope', sa.Text(), nullable=False),
    sa.Column('game_id', sa.BigInteger(), nullable=True),
    sa.Column('club_id', sa.BigInteger(), nullable=True),
    sa.ForeignKeyConstraint(['club_id'], ['club.id'], name=op.f('unsubscribe_token_club_id_fkey')),
    sa.ForeignKeyConstraint(['game_id'], ['game.id'], name=op.f('unsubscribe_token_game_id_fkey')),
    sa.PrimaryKeyConstraint('token_hash', name=op.f('unsubscribe_token_pkey'))
    )
    op.create_table('peek',
    sa.Column('id', sa.BigInteger(), sa.Identity(always=False), nullable=False),
    sa.Column('game_id', sa.BigInteger(), nullable=False),
    sa.Column('account_id', sa.BigInteger(), nullable=False),
    sa.Column('seq', sa.BigInteger(), nullable=False),
    sa.Column('ledger_id', sa.BigInteger(), nullable=False),
    sa.Column('at', sa.DateTime(timezone=True), nullable=False),
    sa.ForeignKeyConstraint(['account_id'], ['account.id'], name=op.f('peek_account_id_fkey')),
    sa.ForeignKeyConstraint(['game_id'], ['game.id'], name=op.f('peek_game_id_fkey')),
    sa.ForeignKeyConstraint(['ledger_id'], ['ledger.id'], name=op.f('peek_ledger_id_fkey')),
    sa.PrimaryKeyConstraint('id', name=op.f('peek_pkey'))
    )
    op.create_index('peek_person', 'peek', ['game_id', 'account_id', 'id'], unique=False)
    op.create_table('sanction',
    sa.Column('id', sa.BigInteger(), sa.Identity(always=False), nullable=False),
    sa.Column('account_id', sa.BigInteger(), nullable=False),
    sa.Column('kind', sa.Text(), nullable=False),
    sa.Column('reason', sa.Text(), nullable=False),
    sa.Column('at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('until', sa.DateTime(timezone=True), nullable=True),
    sa.Column('lifted_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('ledger_id', sa.BigInteger(), nullable=False),
    sa.Column('appeal_hash', sa.LargeBinary(), nullable=False),
    sa.CheckConstraint("(kind IN ('ban', 'mute')) = (until IS NOT NULL)", name=op.f('sanction_until')),
    sa.CheckConstraint("kind IN ('warning', 'ban', 'mute', 'rename')", name=op.f('sanction_kind')),
    sa.ForeignKeyConstraint(['account_id'], ['account.id'], name=op.f('sanction_account_id_fkey')),
    sa.ForeignKeyConstraint(['ledger_id'], ['ledger.id'], name=op.f('sanction_ledger_id_fkey')),
    sa.PrimaryKeyConstraint('id', name=op.f('sanction_pkey')),
    sa.UniqueConstraint('appeal_hash', name=op.f('sanction_appeal_hash_key'))
    )
    op.create_index(op.f('sanction_account_id_id'), 'sanction', ['account_id', 'id'], unique=False)
    op.create_table('report',
    sa.Column('id', sa.BigInteger(), sa.Identity(always=False), nullable=False),
    sa.Column('kind', sa.Text(), nullable=False),
    sa.Column('reporter_id', sa.BigInteger(), nullable=True),
    sa.Column('account_id', sa.BigInteger(), nullable=True),
    sa.Column('game_id', sa.BigInteger(), nullable=True),
    sa.Column('seat', sa.SmallInteger(), nullable=True),
    sa.Column('message_number', sa.BigInteger(), nullable=True),
    sa.Column('message_text', sa.Text(), nullable=True),
    sa.Column('sanction_id', sa.BigInteger(), nullable=True),
    sa.Column('complaint', sa.Text(), nullable=False),
    sa.Column('at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('decided_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('decided_by', sa.BigInteger(), nullable=True),
    sa.Column('decision', sa.Text(), nullable=True),
    sa.Column('answer', sa.Text(), nullable=True),
    sa.CheckConstraint("(kind = 'appeal') = (sanction_id IS NOT NULL)", name=op.f('report_appeal')),
    sa.CheckConstraint("(kind = 'message') = (message_number IS NOT NULL)", name=op.f('report_message')),
    sa.CheckConstraint('(decided_at IS NULL) = (decision IS NULL)', name=op.f('report_decision')),
    sa.CheckConstraint('length(complaint) BETWEEN 1 AND 1000', name=op.f('report_complaint')),
    sa.ForeignKeyConstraint(['account_id'], ['account.id'], name=op.f('report_account_id_fkey')),
    sa.ForeignKeyConstraint(['decided_by'], ['account.id'], name=op.f('report_decided_by_fkey')),
    sa.ForeignKeyConstraint(['game_id'], ['game.id'], name=op.f('report_game_id_fkey')),
    sa.ForeignKeyConstraint(['reporter_id'], ['account.id'], name=op.f('report_reporter_id_fkey')),
    sa.ForeignKeyConstraint(['sanction_id'], ['sanction.id'], name=op.f('report_sanction_id_fkey')),
    sa.PrimaryKeyConstraint('id', name=op.f('report_pkey'))
    )
    op.create_index('report_account', 'report', ['account_id', 'id'], unique=False)
    op.create_index('report_game', 'report', ['game_id', 'id'], unique=False)
    op.create_index('report_open', 'report', ['reporter_id', 'kind', 'game_id', 'seat', 'sanction_id', 'message_number'], unique=True, postgresql_where=sa.text('decided_at IS NULL'), postgresql_nulls_not_distinct=True)
    op.create_index('report_message', 'report', ['game_id', 'message_number', 'reporter_id'], unique=True, postgresql_where=sa.text('message_number IS NOT NULL'))
    op.create_index('report_reporter', 'report', ['reporter_id', 'at'], unique=False)
    op.create_index('report_waiting', 'report', ['at', 'id'], unique=False, postgresql_where=sa.text('decided_at IS NULL'))
    op.create_table('message',
    sa.Column('game_id', sa.BigInteger(), autoincrement=False, nullable=False),
    sa.Column('number', sa.BigInteger(), autoincrement=False, nullable=False),
    sa.Column('account_id', sa.BigInteger(), nullable=False),
    sa.Column('seat', sa.SmallInteger(), nullable=False),
    sa.Column('name', sa.Text(), nullable=False),
    sa.Column('seq', sa.BigInteger(), nullable=False),
    sa.Column('text', sa.Text(), nullable=False),
    sa.Column('at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('edited_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('deleted_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('removed_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('form_id', sa.Text(), nullable=False),
    sa.CheckConstraint("(text = '') = (deleted_at IS NOT NULL OR removed_at IS NOT NULL)", name=op.f('message_gone')),
    sa.CheckConstraint('length(text) <= 500', name=op.f('message_text')),
    sa.ForeignKeyConstraint(['account_id'], ['account.id'], name=op.f('message_account_id_fkey')),
    sa.PrimaryKeyConstraint('game_id', 'number', name=op.f('message_pkey'))
    )
    op.create_index('message_author', 'message', ['account_id', 'game_id'], unique=False)
    op.create_table('mute',
    sa.Column('muter_id', sa.BigInteger(), nullable=False),
    sa.Column('muted_id', sa.BigInteger(), nullable=False),
    sa.Column('ref', sa.Text(), nullable=False),
    sa.Column('name', sa.Text(), nullable=False),
    sa.Column('muted_at', sa.DateTime(timezone=True), nullable=False),
    sa.ForeignKeyConstraint(['muted_id'], ['account.id'], name=op.f('mute_muted_id_fkey')),
    sa.ForeignKeyConstraint(['muter_id'], ['account.id'], name=op.f('mute_muter_id_fkey')),
    sa.PrimaryKeyConstraint('muter_id', 'muted_id', name=op.f('mute_pkey')),
    sa.UniqueConstraint('ref', name=op.f('mute_ref_key'))
    )
    op.create_index(op.f('mute_muted_id'), 'mute', ['muted_id'], unique=False)
    op.create_table('note',
    sa.Column('game_id', sa.BigInteger(), nullable=False),
    sa.Column('account_id', sa.BigInteger(), nullable=False),
    sa.Column('text', sa.Text(), nullable=False),
    sa.Column('changed_at', sa.DateTime(timezone=True), nullable=False),
    sa.CheckConstraint('length(text) BETWEEN 1 AND 2000', name=op.f('note_text')),
    sa.ForeignKeyConstraint(['account_id'], ['account.id'], name=op.f('note_account_id_fkey')),
    sa.ForeignKeyConstraint(['game_id'], ['game.id'], name=op.f('note_game_id_fkey')),
    sa.PrimaryKeyConstraint('game_id', 'account_id', name=op.f('note_pkey'))
    )
    op.create_index(op.f('note_account_id'), 'note', ['account_id'], unique=False)
    op.create_table('mark',
    sa.Column('game_id', sa.BigInteger(), nullable=False),
    sa.Column('account_id', sa.BigInteger(), nullable=False),
    sa.Column('round', sa.SmallInteger(), autoincrement=False, nullable=False),
    sa.Column('seat', sa.SmallInteger(), autoincrement=False, nullable=False),
    sa.Column('suspicion', sa.Text(), nullable=False),
    sa.Column('changed_at', sa.DateTime(timezone=True), nullable=False),
    sa.CheckConstraint("suspicion IN ('trust', 'suspect')", name=op.f('mark_suspicion')),
    sa.ForeignKeyConstraint(['account_id'], ['account.id'], name=op.f('mark_account_id_fkey')),
    sa.ForeignKeyConstraint(['game_id'], ['game.id'], name=op.f('mark_game_id_fkey')),
    sa.PrimaryKeyConstraint('game_id', 'account_id', 'round', 'seat', name=op.f('mark_pkey'))
    )
    op.create_index(op.f('mark_account_id'), 'mark', ['account_id'], unique=False)
    op.create_table('shared_game',
    sa.Column('game_id', sa.BigInteger(), nullable=False),
    sa.Column('nonce', sa.LargeBinary(), nullable=False),
    sa.Column('token_hash', sa.LargeBinary(), nullable=False),
    sa.Column('account_id', sa.BigInteger(), nullable=False),
    sa.Column('shared_at', sa.DateTime(timezone=True), nullable=False),
    sa.ForeignKeyConstraint(['game_id'], ['game.id'], name=op.f('shared_game_game_id_fkey')),
    sa.ForeignKeyConstraint(['account_id'], ['account.id'], name=op.f('shared_game_account_id_fkey')),
    sa.PrimaryKeyConstraint('game_id', name=op.f('shared_game_pkey')),
    sa.UniqueConstraint('token_hash', name=op.f('shared_game_token_hash_key'))
    )
    op.create_index(op.f('shared_game_account_id'), 'shared_game', ['account_id'], unique=False)

    # Written by hand: Alembic does not compare triggers.
    op.execute("""
        CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            RAISE EXCEPTION 'rows of table % are never changed or deleted', TG_TABLE_NAME;
        END $$
    """)
    op.execute("""
        CREATE TRIGGER ledger_is_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger
        FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
    """)
    op.execute("""
        CREATE FUNCTION refuse_peeker() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF EXISTS (SELECT FROM peek WHERE game_id = NEW.game_id AND account_id = NEW.account_id) THEN
                RAISE EXCEPTION 'account % has looked at the secrets of game %', NEW.account_id, NEW.game_id;
            END IF;
            RETURN NEW;
        END $$
    """)
    op.execute("""
        CREATE TRIGGER seat_is_not_for_peekers BEFORE INSERT OR UPDATE OF account_id ON seat
        FOR EACH ROW WHEN (NEW.account_id IS NOT NULL) EXECUTE FUNCTION refuse_peeker()
    """)
