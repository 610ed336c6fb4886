"""The words that the project's vocabulary replaces, each with what to write instead, and the exceptions with their reasons."""

from typing import Final, NamedTuple


class BannedWord(NamedTuple):
    """A pattern for whole words; identifiers are split into words before it is applied."""

    pattern: str
    replacement: str


class Exemption(NamedTuple):
    """Text that is removed before the words are searched, in the files that match ``files``."""

    files: str
    pattern: str
    reason: str


BANNED_WORDS: Final = (
    # Emails and their delivery.
    BannedWord(r"(?:dead )?letters?|letterbox", "email, Notification (row) or inbox; of the alphabet: character"),
    BannedWord(r"parcels?", "email, or EmailContext, or the rendered message"),
    BannedWord(r"occasions?", "dedup_key, or reason"),
    BannedWord(r"untrue", "superseded"),
    BannedWord(r"messenger", "nudge"),
    BannedWord(r"shop|workshop", "WorkerContext"),
    BannedWord(r"silence|silenced|want again", "opt_out, opted_out, resubscribe"),
    # Consistency checks.
    BannedWord(r"walk|walks|walked|walking", "run, run_batch, iterate over or visit every"),
    BannedWord(r"disagree|disagrees|disagreeing|disagreements?", "inconsistency, or differ"),
    BannedWord(r"doubtful", "warning"),
    BannedWord(r"mend|mends|mended|mending", "repair, fix or rebuild"),
    BannedWord(r"alone in|leftovers?", "exclusive_lock, stale_server, stale, remaining"),
    BannedWord(r"pulse|fences?|befell|befalls", "the plain technical word (health, limit, what happened)"),
    # Pages and forms.
    BannedWord(r"askers?|hearers?", "viewer"),
    BannedWord(r"shown again by", "FormError, handled in the view"),
    BannedWord(r"hear only|nearby", "restrict_hosts, is_local_request"),
    BannedWord(r"tile maker|desk|outlook", "MovePicker, Option; of a bot: situation"),
    BannedWord(r"unseen", "Redacted, or hidden"),
    # The engine and its tests.
    BannedWord(r"stranded", "disconnected"),
    BannedWord(r"twins?|needles?", "counterfactual_games, planted_leaks"),
    BannedWord(r"luck of", "rng_for"),
    # People.
    BannedWord(r"somebody(?: else)?", "a player, a user, another process"),
    BannedWord(r"nobody(?: else)?", "no one, no player, nothing"),
    BannedWord(r"whoever|anybody", "the player who, anyone who, a process that"),
    BannedWord(r"he|him|his|himself", "they, them, their, themselves"),
    BannedWord(r"ours", "the name of its owner"),
    BannedWord(r"one s", "your, their, its"),
    BannedWord(r"(?:of|for|to|by) who (?:asks|reads|is)", "for the viewer, for the caller"),
    # Phrases.
    BannedWord(r"told", "shown, returned, logged, raised, given or asked"),
    BannedWord(r"in words", "with a message, as text"),
    BannedWord(r"anew", "again; made anew: rebuilt"),
    BannedWord(r"(?:goes|going|go) on(?! to\b)", "continues"),
    BannedWord(r"(?:stands|stood|stand) in(?: for)?", "is in; replaces"),
    BannedWord(r"(?:leans|leaning|lean) on", "uses, depends on"),
    BannedWord(r"looks? after", "manages, maintains"),
    BannedWord(r"comes? back well", "returns, recovers"),
    BannedWord(r"(?:it is|is it) said|is said of", "an active verb in the present tense"),
)  # fmt: skip

EXEMPTIONS: Final = (
    Exemption(
        "*",
        r"[\"'`]nobody[\"'`]",
        "in quotation marks or as code: the wire format's word for a round that no side won, a Unix user",
    ),
    Exemption("*", r"winners nobody by|\\\"nobody\\\"", "the same word in the notation"),
    Exemption(
        "tests/support/engine/game_library.py",
        r"\"(?:exhausted|circle-of-passes)-nobody\"",
        "scenarios named by that word, as their files in tests/games are",
    ),
    Exemption("*.css", r"::first-letter", "a pseudo-element of CSS"),
    Exemption("webapp/site/pages/about.py", r'"fence"', "a rule of the Markdown parser"),
    Exemption("*", r"os\.walk|ast\.walk|message\.walk", "functions of the standard library"),
    Exemption("*", r"ToolMended|tool[-_]?mended", "an event of the wire format, which samples pin"),
    Exemption("*", r"[Ss]enders? Policy|LETTER_?SPACING|letter-spacing", "names of standards"),
    Exemption(
        "*", r"leftovers_go_round|LEFTOVERS_GO_ROUND_AGAIN", "a switch of the rulebooks, R40"
    ),
    Exemption("tests/support/mail_programs.py", r"(?i)outlook", "the mail program of that name"),
    Exemption("tests/tooling/test_deploy.py", r"in words", "a variable of that name"),
)
SKIPPED_FILES: Final = (
    "tests/whole_tree/banned_words.py",
    "tests/whole_tree/test_source_rules.py",
    "tests/games/*",
    "tests/wire/*",
    "tests/mail/inbound/replies/*",
    "LICENSE",
    "*.lock",
    "*.svg",
    "*.png",
    "*/fonts/*",
    "*.pem",
    "*.po",
    "*.pot",
)
"""The lists themselves, pinned formats, licences, pictures, fonts, and what is generated from checked sources."""
