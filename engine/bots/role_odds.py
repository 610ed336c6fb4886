"""The probabilities of roles, from how often the deal gives them and how each seat has played."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import prod
from typing import Final

from engine.cards import SABOTEUR_COUNTS, Role

_ASIDE_WEIGHT: Final = 1.0
"""The role card set aside is like a seat that has not played: it is a saboteur as often as the deal says."""


def weighed_role_sets(
    weights: Sequence[float], known_roles: Mapping[int, Role]
) -> Mapping[tuple[int, ...], float]:
    """Return every possible set of saboteurs among the seats with its probability (R2, R3).

    ``weights`` says for each seat how much more likely a saboteur than a digger plays as it did. The role card set aside
    counts as one more seat, so that a set has as many saboteurs as the role pile, or one fewer. Raises KeyError for a number of
    seats other than 3 to 10.
    """
    seats, saboteurs = len(weights), SABOTEUR_COUNTS[len(weights)]
    odds = [*weights, _ASIDE_WEIGHT]
    sets = {
        tuple(seat for seat in chosen if seat < seats): prod(odds[seat] for seat in chosen)
        for chosen in combinations(range(seats + 1), saboteurs)
        if _agrees(chosen, known_roles)
    }
    total = sum(sets.values())
    return {role_set: weight / total for role_set, weight in sets.items()}


def saboteur_probabilities(
    role_sets: Mapping[tuple[int, ...], float], seats: int
) -> tuple[float, ...]:
    """Return for each seat the probability that it is a saboteur; 1.0 exactly if it is one in every set."""
    probabilities = [0.0] * seats
    for role_set, probability in role_sets.items():
        for seat in role_set:
            probabilities[seat] += probability
    for seat in set(range(seats)).intersection(*map(set, role_sets)):
        probabilities[seat] = 1.0
    return tuple(probabilities)


def _agrees(saboteurs: tuple[int, ...], known_roles: Mapping[int, Role]) -> bool:
    return all((seat in saboteurs) is (role == "saboteur") for seat, role in known_roles.items())
