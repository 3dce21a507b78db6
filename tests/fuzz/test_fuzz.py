"""A few random calls of everything public; ``python -m tests.fuzz --minutes 10`` makes many more."""

import pytest

import partita
from tests.fuzz.calls import TARGETS, draw_call
from tests.fuzz.estimators import CONSENSUS, OTHER_ESTIMATORS
from tests.fuzz.functions import FUNCTIONS, METRICS
from tests.fuzz.verdicts import judge

SEED = 20261116
N_CALLS = 15  # of each; about half of them give a result


@pytest.mark.parametrize("target", TARGETS)
def test_every_call_gives_a_result_or_a_clear_refusal(target):
    for number in range(N_CALLS):
        call = draw_call(target, SEED, number)
        verdict = judge(call, twice=number == 0)
        assert verdict.kind != "fault", f"{verdict.cause}\n{call.as_python()}\n{verdict.details}"


def test_every_public_estimator_and_function_is_called():
    not_called = {"Coassociation", "LabelMatrix", "SupraConsensus", "warm_up"}  # results; a function without arguments
    named = {name for name in partita.__all__ if callable(getattr(partita, name))} - not_called
    called = {target.rsplit(".", 1)[-1] for target in {**CONSENSUS, **OTHER_ESTIMATORS, **FUNCTIONS, **METRICS}}
    assert named <= called
