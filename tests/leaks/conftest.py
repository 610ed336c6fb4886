from tests.web.conftest import app, clock, database, door

__all__ = ["app", "clock", "database", "door"]
