"""Alembic runs this for every command; webapp.store.operations.migrate hands over the open connection."""

from alembic import context

from webapp.store.schema.metadata import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    compare_type=True,
    compare_server_default=True,
)
with context.begin_transaction():
    context.run_migrations()
