"""The paths of a game."""

from engine.actions import Action, Discard, Look, Rockfall
from engine.cards import MAP, ROCKFALL
from webapp.urls.paths import query_string, quoted_part


def game(slug: str, **selection: str | int | None) -> str:
    """Return the page of a game, its lobby before the deal. ``selection`` is what the viewer has picked (card, cell ...)."""
    return f"/games/{quoted_part(slug)}" + query_string(**selection)


def game_with_action(slug: str, action: Action) -> str:
    """Return the page of a game with this action picked: its player sees it on the mine, and presses once to play it."""
    card = {Rockfall: ROCKFALL, Look: MAP}.get(type(action), getattr(action, "card", None))
    turned = getattr(action, "turned", None)
    return game(
        slug,
        card=card,
        cell=getattr(action, "cell", None),
        seat=getattr(action, "seat", None),
        tool=getattr(action, "tool", None),
        turned=None if turned is None else int(turned),
        discard=1 if isinstance(action, Discard) else None,
    )


def move(token: str, action_text: str | None = None) -> str:
    """Return the preview of a move from an email; without the move, where it is played (POST)."""
    return f"/m/{quoted_part(token)}" + query_string(do=action_text)


def turns(slug: str) -> str:
    """Return where a turn is taken (POST)."""
    return f"/games/{quoted_part(slug)}/turns"


def page_version(slug: str) -> str:
    """Return where a browser with an open page of the game asks whether there is anything new."""
    return f"{game(slug)}/version"


def history(
    slug: str, *, until: int | None = None, seat: int | None = None, bot: int | None = None
) -> str:
    """Return the history with the mine after turn ``until``.

    ``seat`` limits the list to one player; ``bot`` is the bot whose beliefs are shown once the game is over.
    """
    query = query_string(until=until, seat=seat, bot=bot)
    return f"/games/{quoted_part(slug)}/history{query}"


def rematch(slug: str) -> str:
    """Return where the players of a finished game play again (POST): the first opens a table, the others take a seat there."""
    return f"{game(slug)}/rematch"


def share(slug: str) -> str:
    """Return where the players of a finished game create its public link (POST)."""
    return f"{game(slug)}/share"


def withdraw_share(slug: str) -> str:
    """Return where the players of a finished game withdraw its public link (POST)."""
    return f"{share(slug)}/withdraw"


def shared_game(token: str) -> str:
    """Return the public page of a finished game."""
    return f"/shared/{quoted_part(token)}"


def shared_picture(token: str) -> str:
    """Return the PNG that other sites show beside a link to that page."""
    return f"{shared_game(token)}/picture.png"


def round_result(slug: str, number: int) -> str:
    """Return the page of a finished round."""
    return f"{game(slug)}/rounds/{number}"


def fairness(slug: str) -> str:
    return f"/games/{quoted_part(slug)}/fairness"


def export(slug: str) -> str:
    return f"/games/{quoted_part(slug)}/export"


def deadlines(slug: str) -> str:
    """Return the page that explains the running deadline and lists earlier ones."""
    return f"{game(slug)}/deadlines"


def deadline(slug: str, seq: int) -> str:
    """Return the page that explains the deadline that began at a position of the game, or the last one before it."""
    return f"{deadlines(slug)}/{seq}"


def players(slug: str) -> str:
    """Return the people of a game, where they can be blocked."""
    return f"{game(slug)}/players"


def block(slug: str, seat: int) -> str:
    """Return where a player is blocked (POST)."""
    return f"{players(slug)}/{seat}/block"


def votes(slug: str) -> str:
    """Return where a player proposes something to the others (POST)."""
    return f"{game(slug)}/votes"


def vote(slug: str, vote_id: int) -> str:
    """Return where a player answers a vote (POST)."""
    return f"{votes(slug)}/{vote_id}"


def messages(slug: str) -> str:
    """Return where a player writes to the table (POST)."""
    return f"{game(slug)}/messages"


def message(slug: str, number: int) -> str:
    """Return the page of one message, and where its author changes it (POST)."""
    return f"{messages(slug)}/{number}"


def delete_message(slug: str, number: int) -> str:
    """Return where the author of a message deletes it (POST)."""
    return f"{message(slug, number)}/delete"


def mute_author(slug: str, number: int) -> str:
    """Return where the author of a message is muted (POST)."""
    return f"{message(slug, number)}/mute"


def nudge(slug: str) -> str:
    """Return where a player reminds the one whose turn it is (POST)."""
    return f"{game(slug)}/nudge"


def seen_announcements(slug: str) -> str:
    """Return where a player confirms that they have seen the newest announcement to the table (POST)."""
    return f"{game(slug)}/announcements/seen"


def plan(slug: str, **selection: str | int | None) -> str:
    """Return where a player plans their next turn, and where a plan is saved (POST). ``selection`` is what they have picked."""
    return f"{game(slug)}/plan" + query_string(**selection)


def withdraw_turn(slug: str) -> str:
    """Return where a player takes back their held turn (POST)."""
    return f"{game(slug)}/held-turn/withdraw"


def play_held_turn(slug: str) -> str:
    """Return where a player lets their held turn enter the game at once (POST)."""
    return f"{game(slug)}/held-turn/play"


def discard_plan(slug: str) -> str:
    """Return where a plan is discarded (POST)."""
    return f"{game(slug)}/plan/discard"
