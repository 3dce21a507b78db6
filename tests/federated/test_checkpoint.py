"""A fit that was interrupted goes on with the same bits."""

import numpy as np
import pytest

from partita import BCE, ECPCS, NBCE
from partita.exceptions import SiteError
from partita.federated import simulate
from partita.federated._checkpoint import Checkpoint
from partita.federated.rows import _site
from tests.federated.parts import labels_with_holes

X = labels_with_holes()
PARTS = [X[:40], X[40:70], X[70:]]


class Dies:
    """After so many answers, a site raises."""

    def __init__(self, monkeypatch, after):
        self.left, real = after, _site.Site.answer

        def answer(site, question, values):
            self.left -= 1
            if self.left < 0:
                raise ConnectionError("gone")
            return real(site, question, values)

        monkeypatch.setattr(_site.Site, "answer", answer)


@pytest.mark.parametrize(
    ("estimator", "after"),
    [
        (BCE(2, random_state=0, max_iter=6, tol=1e-3), 500),
        (NBCE(inference="vb", random_state=0), 13),
        (NBCE(inference="vb", random_state=0), 60),
    ],
)
def test_resumed_fits_have_the_same_bits(estimator, after, tmp_path, monkeypatch):
    want = simulate(estimator, PARTS)
    n_messages = sum(1 for _ in want.exchanges_) * len(PARTS)
    after = min(after, n_messages - 7)
    with monkeypatch.context() as patch:
        Dies(patch, after)
        with pytest.raises(SiteError, match="ConnectionError: gone"):
            simulate(estimator, PARTS, checkpoint=tmp_path / "fit")
    got = simulate(estimator, PARTS, checkpoint=tmp_path / "fit")
    assert len(got.exchanges_) < len(want.exchanges_)
    assert np.array_equal(got.membership_, want.membership_)
    assert got.history_ == want.history_
    assert np.array_equal(got.labels_, want.labels_)


def test_a_finished_checkpoint_asks_for_no_sum_again(tmp_path):
    first = simulate(ECPCS(3), PARTS, checkpoint=tmp_path)
    again = simulate(ECPCS(3), PARTS, checkpoint=tmp_path)
    assert {exchange.question for exchange in again.exchanges_} <= {"labels", "open", "close"} | {"place"}
    assert np.array_equal(first.labels_, again.labels_)


def test_a_checkpoint_of_another_fit_is_refused(tmp_path):
    simulate(ECPCS(3), PARTS, checkpoint=tmp_path)
    with pytest.raises(ValueError, match="is of another fit"):
        simulate(ECPCS(4), PARTS, checkpoint=tmp_path)
    estimator = NBCE(inference="vb", random_state=0)
    simulate(estimator, PARTS, checkpoint=tmp_path / "seed")
    with pytest.raises(ValueError, match="is of another fit"):
        simulate(estimator.set_params(random_state=1), PARTS, checkpoint=tmp_path / "seed")
    with pytest.raises(ValueError, match="pass a number"):
        simulate(NBCE(inference="vb"), PARTS, checkpoint=tmp_path / "none")


def test_other_labels_at_a_site_are_refused(tmp_path):
    simulate(ECPCS(3), PARTS, checkpoint=tmp_path)
    other = [PARTS[0][::-1], *PARTS[1:]]
    with pytest.raises(SiteError, match=r"'site-1' .* of other labels, or of another fit"):
        simulate(ECPCS(3), other, checkpoint=tmp_path)
    with pytest.raises(SiteError, match="of other labels, or of another fit"):
        simulate(ECPCS(3), PARTS, checkpoint=tmp_path, secret_key="k" * 20)


def test_what_is_stored_is_private(tmp_path):
    simulate(ECPCS(3), PARTS, checkpoint=tmp_path / "fit")
    for path in [tmp_path / "fit", *(tmp_path / "fit").rglob("*")]:
        assert path.stat().st_mode & 0o077 == 0, path


def test_the_heuristic_cannot_be_resumed(tmp_path):
    with pytest.raises(ValueError, match="cannot be resumed"):
        simulate(BCE(3), PARTS, heuristic=True, checkpoint=tmp_path)


def test_a_damaged_checkpoint_is_refused(tmp_path):
    simulate(ECPCS(3), PARTS, checkpoint=tmp_path)
    path = tmp_path / "sum-000000.npz"
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(ValueError, match="cannot be read"):
        simulate(ECPCS(3), PARTS, checkpoint=tmp_path)


def test_sums_come_back_as_they_were(tmp_path):
    total = {"a": np.random.default_rng(0).random((3, 2)), "b": np.array([1e-300])}
    Checkpoint(tmp_path, {}).store("q", total)
    stored = Checkpoint(tmp_path, {}).stored("q")
    assert set(stored) == {"a", "b"}
    assert all(np.array_equal(stored[key], total[key]) for key in total)
    with pytest.raises(ValueError, match="answers another question"):
        Checkpoint(tmp_path, {}).stored("other")
