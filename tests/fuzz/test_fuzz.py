"""A few random calls of everything public; ``python -m tests.fuzz --minutes 10`` makes many more."""

import numpy as np
import pytest
from scipy import sparse

import partita
from tests.fuzz.calls import TARGETS, draw_call
from tests.fuzz.estimators import CONSENSUS, OTHER_ESTIMATORS, _uses
from tests.fuzz.examples import OWN_DIVERGENCE
from tests.fuzz.functions import FUNCTIONS, METRICS
from tests.fuzz.model_files import MODEL_FILES
from tests.fuzz.verdicts import _bits, judge

SEED = 20261116
N_CALLS = 15  # of each; about half of them give a result


@pytest.mark.parametrize("target", TARGETS)
def test_every_call_gives_a_result_or_a_clear_refusal(target):
    for number in range(N_CALLS):
        call = draw_call(target, SEED, number)
        verdict = judge(call, twice=number == 0)
        assert verdict.kind != "fault", f"{verdict.cause}\n{call.as_python()}\n{verdict.details}"


def test_every_public_estimator_and_function_is_called():
    results = {"Choice", "Coassociation", "ConsensusResult", "LabelBlocks", "LabelMatrix", "SupraConsensus"}
    not_called = {*results, "warm_up", "register_method", "limits"}  # nothing to draw, or it changes what is there
    named = {name for name in partita.__all__ if callable(getattr(partita, name))} - not_called
    targets = {**CONSENSUS, **OTHER_ESTIMATORS, **FUNCTIONS, **METRICS, **MODEL_FILES}
    called = {target.rsplit(".", 1)[-1] for target in targets}
    assert named <= called


def test_a_model_with_a_divergence_of_its_own_is_not_pickled():
    def pickled(made):
        drawn = (_uses(np.random.default_rng(seed), partita.PCC, made) for seed in range(50))
        return any("pickle" in step for steps in drawn for step in steps)

    assert pickled("model = partita.PCC(2)")
    assert not pickled(f"model = partita.PCC(2, divergence={OWN_DIVERGENCE})")


def test_a_sparse_matrix_is_its_values():
    matrix = sparse.csr_array([[0.0, 1.0], [2.0, 0.0]])
    before = _bits(matrix)
    assert matrix.has_sorted_indices  # SciPy keeps the answer in the matrix
    assert _bits(matrix) == before
    matrix.data[0] = 3.0
    assert _bits(matrix) != before
