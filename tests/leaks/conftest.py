from tests.web.conftest import app, clock, compiled, database, door

__all__ = ["app", "clock", "compiled", "database", "door"]
