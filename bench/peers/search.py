"""How many attempts other searches make until the first failure, in the regions of docs/contributing/search.md.

usage: python3 bench/peers/search.py [SEEDS [REGION]]

It takes scipy, for Sobol's sequence (1967), hypothesis, and Optuna, if it is there: of Debian,
python3-scipy, python3-hypothesis and python3-optuna. Hypothesis is asked twice: as it is, and with the
margins as its target(). Optuna minimizes the margins with its default sampler, TPE.
"""

import math
import random
import sys
import warnings

from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings, target
from hypothesis import strategies as st
from scipy.stats import qmc

try:
    import optuna

    optuna.logging.set_verbosity(optuna.logging.CRITICAL)
except ImportError:
    optuna = None

warnings.filterwarnings("ignore")
SEEDS = int(sys.argv[1]) if len(sys.argv) > 1 else 200
ONLY = sys.argv[2] if len(sys.argv) > 2 else ""
MOST = 600
MODES = ["a", "b", "c", "d"]
NEVER = math.inf


class Found(Exception):
    pass


def place(at, count):
    dice = random.Random(at)
    return [0.06 + 0.88 * dice.random() for _ in range(count)]


def apart(point, where):
    return max(abs(value - at) for value, at in zip(point, where))


def by_margin(margin):
    return lambda at: (lambda point: margin(at, point) < 0, lambda point: margin(at, point))


def alone(fails):
    return lambda at: (fails, None)


def chance(at, share):
    dice = random.Random(at + 20_000)
    return lambda point: dice.random() < share


ONE = {
    "corner of 3 parameters": by_margin(lambda at, p: apart(p[:3], [1, 1, 1]) - 0.17),
    "inner band of 1 %": by_margin(lambda at, p: apart(p, place(at, 1)) - 0.005),
    "needle of 0.1 %": by_margin(lambda at, p: apart(p, place(at, 3)) - 0.05),
    "a pair of options": alone(lambda p: p[3] == "c" and p[4]),
    "noise: 1 attempt in 50": lambda at: (chance(at, 0.02), None),
}
WIDE = {"10 to 30 of 1 to 100,000": alone(lambda p: 10 <= p[0] <= 30)}


def of_one(unit):
    x, y, z, mode, on = unit
    return [x, y, z, MODES[int(mode * 4)], on >= 0.5]


def of_wide(unit):
    return [1 + int(unit[0] * 100_000), unit[1]]


def sobol(dimensions, point_of):
    def until(fails, margin, at):
        sequence = qmc.Sobol(dimensions, scramble=True, seed=at)
        for n, unit in enumerate(sequence.random(MOST)):
            if fails(point_of(unit)):
                return n + 1
        return NEVER

    return until


def hypothesis(point, is_targeted):
    phases = [Phase.generate, Phase.target] if is_targeted else [Phase.generate]

    def until(fails, margin, at):
        made, found = 0, NEVER
        if is_targeted and margin is None:
            return None

        @seed(at)
        @settings(
            max_examples=MOST,
            phases=phases,
            database=None,
            deadline=None,
            verbosity=Verbosity.quiet,
            suppress_health_check=list(HealthCheck),
        )
        @given(point)
        def attempt(point):
            nonlocal made, found
            made += 1
            if is_targeted:
                target(-margin(point))
            if fails(point):
                found = min(found, made)
                raise Found

        try:
            attempt()
        except Exception:
            pass
        return found if found <= MOST else NEVER

    return until


def tpe(point_of):
    def until(fails, margin, at):
        if optuna is None or margin is None:
            return None
        study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=at))
        for n in range(MOST):
            trial = study.ask()
            point = point_of(trial)
            if fails(point):
                return n + 1
            study.tell(trial, margin(point))
        return NEVER

    return until


def of_trial(trial):
    return [
        *[trial.suggest_float(name, 0, 1) for name in "xyz"],
        trial.suggest_categorical("mode", MODES),
        trial.suggest_categorical("on", [False, True]),
    ]


def of_wide_trial(trial):
    return [trial.suggest_int("delay", 1, 100_000), trial.suggest_float("share", 0, 1)]


UNIT = st.floats(0, 1)
SEARCHES = {
    "one": [
        sobol(5, of_one),
        *[hypothesis(st.tuples(UNIT, UNIT, UNIT, st.sampled_from(MODES), st.booleans()), t) for t in (False, True)],
        tpe(of_trial),
    ],
    "wide": [
        sobol(2, of_wide),
        *[hypothesis(st.tuples(st.integers(1, 100_000), UNIT), t) for t in (False, True)],
        tpe(of_wide_trial),
    ],
}


def cell(counts):
    if None in counts:
        return "none"
    counts.sort()
    text = lambda share: str(n) if (n := counts[math.ceil(len(counts) * share) - 1]) < NEVER else f"over {MOST}"
    return "never" if counts[0] == NEVER else f"{text(0.5)} / {text(0.9)}"


print("| failing region | Sobol | hypothesis | hypothesis, target() | Optuna |")
print("| --- | --: | --: | --: | --: |")
if optuna is None:
    print("There is no Optuna here: its column says none.", file=sys.stderr)
for regions, searches in ((ONE, SEARCHES["one"]), (WIDE, SEARCHES["wide"])):
    for name, region in regions.items():
        if ONLY not in name:
            continue
        cells = []
        for search in searches:
            cells.append(cell([search(*region(at), at) for at in range(1, SEEDS + 1)]))
        print(f"| {name} | {' | '.join(cells)} |", flush=True)
