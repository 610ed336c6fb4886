"""Run the migrations on the connection that ``webapp.operations.queries.migrate`` passes."""

from alembic import context

from webapp.operations.queries.table_copy import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    compare_type=True,
    compare_server_default=True,
)
with context.begin_transaction():
    context.run_migrations()
