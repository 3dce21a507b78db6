"""Lines of text files: comments, the names that R writes, rows of another length, fields over several lines."""

import pytest

from partita.exceptions import FileContentWarning, FileFormatError
from partita.io import read_feature_table, read_labels
from partita.io._lines import without_comments


def read(tmp_path, text, **how):
    (tmp_path / "a.csv").write_text(text)
    return read_labels(tmp_path / "a.csv", **how)


COMMENTS = {
    "before the names": "# made by x, y\n#more\n\nid,a,b\nu,1,2\nv,1,2\nw,2,2\n",
    "between rows": "id,a,b\nu,1,2\n# a, b\nv,1,2\n#\n#x\nw,2,2\n",
    "with a quote": '# don"t\nid,a,b\nu,1,2\nv,1,2\n# it"s\nw,2,2\n',
    "as names": "# made today\n#id,a,b\nu,1,2\nv,1,2\nw,2,2\n",
}


@pytest.mark.parametrize("case", COMMENTS)
def test_lines_that_begin_with_a_hash_are_comments(tmp_path, case):
    table = read(tmp_path, COMMENTS[case])
    assert table.labels.to_numpy().tolist() == [[1, 2], [1, 2], [2, 2]]
    assert table.labels.columns.tolist() == ["a", "b"]
    assert table.ids.tolist() == ["u", "v", "w"]


def test_ids_and_labels_may_begin_with_a_hash(tmp_path):
    assert read(tmp_path, "id,a\n#1,0\n#2,1\n#3,1\n").ids.tolist() == ["#1", "#2", "#3"]
    assert read(tmp_path, "#1,0\n#2,1\n#3,0\n").ids.tolist() == ["#1", "#2", "#3"]
    assert read(tmp_path, 'id,a\nu,"x\n# no comment"\nv,y\nw,y\n').labels["a"].tolist() == ["x\n# no comment", "y", "y"]


def test_a_comment_in_one_column_is_no_object(tmp_path):
    assert read(tmp_path, "# labels\na\n1\n# more\n#N/A\n2\n").labels["a"].isna().tolist() == [False, True, False]


def test_names_of_r_are_one_short(tmp_path):
    table = read(tmp_path, '"run1" "run2"\n"1" 0 "x y"\n"2" 1 "z"\n"3" 1 NA\n')
    assert table.labels.columns.tolist() == ["run1", "run2"]
    assert table.labels["run2"].tolist()[:2] == ["x y", "z"]
    assert table.ids.tolist() == ["1", "2", "3"]
    assert table.id_name == "object"
    (tmp_path / "f.csv").write_text("w\th\nr1\t1.5\t2\nr2\t2.5\t3\nr3\t2\t3\n")
    features = read_feature_table(tmp_path / "f.csv")
    assert features.features.columns.tolist() == ["w", "h"]
    assert features.ids.tolist() == ["r1", "r2", "r3"]


@pytest.mark.parametrize("text", ["1,2\n3,4,5\n6,7,8\n", "a,b\nx,4,5\nx,7,8\n", "a,b\nx,4,5\ny,7\n"])
def test_a_short_first_row_that_is_no_header_of_r_is_refused(tmp_path, text):
    with pytest.raises(FileFormatError, match=r"line \d has . fields"):
        read(tmp_path, text)


ROWS = ["u,1,2", '"u",1,2', '"u, v",1,2', 'u,1,"2\n"', "u,1,"]


@pytest.mark.parametrize("row", ROWS)
@pytest.mark.parametrize("n_rows", [5, 1500])
@pytest.mark.parametrize("wrong", ["u,1", "u,1,2,3", "u"])
def test_a_row_of_another_length_is_refused_anywhere(tmp_path, row, n_rows, wrong):
    n_lines = n_rows * (1 + row.count("\n"))
    n_fields = wrong.count(",") + 1
    with pytest.raises(FileFormatError, match=f"'a.csv' is not a table: line {n_lines + 2} has {n_fields} fields"):
        read(tmp_path, "id,a,b\n" + f"{row}\n" * n_rows + f"{wrong}\n{row}\n", id_column=False)


def test_holes_at_the_end_of_rows_are_no_short_rows(tmp_path):
    assert read(tmp_path, "a,b\n" + "1,\n2,3\n" * 800).labels["b"].isna().sum() == 800
    assert read(tmp_path, "a,b\n\n" + '1,\n\n2,"3"\n' * 800).labels["b"].isna().sum() == 800


def test_separators_and_line_ends_in_quotes_are_text(tmp_path):
    for separator in ",;\t":
        rows = [["id", "a", "b"], [f'"x{separator} 1"', "1", '"u\nv"'], ['"y"', "1", '"u\nv"'], ["z", "2", '"q""q"']]
        table = read(tmp_path, "\n".join(separator.join(row) for row in rows))
        assert table.ids.tolist() == [f"x{separator} 1", "y", "z"]
        assert table.labels["b"].tolist() == ["u\nv", "u\nv", 'q"q']


def test_rows_over_several_lines_may_end_at_the_end_of_the_sample(tmp_path):
    table = read(tmp_path, "a,b\n" + '"x\ny","u"\n' * 1200)
    assert table.labels.shape == (1200, 2)


def test_line_ends_of_old_computers_are_read(tmp_path):
    (tmp_path / "a.csv").write_bytes(b"a,b\r1,2\r1,3\r")
    assert read_labels(tmp_path / "a.csv").labels.to_numpy().tolist() == [[1, 2], [1, 3]]


def test_blanks_between_columns_may_be_many(tmp_path):
    assert read(tmp_path, "a  b\n1   2\n10  3\n").labels.to_numpy().tolist() == [[1, 2], [10, 3]]


REFUSED = {
    "a carriage return in a line": (b"a,b\n1,2\n1\r3,4\n1,2\n", "carriage return within a line"),
    "a quote that is not closed": (b'a,b\n1,2\n"1,2\n' + b"1,2\n" * 50_000, "quote is not closed"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_broken_lines_are_refused_in_our_words(tmp_path, case):
    content, message = REFUSED[case]
    (tmp_path / "a.csv").write_bytes(content)
    with pytest.raises(FileFormatError, match=message):
        read_labels(tmp_path / "a.csv")


def test_comments_that_look_like_rows_are_counted():
    text = b"a,b\n# x,y\nu,v\n# a note\n"
    with pytest.warns(FileContentWarning, match="1 lines that begin with '# ' have as many fields as a row"):
        assert without_comments(text, ",", 2) == b"a,b\n\nu,v\n\n"
