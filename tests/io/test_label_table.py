"""Labels as read from a file: ids, or numbers in their place."""

import pandas as pd
import pytest

from partita.io._label_table import LabelTable

LABELS = pd.DataFrame({"p": [0, 0, 1], "q": ["x", "y", "y"]})


def test_without_ids_objects_are_numbered_under_the_name_object():
    table = LabelTable(LABELS, None, has_header=True)
    assert table.id_name == "object"
    assert table.object_ids().tolist() == [0, 1, 2]


@pytest.mark.parametrize(("name", "expected"), [("cell", "cell"), (7, "7"), ("", "object"), (None, "object")])
def test_ids_keep_their_name_and_what_is_written(name, expected):
    table = LabelTable(LABELS, pd.Series(["001", "NA", "b"], name=name), has_header=True)
    assert table.id_name == expected
    assert table.object_ids().tolist() == ["001", "NA", "b"]
