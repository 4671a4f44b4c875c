"""Options of a run and their defaults. The only module that reads the environment."""

import os
import shlex
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

DEFAULT_JOBS = 2
DEFAULT_CHUNK_BYTES = 32 << 20
"""Small enough to repeat quickly, large enough that commits cost little. DECISIONS.md says why not whole files."""
DEFAULT_MAX_REJECT_PERCENT = Fraction(1)
DEFAULT_CAMPUS = "hr-lax"
DEFAULT_REJECTS = Path(".state/rejects")
DEFAULT_LANGUAGE = "en"
NO_LANGUAGE = "none"
LANGUAGES = ("da", "de", "en", "es", "fi", "fr", "hu", "it", "nl", "no", "pt", "ru", "sv", "tr")
"""Those whose words have forms in the search: the keys of server/search/text/languages.json."""


@dataclass(frozen=True)
class Cursor:
    """A place in the log of writes, as in `Catalog-Cursor`."""

    era: int
    seq: int
    index: int | None = None
    """After this change of the commit; None: after all of it."""

    def __str__(self) -> str:
        return f"{self.era}.{self.seq}" + ("" if self.index is None else f".{self.index}")


@dataclass(frozen=True)
class Options:
    """Options of the operator; `directory` holds the six files."""

    database_url: str
    directory: Path
    jobs: int = DEFAULT_JOBS
    chunk_bytes: int = DEFAULT_CHUNK_BYTES
    max_reject_percent: Fraction = DEFAULT_MAX_REJECT_PERCENT
    rejects: Path = DEFAULT_REJECTS
    campus: str = DEFAULT_CAMPUS
    dry_run: bool = False
    again: bool = False
    """`load` also loads files that are already served."""
    check: bool = False
    """`load` checks only the options and the beginning of each file, `tune` only what would change."""
    search: bool = True
    """`search` makes the sets; without it the tables of the search are empty."""
    language: str = DEFAULT_LANGUAGE
    """A code of two letters, of a language that may be unknown, or NO_LANGUAGE."""
    as_of: Cursor | None = None
    """The files have the writes up to this commit. A load replays those after it."""
    max_rejected_writes: int = 0
    """Writes that a load may fail to replay."""
    drop_writes: bool = False
    """A load or an unswap loses what was written since."""
    served: bool = False
    """`verify` checks what is served, even while a load is in staging."""
    tuning_file: Path | None = None
    queries: Path | None = None
    """A query a line, for `tune --check`."""
    writer_urls: tuple[str, ...] = ()
    writer_key: str = field(default="", repr=False)
    show: bool = False
    undo: bool = False

    @property
    def search_language(self) -> str:
        """The language whose forms of words the search knows."""
        return self.language if self.language in LANGUAGES else NO_LANGUAGE


def database_url_default() -> str | None:
    """LOADER_DATABASE_URL, of role catalog_loader."""
    return os.environ.get("LOADER_DATABASE_URL")


def typed_command() -> list[str]:
    """The words of CATALOG_COMMAND: what was typed to start the loader, unless that was `python -m etl`."""
    return shlex.split(os.environ.get("CATALOG_COMMAND", ""))


def why_no_database() -> str:
    """CATALOG_NO_DATABASE: why `npm run etl` names no database, and what to do."""
    return os.environ.get("CATALOG_NO_DATABASE") or "no database: set LOADER_DATABASE_URL or give --database-url"


def writer_default() -> str:
    """WRITER_URL: the addresses of the writers, with commas between."""
    return os.environ.get("WRITER_URL", "")


def writer_key() -> str:
    """WRITER_KEY, which is no option: others of a machine see those."""
    return os.environ.get("WRITER_KEY", "")


def campus_default() -> str:
    """CAMPUS, shown in every product. An empty one counts as not set."""
    return os.environ.get("CAMPUS") or DEFAULT_CAMPUS


def language_default() -> str:
    """SEARCH_LANGUAGE. An empty one counts as not set."""
    return os.environ.get("SEARCH_LANGUAGE") or DEFAULT_LANGUAGE
