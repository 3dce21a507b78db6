"""The encoding of a text file: given, marked by its first bytes, or recognised; the text goes on as UTF-8."""

import codecs

from partita._runs import warn
from partita.exceptions import FileContentWarning, FileFormatError
from partita.io._source import Source

_MARKS = (  # the longer mark first: that of UTF-32 begins with that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_LOOK = 4096  # bytes by which UTF-16 without a mark is recognised: the first lines tell it
_MOSTLY = 0.4  # share of zero bytes at every second place of UTF-16: all of them in English, fewer in other scripts
_RARELY = 0.02  # the same at the other places, where only characters such as U+0100 have one
_CONTROL = bytes(set(range(32)) - set(b"\t\n\v\f\r\x1a"))  # what text does not hold; 1a ends old files of DOS


def to_utf8(content: bytes, source: Source, encoding: str | None) -> bytes:
    """The text as UTF-8 without a mark at its beginning; a guess is told, and what is no text is refused."""
    if encoding is not None:
        return _decoded(content, source, _known(encoding))
    for mark, name in _MARKS:
        if content.startswith(mark):
            return _decoded(content, source, name)
    if b"\0" in content:
        return _wide(content, source)
    if _is_utf8(content):
        return content
    return _western(content, source)


def _is_utf8(content: bytes) -> bool:
    if content.isascii():  # many times faster than decoding, and most files of labels are
        return True
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _known(encoding: str) -> str:
    try:
        info = codecs.lookup(encoding)
    except (LookupError, TypeError, ValueError):
        raise ValueError(f"encoding={encoding!r} is not known; pass utf-8, utf-16, latin-1 or cp1252.") from None
    if not getattr(info, "_is_text_encoding", True):
        raise ValueError(f"encoding={encoding!r} is not an encoding of text; pass utf-8, utf-16, latin-1 or cp1252.")
    return "utf-8-sig" if info.name == "utf-8" else info.name


def _decoded(content: bytes, source: Source, encoding: str) -> bytes:
    try:
        text = content.decode(encoding)
        return text.removeprefix("\ufeff").encode("utf-8")
    except UnicodeError as error:
        encoding = encoding.removesuffix("-sig")
        place = content.count(b"\n", 0, error.start) + 1 if isinstance(error, UnicodeDecodeError) else 1
        raise FileFormatError(
            f"{source.name!r} is not text in the encoding {encoding}: line {place} holds bytes that are none of its "
            "characters; pass the right encoding, or save the file as UTF-8."
        ) from None


def _wide(content: bytes, source: Source) -> bytes:
    """UTF-16 without a mark: characters of Western scripts have a zero byte at every second place."""
    look = content[:_LOOK]
    half = max(len(look) // 2, 1)
    even, odd = look[0::2].count(0) / half, look[1::2].count(0) / half
    for name, often, seldom in (("utf-16-le", odd, even), ("utf-16-be", even, odd)):
        if often >= _MOSTLY and seldom <= _RARELY and len(content) % 2 == 0:
            warn(f"{source.name!r} is read as {name.upper()} text; pass encoding=... if it is not.", FileContentWarning)
            return _decoded(content, source, name)
    raise FileFormatError(f"{source.name!r} is not a text file (it holds zero bytes).")


def _western(content: bytes, source: Source) -> bytes:
    """Windows-1252 (of which Latin-1 text is a part), if nothing speaks for damaged UTF-8 or for no text at all."""
    line = _first_bad_line(content)
    if len(content.translate(None, _CONTROL)) < len(content):
        raise FileFormatError(f"{source.name!r} is not a text file (it holds control characters, and is not UTF-8).")
    kept = content.decode("utf-8", errors="surrogateescape")
    partly = any("\x7f" < character < "\ud800" or character > "\udfff" for character in set(kept))
    if partly:
        raise FileFormatError(
            f"{source.name!r} is UTF-8 text with damaged characters, the first on line {line}; mend it, or pass its "
            "encoding if it is another."
        )
    text = _decoded(content, source, "cp1252")
    warn(
        f"{source.name!r} is not UTF-8 (line {line}) and is read as Windows-1252, which holds Latin-1; pass "
        "encoding=... if it is another.",
        FileContentWarning,
    )
    return text


def _first_bad_line(content: bytes) -> int:
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        return content.count(b"\n", 0, error.start) + 1
    return 1
