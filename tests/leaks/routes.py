"""The URLs and forms with which the crawl tries every route. A new route must be added here."""

from collections.abc import Callable

from engine.cards import DECK
from engine.view import legal_actions, view_for
from tests.leaks import act_routes
from tests.leaks.account_routes import (
    ACCOUNT_FORMS,
    ACCOUNT_PATHS,
    ListForms,
    ListPaths,
    fixed_paths,
    same_forms,
)
from tests.leaks.club_routes import CLUB_FORMS, CLUB_PATHS
from tests.leaks.invitation_routes import INVITATION_FORMS, INVITATION_PATHS
from tests.leaks.moderation_routes import MODERATION_FORMS, MODERATION_PATHS
from tests.leaks.observed_site import ObservedSite
from tests.leaks.talk_routes import TALK_FORMS, TALK_PATHS
from tests.support.engine.conceivable_actions import as_offered_by_engine, conceivable_actions
from tests.support.engine.seeded_random import SeededRng
from tests.support.factories import stored_game
from tests.support.transactions import KEYS, transaction
from webapp.kernel import urls
from webapp.kernel.keyring import derived_token, hash_of
from webapp.mail.envelope import move_token_of
from webapp.mail.queries.replies import ReplyTokenRow, store_tokens
from webapp.play.pages.table import form_fields_for

_ILLEGAL_TURN_COUNT = 6
_MISSING_SLUG = "zzzzzzzzzzzz"


def _slugs(observed_site: ObservedSite) -> tuple[str, ...]:
    seed = observed_site.seed_data
    return (
        seed.running_slug,
        seed.private_slug,
        seed.lobby_slug,
        seed.ready_check_slug,
        _MISSING_SLUG,
    )


def _paths_of_games(url_of: Callable[[str], str]) -> ListPaths:
    return lambda observed_site: map(url_of, _slugs(observed_site))


def _lobby_action_paths(verb: str) -> ListPaths:
    return _paths_of_games(lambda slug: urls.lobby_action(slug, verb))


def _lobby_action_paths_without_ready_check(verb: str) -> ListPaths:
    """Return the action's paths without the table where it could deal the cards, which would end the secrecy of the salts."""
    return lambda observed_site: [
        urls.lobby_action(slug, verb)
        for slug in _slugs(observed_site)
        if slug != observed_site.seed_data.ready_check_slug
    ]


def _cancel_urls(observed_site: ObservedSite) -> list[str]:
    """Return the paths without the reader's own tables: the secrets of a cancelled table are shown."""
    seed, is_host = observed_site.seed_data, observed_site.reader == 1
    hosted_slugs = {seed.lobby_slug, seed.ready_check_slug} if is_host else set()
    other_slugs = [slug for slug in _slugs(observed_site) if slug not in hosted_slugs]
    return [urls.lobby_action(slug, "cancel") for slug in other_slugs]


def _table_urls(observed_site: ObservedSite) -> list[str]:
    choice_url = urls.game(observed_site.seed_data.running_slug, card="map", cell="I5")
    return [*map(urls.game, _slugs(observed_site)), choice_url]


def _choice_urls(observed_site: ObservedSite) -> list[str]:
    choice_url = urls.choice(observed_site.seed_data.running_slug, card="map", cell="I5")
    return [*map(urls.choice, _slugs(observed_site)), choice_url]


def _plan_urls(observed_site: ObservedSite) -> list[str]:
    choice_url = urls.plan(observed_site.seed_data.running_slug, card="map", cell="I5")
    return [*map(urls.plan, _slugs(observed_site)), choice_url]


def _history_urls(observed_site: ObservedSite) -> list[str]:
    slug, seq = observed_site.seed_data.running_slug, observed_site.state.seq
    steps = sorted({0, 1, seq // 2, seq - 1, seq, seq + 1})
    return [
        *map(urls.history, _slugs(observed_site)),
        *(urls.history(slug, until=step) for step in steps),
        *(urls.history(slug, seat=seat) for seat in range(5)),
        *(urls.history(slug, bot=bot) for bot in range(2)),
    ]


def _deadline_urls(observed_site: ObservedSite) -> list[str]:
    running_slug, seq = observed_site.seed_data.running_slug, observed_site.state.seq
    return [
        *(urls.deadline(slug, 0) for slug in _slugs(observed_site)),
        *(urls.deadline(running_slug, deadline_seq) for deadline_seq in (1, seq, seq + 1)),
    ]


def _seat_offer_urls(observed_site: ObservedSite) -> list[str]:
    """Return the link of an offered seat, which anyone may have, and an invented link."""
    return [urls.seat_offer(observed_site.seed_data.offer_token), urls.seat_offer("none-such")]


def _open_seat_urls(observed_site: ObservedSite) -> list[str]:
    """Return a game whose seat is open for volunteers, and games that have no such seat."""
    slug = observed_site.seed_data.open_seat_slug
    return [urls.open_seat(slug), *map(urls.open_seat, _slugs(observed_site))]


def _unsubscribe_urls(observed_site: ObservedSite) -> list[str]:
    """Return the URL at the end of the reader's own emails, and an invented one."""
    guest = observed_site.guest()
    address = None if guest is None else guest.person.address
    unsubscribe_tokens = (
        [] if address is None else [KEYS.token("unsubscribe", address, "reminders", None)]
    )
    return [urls.unsubscribe(token) for token in (*unsubscribe_tokens, "none-such")]


def _move_urls(observed_site: ObservedSite) -> list[str]:
    """Return links to moves in the emails of the reader's own turn, if it is theirs, and an invented link."""
    guest, tokens = observed_site.guest(), ["none-such"]
    if guest is not None:
        row = stored_game(observed_site.database, observed_site.seed_data.running_slug, guest).row
        turn = (row.id, guest.person.id, row.turn_seq)
        token = move_token_of(*turn, KEYS)
        with transaction(observed_site.database) as tx:
            token_row = ReplyTokenRow(
                token_hash=hash_of(derived_token(token)),
                game_id=turn[0],
                account_id=turn[1],
                seq=turn[2],
            )
            store_tokens(tx, [token_row])
        tokens.append(token)
    return [
        urls.move(token, do=action)
        for token in tokens
        for action in ("pass", "look I5", "lay path-tb B5")
    ]


PATHS_BY_ENDPOINT: dict[str, ListPaths] = {
    **ACCOUNT_PATHS,
    **CLUB_PATHS,
    **MODERATION_PATHS,
    **INVITATION_PATHS,
    **TALK_PATHS,
    "announcements.mark_seen": _paths_of_games(urls.seen_announcements),
    "votes.nudge": _paths_of_games(urls.nudge),
    "votes.propose_vote": _paths_of_games(urls.votes),
    "votes.answer": _paths_of_games(lambda slug: urls.vote(slug, 9)),
    **act_routes.PATHS_BY_ENDPOINT,
    "about.show_about": fixed_paths(urls.about()),
    "security_txt.show_security_txt": fixed_paths(urls.security_txt()),
    "deadlines.show_deadline": _deadline_urls,
    "deadlines.show_deadlines": _paths_of_games(urls.deadlines),
    "fairness.download_record": _paths_of_games(urls.export),
    "fairness.show_fairness": _paths_of_games(urls.fairness),
    "health.show_health": fixed_paths(urls.health()),
    "health.show_metrics": fixed_paths(urls.metrics()),
    "health.show_readiness": fixed_paths(urls.readiness_probe()),
    "history.show_history": _history_urls,
    "history.show_round": _paths_of_games(lambda slug: urls.round_result(slug, 1)),
    "home.open_next_game": fixed_paths(urls.next_game()),
    "home.show_archive": fixed_paths(urls.archive(), urls.archive(result="won")),
    "home.show_home": fixed_paths(urls.home()),
    "seat_offer.accept_seat_offer": _seat_offer_urls,
    "seat_offer.decline_seat_offer": lambda observed_site: [
        urls.decline_seat_offer(observed_site.seed_data.offer_token),
        urls.decline_seat_offer("none-such"),
    ],
    "seat_offer.show_seat_offer": _seat_offer_urls,
    "open_seats.show_briefing": _paths_of_games(urls.briefing),
    "open_seats.show_open_seat_list": fixed_paths(urls.open_seats()),
    "open_seats.change_open_seat_emails": fixed_paths(urls.open_seats()),
    "open_seats.show_open_seat": _open_seat_urls,
    "open_seats.take_seat": _open_seat_urls,
    "moderated_game.show_moderated_game": _paths_of_games(urls.moderated_game),
    "moderation.delete_filter": fixed_paths(urls.saved_filter(1)),
    "moderation.save_filter": fixed_paths(urls.saved_filters()),
    "lobby.cancel": _cancel_urls,
    "lobby.choose_starter": _lobby_action_paths("starter"),
    "lobby.fill_with_bots": _lobby_action_paths("fill"),
    "lobby.invite": _lobby_action_paths("invite"),
    "lobby.remove_player": _lobby_action_paths("remove"),
    "shared_game.share": _paths_of_games(urls.share),
    "shared_game.show_shared_game": fixed_paths(urls.shared_game("none-such")),
    "shared_game.show_picture": fixed_paths(urls.shared_picture("none-such")),
    "shared_game.withdraw": _paths_of_games(urls.withdraw_share),
    "new_table.start_rematch": _paths_of_games(urls.rematch),
    "lobby.confirm_ready": _lobby_action_paths_without_ready_check("ready"),
    "lobby.take_seat": _lobby_action_paths("sit"),
    "lobby.leave": _lobby_action_paths("leave"),
    "lobby.withdraw_ready": _lobby_action_paths("unready"),
    "new_table.open_table": fixed_paths(urls.tables()),
    "new_table.open_bot_game": fixed_paths(urls.bot_game()),
    "new_table.show_bot_game": fixed_paths(urls.bot_game()),
    "new_table.show_new_table": fixed_paths(urls.new_game()),
    "legal.show_legal_page": fixed_paths(urls.legal_page("imprint"), urls.legal_page("privacy")),
    "peek.ask_to_peek": _paths_of_games(urls.peek),
    "peek.confirm_peek": _paths_of_games(urls.peek),
    "peek.show_peek": _paths_of_games(urls.peeked_game),
    "site_settings.show_settings": fixed_paths(urls.site_settings()),
    "site_settings.change": fixed_paths(urls.site_settings()),
    "rights.show_rights": fixed_paths(urls.rights()),
    "rules.show_how_to_play": fixed_paths(urls.how_to_play()),
    "rules.show_comparison": fixed_paths(urls.rules()),
    "rules.show_rulebook": fixed_paths(urls.rulebook("uk-2017"), urls.rulebook("none-such")),
    "statistics.show_statistics": fixed_paths(urls.statistics(), urls.statistics(days=365)),
    "security.show_security_log": fixed_paths(urls.security_log(), urls.security_log(kind="act")),
    "static": fixed_paths(
        "/static/lodepost.css", "/static/icon.svg", "/static/passkeys.js", "/static/none-such"
    ),
    "table.show_choice": _choice_urls,
    "page_version.show_page_version": _paths_of_games(urls.page_version),
    "plan.show_plan": _plan_urls,
    "plan.save": _paths_of_games(urls.plan),
    "plan.discard": _paths_of_games(urls.discard_plan),
    "held_turn.play": _paths_of_games(urls.play_held_turn),
    "held_turn.withdraw": _paths_of_games(urls.withdraw_turn),
    "table.show_game": _table_urls,
    "table.submit_turn": _paths_of_games(urls.turns),
    "unsubscribe.resubscribe": lambda observed_site: (
        f"{path}/back" for path in _unsubscribe_urls(observed_site)
    ),
    "unsubscribe.unsubscribe": _unsubscribe_urls,
    "unsubscribe.show_unsubscribe": _unsubscribe_urls,
    "email_moves.preview_move": _move_urls,
    "email_moves.play_move": _move_urls,
}
"""The paths at which every reader requests each endpoint."""


def _turn_forms(observed_site: ObservedSite) -> list[dict[str, str]]:
    """Return turns that are unreadable, stale or illegal. A legal turn would be played and draw a card."""
    seq = str(observed_site.state.seq)
    outdated_fields = {"do": "pass", "seq": str(observed_site.state.seq - 1)}
    return [
        {"seq": seq, "do": "dig"},
        outdated_fields,
        *({**fields, "seq": seq} for fields in _illegal_turn_forms(observed_site)),
    ]


def _plan_forms(observed_site: ObservedSite) -> list[dict[str, str]]:
    """Return plans that are unreadable, out of date or impossible. A plan that is saved would be followed, and draw a card."""
    seq = str(observed_site.state.seq)
    view = view_for(observed_site.state, observed_site.observer)
    impossible_discards = (
        f"discard {card}" for card in dict.fromkeys(DECK) if card not in view.hand
    )
    return [
        {"seq": seq, "steps": "dig"},
        {"seq": str(observed_site.state.seq - 1), "steps": "discard map"},
        *({"seq": seq, "steps": steps} for steps in impossible_discards),
    ]


def _illegal_turn_forms(observed_site: ObservedSite) -> list[dict[str, str]]:
    view = view_for(observed_site.state, observed_site.observer)
    legal_turn_actions = legal_actions(view)
    tried_actions = SeededRng(_ILLEGAL_TURN_COUNT).shuffled(conceivable_actions(view))
    return [
        form_fields_for(action)
        for action in tried_actions
        if as_offered_by_engine(action) not in legal_turn_actions
    ][:_ILLEGAL_TURN_COUNT]


FORMS_BY_ENDPOINT: dict[str, ListForms] = {
    **ACCOUNT_FORMS,
    **CLUB_FORMS,
    **MODERATION_FORMS,
    **INVITATION_FORMS,
    **TALK_FORMS,
    "announcements.mark_seen": same_forms({"newest": "1"}),
    # Not possible now, so that the pages stay as they are: another vote is open, and the games are not paused.
    "votes.nudge": same_forms({"turn": "999999", "form_id": "x"}),
    "new_table.start_rematch": same_forms({}),
    "shared_game.share": same_forms({}),
    "shared_game.withdraw": same_forms({"link": "none-such"}),
    "votes.propose_vote": same_forms({"kind": "resume"}),
    "votes.answer": same_forms({"answer": "yes"}),
    **act_routes.FORMS_BY_ENDPOINT,
    # A name that no one may have: no one takes the seat.
    "seat_offer.accept_seat_offer": same_forms({"name": "a\u202eb"}),
    "seat_offer.decline_seat_offer": same_forms(),
    "open_seats.change_open_seat_emails": same_forms({"wants_open_seats": "y"}),
    "open_seats.take_seat": same_forms({"name": "a\u202eb"}),
    "lobby.cancel": same_forms(),
    "moderation.delete_filter": same_forms(),
    "moderation.save_filter": same_forms({"name": "x", "search": "bob"}),
    # Without a reason: one that is recorded would open the page that shows every secret.
    "peek.confirm_peek": same_forms({"seq": "0", "form_id": "x", "reason": " "}),
    "site_settings.change": same_forms({"site_name": "x", "reason": "none"}),
    "lobby.choose_starter": same_forms({"starter": "9"}, {"starter": "1"}),
    "lobby.fill_with_bots": same_forms(),
    "lobby.invite": same_forms(
        {"address": "no"}, {"address": "new@example.test"}, {"address": "newer@example.test"}
    ),
    # Forms that no page shows: everyone stays where they are.
    "lobby.remove_player": same_forms({"seat": "9"}, {"seat": "2", "form_token": "x"}),
    "lobby.confirm_ready": same_forms({"salt": "x" * 65}),
    "lobby.take_seat": same_forms({"seat": "3"}),
    "lobby.leave": same_forms(),
    "lobby.withdraw_ready": same_forms(),
    "new_table.open_table": same_forms({"rulebook": "none-such"}),
    "new_table.open_bot_game": same_forms(),
    "plan.save": _plan_forms,
    "plan.discard": same_forms(),
    # Out of date, so that nothing is played: a held turn draws a card.
    "held_turn.play": same_forms({"seq": "999999"}),
    "held_turn.withdraw": same_forms({"seq": "999999"}),
    "table.submit_turn": _turn_forms,
    # Impossible, so that nothing is played.
    "email_moves.play_move": same_forms({"do": "gold 3"}),
    "unsubscribe.resubscribe": same_forms(),
    "unsubscribe.unsubscribe": same_forms({"List-Unsubscribe": "One-Click"}),
}
"""The forms sent to each endpoint that takes one."""

SESSION_ENDING_ENDPOINTS = (
    "sessions.sign_out_browser",
    "sessions.sign_out_other_browsers",
    "sign_in.sign_out",
)
"""These end the reader's session."""
