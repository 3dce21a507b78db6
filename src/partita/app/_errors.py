"""What the server answers instead of a result."""

from partita.exceptions import Stopped

# What a user's file or request can cause, and whose message is for the user; anything else is a fault of ours.
USER_ERRORS = (ValueError, TypeError, OSError, MemoryError, ImportError, Stopped)
OURS = "Something went wrong inside partita, which is a fault of the program; the terminal shows the details."


class RequestError(Exception):
    """A request that cannot be done, with the status and the sentence of the answer."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status = status


class NotFoundError(RequestError):
    """Something that is not, or no longer, there."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} is not here (any more); nothing is kept when partita app ends.", 404)


def sentence_of(error: BaseException) -> str:
    """What an error says, on one line."""
    return " ".join(str(error).split()) or type(error).__name__
