"""Features from a file, scaled; and which ones they are."""

from typing import Any, NamedTuple

from partita.cli._stages import stage
from partita.cli._width import print_field


class Points(NamedTuple):
    """Features of the objects, and where they come from."""

    ids: Any  # a Series
    values: Any  # (n_objects, n_features), with mean 0 and variance 1 if that was asked for
    facts: dict[str, Any]  # features and id_column, for the summary

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of objects and features."""
        return self.values.shape  # type: ignore[no-any-return]


def read_points(file: str, reading: dict[str, Any], scale: bool) -> Points:
    """Ids, and features, with mean 0 and variance 1 if ``scale``."""
    import numpy as np
    import pandas as pd
    from sklearn.preprocessing import StandardScaler

    from partita._features import check_magnitude
    from partita.io import read_feature_table

    with stage(f"reading {file}"):
        table = read_feature_table(file, **reading)
    values = table.features.to_numpy()
    with np.errstate(over="ignore", invalid="ignore"):
        scaled = StandardScaler().fit_transform(values) if scale else values
    if not np.isfinite(scaled).all():
        check_magnitude(values)
    facts = {
        "features": [str(name) for name in table.features.columns],
        "constant_features": [column.name for column in table.columns if column.is_constant],
        "id_column": None if table.ids is None else table.id_name,
    }
    return Points(pd.Series(table.object_ids(), name=table.id_name), scaled, facts)


def print_features(facts: dict[str, Any], *, err: bool) -> None:
    """Which columns were used as features, which one as ids, and which features tell no objects apart."""
    names = facts["features"]
    shown = ", ".join(names[:30]) + (f", ... ({len(names)} in all)" if len(names) > 30 else "")
    print_field("features", shown, err=err)
    if facts["constant_features"]:
        print_field("constant", f"{', '.join(facts['constant_features'][:30])}: without effect", err=err)
    print_field("ids", facts["id_column"] or "none in the file; objects are numbered from 0", err=err)
