"""Extras: what is installed is imported, what is not is named with the extra to install."""

import json
import sys

import pytest

from partita._optional import available, require
from partita.exceptions import MissingExtraError


def test_what_is_installed_is_imported():
    assert require("json", extra="text", purpose="reading JSON") is json


def test_what_is_missing_is_named_with_its_extra():
    with pytest.raises(MissingExtraError, match=r'drawing needs nosuch.*run: pip install "partita\[plot\]"') as caught:
        require("nosuch", extra="plot", purpose="drawing")
    assert isinstance(caught.value.__cause__, ModuleNotFoundError)


def test_whether_a_module_is_there_is_seen_without_importing_it(monkeypatch):
    monkeypatch.delitem(sys.modules, "antigravity", raising=False)
    assert available("antigravity")
    assert "antigravity" not in sys.modules
    assert not available("nosuch")
