"""Features from a file, scaled; and whether a file holds features or labels."""

from typing import Any


def read_scaled(file: str, reading: dict[str, Any], scale: bool) -> tuple[Any, Any]:
    """Ids, and features, with mean 0 and variance 1 if ``scale``."""
    import pandas as pd
    from sklearn.preprocessing import StandardScaler

    from partita.io import read_feature_table

    table = read_feature_table(file, **reading)
    features = table.features.to_numpy()
    scaled = StandardScaler().fit_transform(features) if scale else features
    return pd.Series(table.object_ids(), name=table.id_name), scaled


def holds_fractions(file: str, reading: dict[str, Any]) -> bool:
    """Whether a column of numbers has one that is not whole: such a file holds features, not labels."""
    import pandas as pd

    from partita.io import read_labels

    how = {name: value for name, value in reading.items() if name != "drop"}
    frame = read_labels(file, **{"id_column": False, **how}).labels
    for name in frame.columns.difference(reading.get("drop", [])):
        column = frame[name].dropna()
        numbers = pd.to_numeric(column, errors="coerce")
        if numbers.notna().all() and (numbers % 1 != 0).any():
            return True
    return False
