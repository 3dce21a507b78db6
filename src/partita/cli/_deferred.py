"""Modules that are loaded when something in them is used, not when another library imports them."""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any


class _Deferred(ModuleType):
    """Stands for a module until one of its attributes is read."""

    def __getattr__(self, attribute: str) -> Any:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(import_module(self.__name__), attribute)


def defer(name: str) -> None:
    """Let ``import name`` cost nothing until an attribute of the module is read.

    scikit-learn imports ``scipy.stats`` in every process, for one function that few estimators call, and that is more
    than half of the time in which scikit-learn is imported. Only the command line does this, in its own process, and
    only for packages that look for their modules on demand, as SciPy does.
    """
    sys.modules.setdefault(name, _Deferred(name))
