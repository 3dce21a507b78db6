"""Why a number of clusters was chosen: the table, the words, and who chose it."""

import re

import numpy as np
import pytest

from partita import BCE, EAC, LWGP, NBCE, PCC, ConsensusResult, combine
from partita.consensus.label_space._chance import LEVEL
from tests.ensembles import noisy_ensemble

pytestmark = pytest.mark.filterwarnings("ignore::partita.exceptions.WeakStructureWarning")

X = noisy_ensemble().X
COLUMNS = ["n_clusters", "score", "shared", "apart", "agreement", "gap"]


def choice_of(fitted):
    return ConsensusResult.from_estimator(fitted).choice


def test_the_table_holds_the_numbers_that_were_compared():
    result = combine(X, random_state=0)
    table, number = result.choice.table, result.estimator.choice_
    assert table.columns.tolist() == COLUMNS
    assert table["n_clusters"].tolist() == list(range(2, 8))  # root of 62 objects
    best = table.sort_values("score", ascending=False)["n_clusters"].tolist()
    assert [result.choice.n_clusters, result.choice.runner_up] == best[:2]
    assert np.array_equal(table["agreement"], number.halves.rand)
    assert np.allclose(table["shared"] + table["apart"], number.halves.shared + number.halves.apart)


def test_the_words_hold_the_numbers_of_the_table():
    choice = combine(X, random_state=0).choice
    rows = choice.table.set_index("n_clusters")
    chosen, second = rows.loc[choice.n_clusters], rows.loc[choice.runner_up]
    text = str(choice)
    assert text.startswith("3 clusters, method lwgp\n  - ")
    for value in (chosen.shared, chosen.apart, chosen.agreement, second.agreement, second.score, chosen.score):
        assert f"{value:.2f}" in text
    assert f"more than chance (p = {LEVEL:.2g}" in text
    assert f"second best: {choice.runner_up}" in text


def test_weak_structure_is_said_in_words():
    choice = combine(noisy_ensemble(flip=0.4).X, random_state=0).choice
    assert choice.verdict == "weak"
    assert "one cloud" in choice.reasons[-1]


def test_chance_is_said_in_words():
    choice = combine(np.random.default_rng(0).integers(0, 3, (60, 6)), random_state=0).choice
    assert (choice.verdict, choice.n_clusters, choice.runner_up) == ("chance", 1, None)
    assert "do not agree more than chance" in str(choice)
    assert str(choice).startswith("one cluster, method lwgp")
    assert choice.table.columns.tolist() == COLUMNS
    assert len(choice.table) == 0


def test_agreement_in_everything_is_said_in_words():
    choice = combine(np.repeat([[0], [1], [2]], 5, axis=1), random_state=0).choice
    assert (choice.verdict, choice.n_clusters, choice.p_value) == ("agreed", 3, None)
    assert "do not differ" in choice.reasons[0]


@pytest.mark.parametrize(
    ("fitted", "words"),
    [
        (EAC(), "the number was found by EAC itself"),
        (EAC(2), "n_clusters=2 was given"),
        (BCE(3, random_state=0), "n_clusters=3 was given"),
        (PCC(5, random_state=0), "n_clusters=5 .* upper bound"),
        (NBCE("vb", n_init=2, random_state=0), "the number was found by NBCE itself"),
    ],
)
def test_who_chose_the_number(fitted, words):
    choice = choice_of(fitted.fit(X))
    assert choice.verdict == "given"
    assert len(choice.reasons) == 1
    assert re.fullmatch(words, choice.reasons[0])
    assert choice.n_clusters == fitted.n_clusters_
    assert choice.p_value is None
    assert len(choice.table) == 0
    assert choice.table.dtypes["n_clusters"] == "int64"


def test_the_choice_of_a_fitted_estimator_is_its_own():
    model = LWGP(random_state=0).fit(X)
    found = choice_of(model)
    assert found.verdict in ("clusters", "weak")
    assert len(found.table) == 6
    assert choice_of(model.set_params(n_clusters=2).fit(X)).verdict == "given"
