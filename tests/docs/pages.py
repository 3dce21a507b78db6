"""Pages of the documentation as tests see them: their fenced blocks, with what a comment says about each."""

import re
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parents[2]
MADE = {"_build", "api", "auto_gallery"}  # by Sphinx
FENCE = re.compile(r"^(?P<ticks>```+)(?P<words>[^\n`]*)\n(?P<text>.*?)^(?P=ticks)[ ]*$", re.MULTILINE | re.DOTALL)
NOTE = re.compile(r"<!-- (not run|nightly|needs): (.+?) -->\n\Z")
SHOWN = {"text", "toml", "r", "json", "css", "make", "yaml"}  # languages that are there to be read


@dataclass(frozen=True)
class Block:
    """A fenced block: where it is, its language, its text, and the note before it."""

    page: str
    line: int
    language: str
    text: str
    note: str  # "", "not run", "nightly" or "needs"
    reason: str  # of "needs" the modules that must be there

    @property
    def place(self) -> str:
        return f"{self.page}, line {self.line}"

    def is_run(self, *, nightly: bool) -> bool:
        """Whether the tests run it here: in every run, in those of the night, or where what it needs is installed."""
        if self.note == "needs":
            return all(find_spec(module) for module in self.reason.split(", "))
        return not self.note or (self.note == "nightly" and nightly)


def all_pages() -> list[Path]:
    """Every page that people write, and those that tools write from stored results."""
    docs = [path for path in (ROOT / "docs").rglob("*.md") if not MADE & set(path.relative_to(ROOT / "docs").parts)]
    return sorted([*docs, *ROOT.glob("*.md")])


def blocks_of(path: Path) -> list[Block]:
    """Blocks of a page in their order."""
    text = path.read_text(encoding="utf-8")
    page = path.relative_to(ROOT).as_posix()
    return [_block(page, text, found) for found in FENCE.finditer(text)]


def _block(page: str, text: str, found: re.Match[str]) -> Block:
    before = NOTE.search(text[: found.start()])
    note, reason = before.groups() if before else ("", "")
    line = text.count("\n", 0, found.start()) + 1
    return Block(page, line, found["words"].strip(), found["text"], note, reason)


def prose_of(path: Path) -> str:
    """A page without its fenced blocks."""
    return FENCE.sub("", path.read_text(encoding="utf-8"))


def commands_of(block: Block) -> list[str]:
    """Command lines of a block, those that go on in the next line joined."""
    text = block.text.replace("\\\n", " ")
    lines = [line.removeprefix("$ ").strip() for line in text.splitlines()]
    return [line for line in lines if line and not line.startswith("#")]


def anchors_of(path: Path) -> set[str]:
    """What a link may name after #: headings, in the way of code hosts and of Sphinx."""
    names: list[str] = []
    for title in re.findall(r"^#+ (.+)$", prose_of(path), re.MULTILINE):
        words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title)
        names.append(re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-"))
    again = {f"{name}-{number}" for name in names for number in range(1, names.count(name))}
    return set(names) | again
