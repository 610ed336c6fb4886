"""A site with games, lobbies, invitations, sign-ins and emails whose whole output is recorded.

Its running game is either a random game or the counterfactual of it for one reader.
"""

import io
import logging
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Literal, TypeAlias

from flask import Flask
from sqlalchemy import text

from engine.state import State
from engine.view import awaiting
from tasks.context import WorkerContext
from tests.leaks.fault_recorder import FaultRecorder
from tests.leaks.hidden_turns import hidden_turns_of
from tests.leaks.seed_data import RULEBOOK, SeedData
from tests.leaks.seed_votes import store_votes
from tests.leaks.stored_game_pairs import log_rows, random_game, store_game
from tests.support.compiled_templates import create_app
from tests.support.deciders import InProcessDecider
from tests.support.engine.counterfactual_games import PlayedGame, counterfactual_game
from tests.support.engine.seeded_random import SeededRng
from tests.support.factories import Guest, stored_game
from tests.support.fakes import FakeClock, RecordingTransport, drawn_as_digest
from tests.support.postgres import Postgres
from tests.support.replies import ADDRESSES
from tests.support.statements import observed_statements
from tests.support.transactions import KEYS, pick_first, seeded_tokens
from tests.support.visitors import Visitor, settings_for
from webapp.kernel.config import Settings
from webapp.kernel.nudges import Nudge
from webapp.kernel.tx import Database
from webapp.logs.lines import masking_handler
from webapp.logs.masks import secrets_of
from webapp.mail.compose import Composer
from webapp.web.context import current_context, install_context
from webapp.web.request_log import RequestLog

Reader: TypeAlias = int | Literal["onlooker", "stranger", "moderator", "club moderator", "no one"]
"""A seat number, a signed-out onlooker, a person who does not play, a moderator, or no one: a reader who may know no secret.

For the moderator of a club, the running game belongs to that club; for all others, to none.
"""
READERS: tuple[Reader, ...] = (0, 1, 2, 3, "onlooker", "stranger", "moderator", "club moderator")
METRICS_TOKEN = "a token of the monitoring, long enough".replace(" ", "-")
ORIGIN = "http://lodepost.test"


@dataclass(kw_only=True)
class ObservedSite:
    """A site and its worker, and everything they output besides responses."""

    seed_data: SeedData
    reader: Reader
    state: State
    """The position of the running game."""
    database: Database
    settings: Settings
    app: Flask
    context: WorkerContext
    recording_transport: RecordingTransport
    sent_nudges: list[str]
    """The nudges sent so far."""
    log: io.StringIO = field(default_factory=io.StringIO)
    faults: FaultRecorder = field(default_factory=FaultRecorder)
    statements: list[str] = field(default_factory=list)
    """The SQL statements executed so far."""

    @property
    def observer(self) -> int | None:
        return self.reader if isinstance(self.reader, int) else None

    def guest(self) -> Guest | None:
        """Return the reader's account and session, if they have any."""
        if isinstance(self.reader, int):
            return self.seed_data.seated_guests[self.reader]
        others = {
            "stranger": self.seed_data.mallory,
            "moderator": self.seed_data.moderator,
            "club moderator": self.seed_data.club_moderator,
        }
        return others.get(self.reader)

    def visitor(self) -> Visitor:
        """Return a browser of the reader."""
        guest = self.guest()
        visitor = Visitor(self.app, self.app.test_client())
        return visitor if guest is None else visitor.with_session(guest.cookie)

    def ref_of_player(self) -> str:
        """Return the ref of the player in seat 1, as the addresses of moderators' pages have it."""
        query = text("SELECT ref FROM account WHERE id = :id")
        with self.database.engine.begin() as connection:
            person = self.seed_data.seated_guests[1].person
            return str(connection.execute(query, {"id": person.id}).scalar_one())

    def execute(self, statement: str, **values: object) -> None:
        with self.database.engine.begin() as connection:
            connection.execute(text(statement), values)


PlantLeak: TypeAlias = Callable[[ObservedSite], None]


_HIDDEN_FIELDS = ("roles", "hands", "goals", "deck", "pile", "gold")
"""Parts of the position that must differ between the game and its counterfactual."""


@cache
def _composer() -> Composer:
    """Return one composer for all sites: it compiles every template once and keeps no email."""
    return Composer(base_url=ORIGIN, mail_from="lodepost@lodepost.test")


@cache
def games_and_turn_for(reader: Reader) -> tuple[PlayedGame, PlayedGame, int]:
    """Return a game, its counterfactual for this reader, and a turn of the second round at which all hidden parts differ."""
    observer = reader if isinstance(reader, int) else None
    for seed in range(200):
        played_game = random_game(RULEBOOK, seed)
        for step in _first_own_turn_of_round_two(played_game, observer):
            counterfactual = counterfactual_game(played_game, observer, SeededRng(1))
            if _differ_in_all_hidden_parts(played_game.states[step], counterfactual.states[step]):
                return played_game, counterfactual, step
    message = "no random game has a counterfactual that differs in all hidden parts"
    raise AssertionError(message)


def _first_own_turn_of_round_two(played_game: PlayedGame, observer: int | None) -> list[int]:
    """The first turn of the second round that is the observer's own, if there is one."""
    steps = range(len(played_game.states))
    return [
        step for step in steps if _is_own_turn_of_round_two(played_game.states[step], observer)
    ][:1]


def _is_own_turn_of_round_two(state: State, observer: int | None) -> bool:
    awaited = awaiting(state)
    return state.round == 2 and awaited is not None and observer in (None, awaited.seat)


def _differ_in_all_hidden_parts(state: State, other_state: State) -> bool:
    return all(getattr(state, name) != getattr(other_state, name) for name in _HIDDEN_FIELDS)


@contextmanager
def running_observed_site(
    postgres: Postgres,
    seed_data: SeedData,
    reader: Reader,
    *,
    is_counterfactual: bool,
    plant_leak: PlantLeak | None = None,
) -> Iterator[ObservedSite]:
    """Run the site with the reader's game or its counterfactual, on a database of its own; ``plant_leak`` makes it leak."""
    with postgres.copy_of(seed_data.url) as url, _opened_database(url) as database:
        actual, counterfactual, step = games_and_turn_for(reader)
        played_game = counterfactual if is_counterfactual else actual
        site = _build_site(database, url, seed_data, reader, played_game.states[step])
        _store_running_game(site, played_game, is_counterfactual=is_counterfactual)
        if is_counterfactual:
            change_private_data(site)
        if plant_leak is not None:
            plant_leak(site)
        with _recorded_output(site):
            yield site


@contextmanager
def _opened_database(url: str) -> Iterator[Database]:
    database = Database(url, pool_size=4)
    yield database
    database.dispose()


def _create_app(settings: Settings, database: Database) -> Flask:
    # Random ids and real seconds would differ between the game and its counterfactual.
    log = RequestLog(new_id=lambda: "the-id-of-a-request", seconds=lambda: 0)
    tokens = seeded_tokens("crawl")
    return create_app(settings, database=database, now=FakeClock(), tokens=tokens, request_log=log)


def _build_site(
    database: Database, url: str, seed_data: SeedData, reader: Reader, state: State
) -> ObservedSite:
    settings = settings_for(url, metrics_token=METRICS_TOKEN)
    sent_nudges, recording_transport = list[str](), RecordingTransport()
    app, clock = _create_app(settings, database), FakeClock()

    def nudge(nudges: Collection[Nudge]) -> None:
        """Record every nudge; how many the broker would get depends on time."""
        sent_nudges.extend(sorted(nudges))

    with app.app_context():
        install_context(app, replace(current_context(), nudge=nudge))
    context = WorkerContext(
        database=database,
        keys=KEYS,
        composer=_composer(),
        png_of=drawn_as_digest,
        transport=recording_transport,
        mail_from="lodepost@lodepost.test",
        now=clock,
        database_time=lambda _: clock(),
        random_below=pick_first,
        is_stopping=lambda: False,
        nudge=nudge,
        pause=clock.pause,
        own_addresses=ADDRESSES,
        decider=InProcessDecider(pick_first),
    )
    return ObservedSite(
        seed_data=seed_data,
        reader=reader,
        state=state,
        database=database,
        settings=settings,
        app=app,
        context=context,
        recording_transport=recording_transport,
        sent_nudges=sent_nudges,
    )


def _store_running_game(
    site: ObservedSite, played_game: PlayedGame, *, is_counterfactual: bool
) -> None:
    guests = site.seed_data.seated_guests
    row = stored_game(site.database, site.seed_data.running_slug, guests[0]).row
    log = log_rows(row.id, played_game, observer=site.observer, is_counterfactual=is_counterfactual)
    stored_hidden_turns = hidden_turns_of(guests, site.state, site.observer, is_counterfactual)
    store_game(site.database, row.id, log, site.state, stored_hidden_turns)
    store_votes(site.database, row.id)
    if site.reader == "club moderator":
        query = "UPDATE game SET club_id = c.id FROM club c WHERE game.id = :id AND c.slug = :club"
        site.execute(query, id=row.id, club=site.seed_data.club_slug)


def change_private_data(site: ObservedSite) -> None:
    """Change what only other people may know: their addresses, settings, sessions, invitations, salts, and all secrets.

    Addresses stay if the reader is a site moderator, who may see them.
    """
    guest = site.guest()
    own_account_id = 0 if guest is None else guest.person.id
    for statement in _PRIVATE_DATA_CHANGES:
        if site.reader != "moderator" or "account" not in statement.split()[:2]:
            site.execute(statement, me=own_account_id)


_PRIVATE_DATA_CHANGES = (
    """UPDATE account SET address = 'another-' || address, language = 'sv', zone = 'Asia/Tokyo',
       picks_gold = NOT picks_gold, hold_minutes = 10 - hold_minutes,
       wants_link_only = NOT wants_link_only, wants_every_email = NOT wants_every_email,
       moves_need_sign_in = NOT moves_need_sign_in, wants_hints = NOT wants_hints WHERE id <> :me""",
    "UPDATE session SET user_agent = 'quite another browser', ref = 'x' || ref WHERE account_id <> :me",
    "UPDATE invitation SET address = 'another-' || address WHERE invited_by <> :me",
    """UPDATE seat_offer SET address = 'another-' || address WHERE offered_by IS DISTINCT FROM :me
       AND address IS DISTINCT FROM (SELECT address FROM account WHERE id = :me)""",
    """UPDATE seat SET salt = salt || 'pepper' WHERE octet_length(salt) > 0 AND account_id <> :me
       AND game_id IN (SELECT id FROM game WHERE status = 'ready-check')""",
    """UPDATE secret SET gold = sha256(gold), round_1 = sha256(round_1), round_2 = sha256(round_2),
       round_3 = sha256(round_3)""",
    "UPDATE sign_in SET nonce = substr(nonce, 1, 4) || sha256(nonce), code_hash = sha256(code_hash) WHERE used_at IS NULL",
)


@contextmanager
def _recorded_output(site: ObservedSite) -> Iterator[None]:
    """Record the log as JSON from DEBUG up, the variables of every logged exception, and every statement."""
    root_logger = logging.getLogger()
    json_log = masking_handler(site.log, secrets=secrets_of(site.settings))
    level, handlers = root_logger.level, (json_log, site.faults)
    engines = (site.database.engine, site.database.read_only_engine)

    def record(statement: str, _: object) -> None:
        site.statements.append(statement)

    for handler in handlers:
        root_logger.addHandler(handler)
    root_logger.setLevel(logging.DEBUG)
    with observed_statements(engines[0], record), observed_statements(engines[1], record):
        yield
    root_logger.setLevel(level)
    for handler in handlers:
        root_logger.removeHandler(handler)
