"""Models that are written and read again, and model files that are damaged."""

import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path

import partita
from partita.consensus._methods import METHODS
from tests.fuzz.draws import Rng, chance, draw_table, pick
from tests.fuzz.files import Drawn, damaged


def _estimator(rng: Rng) -> str:
    name = str(pick(rng, *(method.estimator for method in METHODS.values())))
    takes = getattr(partita, name)().get_params() if name != "NBCE" else {}
    given = {"n_clusters": int(rng.integers(2, 4)), "random_state": pick(rng, 0, None)}
    return f"partita.{name}({', '.join(f'{key}={value!r}' for key, value in given.items() if key in takes)})"


def _saved(rng: Rng) -> Drawn:
    """A model that is saved and read: it must say the same."""
    X = draw_table(rng, int(rng.integers(2, 13)), int(rng.integers(1, 5)))
    labels = pick(rng, X.tolist(), X.astype(str).tolist())
    steps = [
        "X = np.array(labels, dtype=object) if isinstance(labels[0][0], str) else np.array(labels)",
        f"model = {_estimator(rng)}.fit(X)",
        "partita.save_model(model, folder / 'model.npz')",
        "again = partita.load_model(folder / 'model.npz')",
        "assert (again.predict(X) == model.predict(X)).all()",
        "result = again.labels_",
    ]
    return {"labels": repr(labels)}, steps


def _read(rng: Rng) -> Drawn:
    """A model file, mostly damaged."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = Path(folder) / "model.npz"
        X = draw_table(rng, 8, 3)
        X[0] = 0  # at least one object has labels
        partita.save_model(partita.LWGP(2, random_state=0).fit(X), path)
        content = path.read_bytes()
    if chance(rng, 0.9):
        content = damaged(rng, content)
    steps = ["(folder / 'model.npz').write_bytes(content)", "result = partita.load_model(folder / 'model.npz').labels_"]
    return {"content": repr(content)}, steps


MODEL_FILES: dict[str, Callable[[Rng], Drawn]] = {"save_model": _saved, "load_model": _read}
