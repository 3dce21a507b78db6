"""Messages of the library in the words of the page, where they name arguments of Python."""

import re

_WORDS = [
    (r"pass missing_words=False", 'take the mark off "NA, nan, null, ? and the like"'),
    (r"pass encoding= ?(\S+)?", "choose the encoding"),
    (r"pass id_column=False if it has no ids", "choose that there is no column of names"),
    (r"say which column names the objects by id_column=\.\.\.", "use a column as the names of the objects"),
    (r"leave columns out by drop=(\[[^\]]*\])", r"leave out \1"),
    (r"labels_ is -1 for them", "they get no cluster"),
    (r"pass a larger max_time", "give it more time"),
    (r"\(the column 'cost' of `partita methods`\)", "(the cost is told with each method)"),
    (r"choose_n_clusters compares", "partita choose compares"),
    (r"\bn_clusters=", "number of clusters "),
]


def in_page_words(text: str) -> str:
    """The same sentence for a reader who sees the page and no Python."""
    for pattern, words in _WORDS:
        text = re.sub(pattern, words, text)
    return text
