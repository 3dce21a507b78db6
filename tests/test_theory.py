"""The theory pages: equations are numbered in order, cited in one form, and what code and tests cite exists."""

import ast
import re
import tokenize
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = {page.stem: page.read_text() for page in (ROOT / "docs" / "theory").glob("*.md")}
LETTERS = {
    "index": "C",
    "pairwise": "P",
    "models": "M",
    "utilities": "U",
    "nbce": "N",
    "graph": "G",
    "dirichlet_process": "D",
    "indices": "I",
    "ensembles": "R",
    "label_space": "L",
    "federated": "S",
    "blocks": "B",
    "median": "V",
    "votes": "W",
}
TAG = re.compile(r"^\*\*\(([A-Z]\d+)\)\*\*", re.MULTILINE)
CITATION = re.compile(r"\beqs?\.\s+([A-Z]\d+(?:(?:,| and| to|, and)\s+[A-Z]\d+)*)")
BARE_TAG = re.compile(rf"(?<![\w$^{{\\])[{''.join(LETTERS.values())}]\d+(?![\w^])")
NO_TAGS = {  # words that look like a tag: matrices, a divergence, statistics of Mann and Whitney
    **{"_hbgf.py": {"D1", "D2"}, "pcc_pairs.py": {"L2"}},
    **{f"{test}{name}.py": {"U1", "U2"} for test in ("", "test") for name in ("_critical_values", "_mann_whitney")},
}
WIDTH = 120
SOURCES = sorted(path for room in ("src", "tests", "benchmarks", "tools") for path in (ROOT / room).rglob("*.py"))
# numbers of tests, recipes, errata and open points in a document that readers of the project do not have
FOREIGN = re.compile(r"\b(?:T|E)-\d\d\b|\b(?:UND|ERR)-\d|(?<![\w\])])\([1-9]\d?\.\d{1,2}\)")
# a section of a paper is named with the paper: "section 7 of the PCC paper", "Lourenço et al. 2015, section 7"
SECTION = re.compile(
    r"(?<!paper, )(?<!paper's )(?<!\d{4}, )(?<!\d{4}; )\b[Ss]ections?\s\d(?:\.?\d)*(?!\.?\d)"
    r"(?!(?:\s(?:and|to)\s\d(?:\.?\d)*)?\sof\s(?:the\s[\w-]+\spaper|[A-Z]))"
)


def tags_of(page):
    return TAG.findall(PAGES[page])


def prose_of(page):
    """Lines of a page outside displayed formulas, with their numbers."""
    inside = False
    for number, line in enumerate(page.splitlines(), 1):
        if line.startswith("$$"):
            inside = not inside
        elif not inside:
            yield number, line


def notes_of(source):
    """Docstrings and comments of a module, except those for the linter."""
    nodes = ast.walk(ast.parse(source))
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = [ast.get_docstring(node) or "" for node in nodes if isinstance(node, kinds)]
    tokens = tokenize.generate_tokens(iter(source.splitlines(keepends=True)).__next__)
    comments = [token.string for token in tokens if token.type == tokenize.COMMENT]
    return docstrings + [comment.split("# noqa")[0] for comment in comments]


def unusual_citations(source):
    """Tags in docstrings and comments that stand outside "eq. D2" or "eqs. D13 to D15"."""
    for note in notes_of(source):
        for citation in CITATION.finditer(note):
            several = len(re.findall(r"[A-Z]\d+", citation.group())) > 1
            if several != citation.group().startswith("eqs."):
                yield citation.group()
        yield from BARE_TAG.findall(CITATION.sub("", note))


def bare_references(page):
    """Tags in the prose of a page that do not stand in parentheses of their own, as (M31)."""
    for _, line in prose_of(page):
        yield from BARE_TAG.findall(re.sub(r"\([A-Z]\d+\)|\$[^$]*\$|`[^`]*`", "", line))


def foreign_numbers(text):
    return [match.group() for pattern in (FOREIGN, SECTION) for match in pattern.finditer(text)]


def test_every_page_has_a_letter():
    assert set(PAGES) == set(LETTERS)


@pytest.mark.parametrize("page", LETTERS)
def test_equations_are_numbered_in_order(page):
    tags = tags_of(page)
    assert tags == [f"{LETTERS[page]}{number}" for number in range(1, len(tags) + 1)]
    assert len(tags) > 5


@pytest.mark.parametrize("page", LETTERS)
def test_a_page_refers_to_equations_that_exist(page):
    known = {tag for name in PAGES for tag in tags_of(name)}
    cited = set(re.findall(rf"\(([{''.join(LETTERS.values())}]\d+)\)", PAGES[page]))
    assert cited <= known


def test_cited_equations_exist():
    known = {tag for name in PAGES for tag in tags_of(name)}
    missing = [
        (path.relative_to(ROOT).as_posix(), tag)
        for path in SOURCES
        for cited in CITATION.findall(path.read_text())
        for tag in re.findall(r"[A-Z]\d+", cited)
        if tag not in known
    ]
    assert missing == []


def test_the_code_cites_the_pages():
    """Every page is cited by some module: the equations stand beside the lines that compute them."""
    cited = {tag[0] for path in SOURCES for group in CITATION.findall(path.read_text()) for tag in group.split()}
    assert cited >= set(LETTERS.values()) - {"R"}


@pytest.mark.parametrize("page", LETTERS)
def test_a_page_refers_to_equations_in_parentheses(page):
    assert list(bare_references(PAGES[page])) == []


@pytest.mark.parametrize("page", LETTERS)
def test_lines_of_prose_are_short(page):
    assert [(number, len(line)) for number, line in prose_of(PAGES[page]) if len(line) > WIDTH] == []


def test_citations_have_one_form():
    unusual = [
        (path.relative_to(ROOT).as_posix(), word)
        for path in SOURCES
        for word in unusual_citations(path.read_text())
        if word not in NO_TAGS.get(path.name, ()) and path != Path(__file__)
    ]
    assert unusual == []


@pytest.mark.parametrize(
    ("note", "unusual"),
    [
        ("eq. D2", []),
        ("(eqs. D13 to D15, D18 and\n    D20)", []),
        ("(D2)", ["D2"]),
        ("eqs. N19, N20; D27", ["D27"]),
        ("Eq. D16", ["D16"]),
        ("equation M3", ["M3"]),
        ("eq. N6 and N7", ["eq. N6 and N7"]),
        ("eqs. N6", ["eqs. N6"]),
        ("D1^-1/2, x_N1, $N1$ and Z2", []),
    ],
)
def test_an_unusual_citation_is_seen(note, unusual):
    assert list(unusual_citations(f'"""{note}"""')) == unusual
    if "\n" not in note:
        assert list(unusual_citations(f"x = 1  # {note}")) == unusual


def test_a_bare_reference_is_seen():
    page = "By (M31) and $M_1$, `M2`, see M3 (or M4, (M5)).\n$$\nM6\n$$\n"
    assert list(bare_references(page)) == ["M3", "M4"]


def test_no_number_of_a_foreign_document_is_left():
    names = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "Makefile")
    texts = [*SOURCES, *(ROOT / name for name in names), *(ROOT / "docs").rglob("*.md")]
    found = [
        (path.relative_to(ROOT).as_posix(), number)
        for path in texts
        for number in foreign_numbers(path.read_text())
        if path != Path(__file__)
    ]
    assert found == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see section 7", ["section 7"]),
        ("Section 4.2 says", ["Section 4.2"]),
        ("section 7 of this plan, section 12.", ["section 7", "section 12"]),
        ("section 7 of the PCC paper; section 7.1\nof the PCC paper", []),
        ("sections 3 and 4 of Neal (2000)", []),
        ("the PCC paper, section 7, and Neal 2000, section 3", []),
        ("f(3.14), in (3.14)", ["(3.14)"]),
    ],
)
def test_a_foreign_number_is_seen(text, found):
    assert foreign_numbers(text) == found
