"""The probabilities of roles, from how often the deal gives them and how each seat has played (R2, R3).

The role card set aside counts as one more seat, which has not played, so that the saboteurs among seats and card are exactly
those of the role pile.
"""

from collections.abc import Callable, Mapping, Sequence

from engine.cards import SABOTEUR_COUNTS, Role

_SET_ASIDE_CARD_WEIGHT = 1.0


def saboteur_probabilities(
    weights: Sequence[float], known_roles: Mapping[int, Role]
) -> tuple[float, ...]:
    """Return for each seat the probability that it is a saboteur.

    ``weights`` says for each seat how much more likely a saboteur than a digger plays as it did. Raises KeyError for a number
    of seats other than 3 to 10.
    """
    unknown_seats, saboteur_count = _unknown_seats(weights, known_roles)
    odds = [weights[seat] for seat in unknown_seats]
    probabilities = [float(known_roles.get(seat) == "saboteur") for seat in range(len(weights))]
    total = _sums_of_products([*odds, _SET_ASIDE_CARD_WEIGHT], saboteur_count)[saboteur_count]
    for index, seat in enumerate(unknown_seats):
        other_odds = [*odds[:index], *odds[index + 1 :], _SET_ASIDE_CARD_WEIGHT]
        if saboteur_count:
            other_saboteurs_weight = _sums_of_products(other_odds, saboteur_count - 1)[
                saboteur_count - 1
            ]
            probabilities[seat] = min(odds[index] * other_saboteurs_weight / total, 1.0)
    return tuple(probabilities)


def sampled_roles(
    weights: Sequence[float], known_roles: Mapping[int, Role], chance: Callable[[], float]
) -> tuple[Role, ...]:
    """Return roles for all seats as likely as they are believed; ``chance()`` returns a random number in [0, 1)."""
    unknown_seats, saboteur_count = _unknown_seats(weights, known_roles)
    odds = [*(weights[seat] for seat in unknown_seats), _SET_ASIDE_CARD_WEIGHT]
    roles: list[Role] = [known_roles.get(seat, "digger") for seat in range(len(weights))]
    for index, seat in enumerate(unknown_seats):
        if saboteur_count == 0:
            break
        later_sums = _sums_of_products(odds[index + 1 :], saboteur_count)
        saboteur_weight = odds[index] * later_sums[saboteur_count - 1]
        if chance() * (saboteur_weight + later_sums[saboteur_count]) < saboteur_weight:
            roles[seat], saboteur_count = "saboteur", saboteur_count - 1
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
