"""The fit of `bench roles --evidence`: which weight each trait of a public action deserves, by simulated rounds."""

from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from typing import Final, NamedTuple

from bench.roles.observed_rounds import ObservedRound
from engine.bots.belief import saboteur_probabilities
from engine.bots.evidence import SUSPICION_BY_TRAIT, role_weights_after, suspicions_after, traits_of

_INVERSE_REGULARIZATION: Final = 0.2


class Sample(NamedTuple):
    """One seat at the end of one circle of turns."""

    traits: Sequence[float]
    """The sum of each trait so far, in the order of the weights."""
    players: int
    prior: float
    """The probability of a saboteur by the deal."""
    belief: float
    """The probability of a saboteur by the present weights."""
    is_saboteur: bool


class TraitWeight(NamedTuple):
    """What bots take a trait for, and what it is worth by the fit."""

    now: float
    fitted: float


class EvidenceFit(NamedTuple):
    """The weights of all traits, and how good each kind of belief is: the smaller the log loss the better."""

    traits: dict[str, TraitWeight]
    log_loss: dict[str, float]
    """The log loss of the prior, which is what the deal alone says, of the present weights and of the fitted ones."""

    def lines(self) -> Iterator[str]:
        """Yield the fit as a table."""
        yield f"{'trait':18} {'now':>6} {'fitted':>6}"
        for trait, weight in self.traits.items():
            yield f"{trait:18} {weight.now:6.2f} {weight.fitted:6.2f}"
        yield "log loss: " + ", ".join(f"{name} {loss:.3f}" for name, loss in self.log_loss.items())

    def json_object(self) -> dict[str, object]:
        """Return the fit as one JSON object."""
        traits = {trait: weight._asdict() for trait, weight in self.traits.items()}
        return {"traits": traits, "log_loss": self.log_loss}


def fit_evidence(rounds: Sequence[ObservedRound]) -> EvidenceFit:
    """Fit weights to every second round, and measure them in the other rounds."""
    training, test = _samples(rounds[::2]), _samples(rounds[1::2])
    regression = import_module("sklearn.linear_model").LogisticRegression(
        C=_INVERSE_REGULARIZATION, fit_intercept=False, max_iter=1000
    )
    sizes = sorted({sample.players for sample in training})
    regression.fit(_feature_rows(training, sizes), [sample.is_saboteur for sample in training])
    roles = [sample.is_saboteur for sample in test]
    fitted_beliefs = regression.predict_proba(_feature_rows(test, sizes))[:, 1]
    beliefs = {
        "prior": [sample.prior for sample in test],
        "now": [sample.belief for sample in test],
        "fitted": fitted_beliefs,
    }
    log_loss = import_module("sklearn.metrics").log_loss
    return EvidenceFit(
        traits={
            trait: TraitWeight(now=weight, fitted=float(fitted_weight))
            for (trait, weight), fitted_weight in zip(
                SUSPICION_BY_TRAIT.items(), regression.coef_[0], strict=False
            )
        },
        log_loss={name: float(log_loss(roles, belief)) for name, belief in beliefs.items()},
    )


def _feature_rows(samples: Iterable[Sample], sizes: Sequence[int]) -> list[list[float]]:
    """Return the traits of each sample, and its number of players as columns, for which the regression finds the prior."""
    return [
        [*sample.traits, *(float(sample.players == size) for size in sizes)] for sample in samples
    ]


def _samples(rounds: Iterable[ObservedRound]) -> list[Sample]:
    return [sample for observed_round in rounds for sample in samples_of_round(observed_round)]


def samples_of_round(observed_round: ObservedRound) -> Iterator[Sample]:
    """Yield a sample of every seat after each circle of turns and at the end of the round."""
    roles, actions = observed_round.roles, observed_round.actions
    players = len(roles)
    prior = saboteur_probabilities([1.0] * players, {})[0]
    trait_sums_by_seat = [dict.fromkeys(SUSPICION_BY_TRAIT, 0.0) for _ in roles]
    for index, action in enumerate(actions):
        suspicions = suspicions_after(actions[:index], players)
        for trait, amount in traits_of(action, suspicions).items():
            trait_sums_by_seat[action.seat][trait] += amount
        if (index + 1) % players == 0 or index + 1 == len(actions):
            beliefs = saboteur_probabilities(role_weights_after(actions[: index + 1], players), {})
            for role, trait_sums, belief in zip(roles, trait_sums_by_seat, beliefs, strict=True):
                yield Sample(list(trait_sums.values()), players, prior, belief, role == "saboteur")
