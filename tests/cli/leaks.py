"""Python's words in a message of the command line."""

import re

from partita.cli import _words


def leaks(text):
    """Parameters that are named as in Python, and the names of Python objects."""
    spoken = re.sub(r"'[^']*'", "''", text)  # names in quotes are the user's own
    spoken = re.sub(r"; it has [\w, ]+\.", "", spoken)  # a list of what --set can set
    spoken = re.sub(r"--set \w+(=\S+)?", "", spoken)
    known = {*_words.OPTIONS, *_words._parameters()}
    with_value = [name for name in re.findall(r"(?<![\w-])([a-z_]\w*)=", spoken) if name in known]
    underscored = [name for name in re.findall(r"(?<![\w-])[a-z]+(?:_[a-z]+)+(?!\w)", spoken) if name in known]
    return with_value + underscored + re.findall(r"(?<![\w./-])X(?![\w/-]|\.\w)|\b\w+_(?!\w)|pd\.NA|np\.\w+", spoken)
