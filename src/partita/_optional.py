"""Import what an extra provides, or say which extra to install."""

from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from partita.exceptions import MissingExtraError


def available(module: str) -> bool:
    """Whether a module can be imported, without importing it."""
    return find_spec(module) is not None


def require(module: str, *, extra: str, purpose: str) -> ModuleType:
    """Return the imported module, or raise an error that names the extra."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise MissingExtraError(
            f'{purpose} needs {module}, which is not installed; run: pip install "partita[{extra}]"'
        ) from error
