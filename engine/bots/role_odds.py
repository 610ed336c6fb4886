"""The probabilities of roles, from how often the deal gives them and how each seat has played (R2, R3).

The role card set aside counts as one more seat, which has not played, so that the saboteurs among seats and card are exactly
those of the role pile.
"""

from collections.abc import Callable, Mapping, Sequence

from engine.cards import SABOTEUR_COUNTS, Role

_ASIDE_WEIGHT = 1.0


def saboteur_probabilities(
    weights: Sequence[float], known_roles: Mapping[int, Role]
) -> tuple[float, ...]:
    """Return for each seat the probability that it is a saboteur.

    ``weights`` says for each seat how much more likely a saboteur than a digger plays as it did. Raises KeyError for a number
    of seats other than 3 to 10.
    """
    unknown_seats, saboteurs = _unknown_seats(weights, known_roles)
    odds = [weights[seat] for seat in unknown_seats]
    probabilities = [float(known_roles.get(seat) == "saboteur") for seat in range(len(weights))]
    total = _sums_of_products([*odds, _ASIDE_WEIGHT], saboteurs)[saboteurs]
    for index, seat in enumerate(unknown_seats):
        others = [*odds[:index], *odds[index + 1 :], _ASIDE_WEIGHT]
        if saboteurs:
            fewer = _sums_of_products(others, saboteurs - 1)[saboteurs - 1]
            probabilities[seat] = min(odds[index] * fewer / total, 1.0)
    return tuple(probabilities)


def sampled_roles(
    weights: Sequence[float], known_roles: Mapping[int, Role], chance: Callable[[], float]
) -> tuple[Role, ...]:
    """Return roles for all seats as likely as they are believed; ``chance()`` returns a random number in [0, 1)."""
    unknown_seats, saboteurs = _unknown_seats(weights, known_roles)
    odds = [*(weights[seat] for seat in unknown_seats), _ASIDE_WEIGHT]
    roles: list[Role] = [known_roles.get(seat, "digger") for seat in range(len(weights))]
    for index, seat in enumerate(unknown_seats):
        if saboteurs == 0:
            break
        behind = _sums_of_products(odds[index + 1 :], saboteurs)
        as_saboteur = odds[index] * behind[saboteurs - 1]
        if chance() * (as_saboteur + behind[saboteurs]) < as_saboteur:
            roles[seat], saboteurs = "saboteur", saboteurs - 1
    return tuple(roles)


def _unknown_seats(
    weights: Sequence[float], known_roles: Mapping[int, Role]
) -> tuple[list[int], int]:
    """Return the seats whose roles are not known, and how many saboteurs are among them and the card set aside."""
    known_saboteur_count = list(known_roles.values()).count("saboteur")
    unknown_seats = [seat for seat in range(len(weights)) if seat not in known_roles]
    return unknown_seats, SABOTEUR_COUNTS[len(weights)] - known_saboteur_count


def _sums_of_products(numbers: Sequence[float], size: int) -> list[float]:
    """Return for 0 up to ``size`` the sum over all selections of so many numbers of their product."""
    sums = [1.0] + [0.0] * size
    for number in numbers:
        for count in range(size, 0, -1):
            sums[count] += number * sums[count - 1]
    return sums
