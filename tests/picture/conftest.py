from tests.support.web_fixtures import app, clock, database, door, nudged

__all__ = ["app", "clock", "database", "door", "nudged"]
