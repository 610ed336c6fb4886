from tests.support.web_fixtures import app, clock, database, door

__all__ = ["app", "clock", "database", "door"]
