"""A site with many accounts and running games, made by SQL from one game: as fast as Postgres can copy rows."""

from typing import Final

import psycopg

_STATEMENTS: Final = (
    """INSERT INTO account (address, name, language, zone, created_at)
    SELECT 'person-' || n || '@example.test', 'Person ' || n, 'en', 'UTC', %(now)s - n * interval '1 minute'
    FROM generate_series(1, %(accounts)s) AS n""",
    # Every 500th game is paused, every 20th is over, and every 500th waits for an email that was refused: of a table of
    # which a large part is stuck, Postgres rightly reads everything.
    """INSERT INTO game (slug, host_id, host_name, rulebook, house, seat_count, allowance, public, status, opened_at,
        thread_id, ended_at, paused_at, seq, turn_seq, awaiting, round, turn_started_at, deadline_at, wake_at)
    SELECT 'seeded' || lpad(n::text, 6, '0'), first.id + n %% %(accounts)s, 'Person', 'en-2004', '{}', 3, interval '1 day', false,
        CASE WHEN n %% 500 = 1 THEN 'paused' WHEN n %% 20 = 2 THEN 'finished' ELSE 'running' END, %(now)s - interval '9 days',
        '<' || n || '@lodepost.test>', CASE WHEN n %% 500 <> 1 AND n %% 20 = 2 THEN %(now)s END,
        CASE WHEN n %% 500 = 1 THEN %(now)s - n * interval '1 second' END, 9, 9, n %% 3, 1, %(now)s - interval '1 hour',
        %(now)s + n * interval '1 minute', %(now)s + n * interval '1 minute'
    FROM generate_series(1, %(games)s) AS n, (SELECT min(id) AS id FROM account WHERE name LIKE 'Person %%') AS first""",
    """INSERT INTO seat (game_id, number, account_id, name)
    SELECT game.id, s, first.id + (game.id * 3 + s) %% %(accounts)s, 'Person at seat ' || s
    FROM game, generate_series(0, 2) AS s, (SELECT min(id) AS id FROM account WHERE name LIKE 'Person %%') AS first
    WHERE game.slug LIKE 'seeded%%'""",
    """INSERT INTO turn (game_id, seq, seat, by, events, head, at)
    SELECT game.id, s, s %% 3, 'player', '', '', %(now)s - (10 - s) * interval '1 hour'
    FROM game, generate_series(0, 9) AS s WHERE game.slug LIKE 'seeded%%'""",
    """INSERT INTO notification (kind, game_id, seq, account_id, status, reason, first_due_at, due_at, settled_at)
    SELECT 'your-turn', seat.game_id, s, seat.account_id,
        CASE WHEN s = 9 AND seat.game_id %% 500 = 0 THEN 'failed' ELSE 'sent' END,
        CASE WHEN s = 9 AND seat.game_id %% 500 = 0 THEN '550 no such user' END,
        %(now)s - (9 - s) * interval '1 hour' - seat.game_id * interval '1 second', %(now)s, %(now)s
    FROM seat JOIN game ON game.id = seat.game_id, generate_series(0, 9) AS s
    WHERE game.slug LIKE 'seeded%%' AND seat.number = s %% 3""",
)


def fill_large_site(
    connection: psycopg.Connection, *, games: int, accounts: int, now: object
) -> str:
    """Store so many accounts and games, most of them running, and return the slug of one of them."""
    # Do not check the foreign key of every row.
    connection.execute("SET session_replication_role = replica")
    statement_values = {"games": games, "accounts": accounts, "now": now}
    for statement in _STATEMENTS:
        connection.execute(statement.encode(), statement_values)
    connection.execute("RESET session_replication_role")
    # A target at which every row is sampled: with a share of them the plans would depend on chance.
    connection.execute("SET default_statistics_target = 1000")
    connection.execute("VACUUM ANALYZE")
    connection.execute("RESET default_statistics_target")
    return "seeded000100"
