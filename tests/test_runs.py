"""Seeds, threads, starts and warnings."""

import threading
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from partita import _runs


def test_seeds_depend_on_the_random_state_alone():
    one, two = _runs.draw_seeds(3, 5), _runs.draw_seeds(3, 5)
    assert np.array_equal(one, two)
    assert len(set(one.tolist())) == 5
    assert np.array_equal(_runs.draw_seeds(np.random.RandomState(3), 5), one)
    assert not np.array_equal(_runs.draw_seeds(4, 5), one)


@pytest.mark.parametrize("n_jobs", [None, 1, 2, 8, -1])
def test_results_come_in_the_order_of_the_tasks(n_jobs):
    assert list(_runs.in_order(lambda task: task**2, range(20), n_jobs)) == [task**2 for task in range(20)]
    assert list(_runs.in_order(str, [], n_jobs)) == []


def test_tasks_run_in_threads_when_asked():
    barrier = threading.Barrier(3, timeout=30)  # passes only if three tasks wait at the same time
    assert len(list(_runs.in_order(lambda task: barrier.wait(), range(3), 3))) == 3


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_the_first_of_equally_good_starts_is_kept(n_jobs):
    values = [3.0, 1.0, 2.0, 1.0]
    best = _runs.best_of(lambda start: (values[start], start), range(4), n_jobs, lowest=lambda run: run[0])
    assert best == (1.0, 1)


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_the_best_of_each_round_of_a_race_go_on(n_jobs):
    first, second = [3.0, 1.0, 2.0, 1.0], [0.0, 5.0, 7.0, 5.0]
    asked = []

    def short(start):
        return first[start], start

    def long(result):
        asked.append(result[1])
        return second[result[1]], result[1]

    rounds = [_runs.Round(short, 3), _runs.Round(long, 2)]
    kept = _runs.race(range(4), rounds, n_jobs, lowest=lambda result: result[0])
    assert sorted(asked) == [1, 2, 3]  # the start that would have won in the end did not pass the first round
    assert kept == [(5.0, 1), (5.0, 3)]


def test_a_sample_is_drawn_only_from_many_rows():
    assert _runs.draw_sample(np.ones(_runs.SAMPLE_SIZE), 0) is None
    weights = np.r_[np.full(_runs.SAMPLE_SIZE, 1.0), 1e6]
    drawn = _runs.draw_sample(weights, 0)
    assert drawn.sum() == _runs.SAMPLE_SIZE
    assert drawn[-1] > 0.98 * _runs.SAMPLE_SIZE  # rows are drawn in proportion to their weight
    assert np.array_equal(drawn, _runs.draw_sample(weights, 0))


def test_greedy_plus_plus_takes_the_candidate_that_lowers_the_sum_most():
    points, weights = np.array([0.0, 10.0, 10.2, 13.0]), np.array([5.0, 1.0, 1.0, 1.0])
    for seed in range(20):
        rng = np.random.default_rng(seed)
        rows = _runs.plus_plus(weights, 2, lambda row: (points - points[row]) ** 2, rng, first=0, n_candidates=40)
        assert rows == [0, 2]  # the middle one of the three, though the farthest is drawn more often


def test_plus_plus_draws_in_proportion_to_weight_times_squared_distance():
    points, weights = np.array([0.0, 1.0, 3.0, 3.0]), np.array([1.0, 2.0, 1.0, 0.5])
    rng, seconds = np.random.default_rng(0), np.zeros(4)
    for _ in range(4000):
        rows = _runs.plus_plus(weights, 2, lambda row: (points - points[row]) ** 2, rng)
        if rows[0] == 0:
            seconds[rows[1]] += 1
    expected = weights * points**2 / (weights @ points**2)
    n = seconds.sum()
    assert seconds[0] == 0
    assert (np.abs(seconds / n - expected) < 4 * np.sqrt(expected * (1 - expected) / n) + 1e-12).all()


def test_plus_plus_stops_when_every_row_is_chosen():
    points = np.array([2.0, 2.0, 5.0])
    rows = _runs.plus_plus(np.ones(3), 3, lambda row: (points - points[row]) ** 2, np.random.default_rng(1))
    assert len(rows) == 2
    assert sorted(points[rows]) == [2.0, 5.0]


def test_a_warning_points_at_the_caller_of_the_library():
    """Also through scikit-learn's wrapper of ``fit`` and through estimators that call others."""
    import partita

    X = np.array([[0, 0], [0, 1], [1, 1], [-1, -1]])
    with pytest.warns(partita.exceptions.UnlabelledObjectsWarning) as caught:
        partita.EAC().fit_predict(X)
    assert caught[0].filename == __file__
    with pytest.warns(partita.exceptions.LeftOutWarning) as caught:
        partita.metrics.rand_score([0, 0, 1, -1], [0, 1, 1, 0])
    assert caught[0].filename == __file__


def test_every_warning_passes_through_one_function():
    """No module but ``_runs`` calls ``warnings``, so that none sets a stack level by hand."""
    from pathlib import Path

    root = Path(_runs.__file__).parent
    texts = {path.relative_to(root).as_posix(): path.read_text() for path in root.rglob("*.py")}
    assert [name for name, text in texts.items() if "warnings.warn" in text or "stacklevel" in text] == ["_runs.py"]


def test_one_wording_of_no_convergence():
    with pytest.warns(ConvergenceWarning, match=r"EM did not converge in max_iter=7 iterations; raise max_iter"):
        _runs.warn_not_converged("EM", 7)
    with pytest.warns(ConvergenceWarning, match=r"PCC did not converge in max_iter=7 sweeps \(gap 0.1\); raise"):
        _runs.warn_not_converged("PCC", 7, gap="gap 0.1", unit="sweeps")
    with pytest.warns(ConvergenceWarning, match=r"in max_iter=7 iterations; raise max_iter\."):
        _runs.warn_not_converged("DPMeans", 7, advice="raise max_iter")


def test_a_silent_bar_counts_nothing(capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with _runs.progress(10, "work", show=False) as bar:
            bar.update(10)
    assert capsys.readouterr() == ("", "")


def test_a_warning_of_a_thread_points_at_the_caller():
    import partita

    with pytest.warns(UserWarning, match="task") as caught:
        list(_runs.in_order(lambda task: _runs.warn(f"task {task}", UserWarning), range(3), 3))
    assert {warning.filename for warning in caught} == {__file__}
    X = np.array([[0, 0, 1], [0, 1, 1], [1, 1, 0], [1, 0, 0]] * 3)
    method = partita.MultinomialMixture(n_init=1, max_iter=1)
    with pytest.warns(ConvergenceWarning) as caught:
        partita.choose_n_clusters(X, [2], consensus=method, n_resamples=2, n_jobs=2, random_state=0)
    assert {warning.filename for warning in caught} == {__file__}


def test_plus_plus_from_a_given_row():
    points = np.array([0.0, 1.0, 5.0])
    rows = _runs.plus_plus(np.ones(3), 3, lambda row: (points - points[row]) ** 2, np.random.default_rng(0), first=1)
    assert rows[0] == 1
    assert sorted(rows) == [0, 1, 2]


def test_a_generator_gives_seeds_and_moves_on():
    first, again = (_runs.draw_seeds(np.random.default_rng(5), 3) for _ in range(2))
    assert first.tolist() == again.tolist()
    generator = np.random.default_rng(5)
    assert _runs.draw_seeds(generator, 3).tolist() == first.tolist()
    assert _runs.draw_seeds(generator, 3).tolist() != first.tolist()


@pytest.mark.parametrize("wrong", [0, 1.5, True, "x", np.nan, []], ids=str)
def test_what_is_no_number_of_threads_is_refused_at_the_call(wrong):
    with pytest.raises(ValueError, match="is not a number of threads; pass at least 1, -1 for all cores, or None"):
        _runs.in_order(str, [], wrong)


def test_more_tasks_than_can_ever_run_are_refused():
    with pytest.raises(ValueError, match="starts, chains or clusterings are too many; pass at most 100000000"):
        _runs.draw_seeds(0, 10**30)


@pytest.mark.parametrize("wrong", [-1, 2**32])
def test_a_number_that_is_no_seed_is_refused(wrong):
    with pytest.raises(ValueError, match=f"random_state={wrong} is not a seed; pass a whole number from 0 to"):
        _runs.draw_seeds(wrong, 1)


@pytest.mark.parametrize("wrong", ["x", 1.5, [1]], ids=str)
def test_what_cannot_seed_is_refused_in_our_words(wrong):
    with pytest.raises(ValueError, match="cannot seed anything; pass a whole number, a RandomState, a Generator or"):
        _runs.draw_seeds(wrong, 1)


def test_blocks_cover_all_rows_once(monkeypatch):
    monkeypatch.setattr(_runs, "_BLOCK", 10)
    assert _runs.block_edges(25, 3) == [(0, 10), (10, 20), (20, 25)]
    assert _runs.block_edges(25, 8) == [(0, 16), (16, 25)]  # longer blocks for longer tables
