"""Options that several commands of the loader take, and their values."""

import argparse
import re
from difflib import get_close_matches
from fractions import Fraction
from pathlib import Path
from urllib.parse import urlsplit

from etl import config
from etl.config import Cursor
from etl.errors import Refused
from etl.parser import Parser

_CURSOR = re.compile(r"([0-9]{1,10})\.([0-9]{1,15})(?:\.([0-9]{1,9}))?")
_MAX_ERA = 2**31 - 1
_SHOWN = 40
"""Characters of a wrong cursor."""


def _folder(text: str) -> Path:
    """An absolute path: worker processes run in another folder."""
    return Path(text).absolute()


def folder(command: Parser, text: str = "the folder of the six CSV files") -> None:
    command.add_argument("directory", type=_folder, metavar="DIR", help=text)


def reading_options(command: Parser) -> None:
    folder(command)
    command.add_argument(
        "--chunk",
        type=positive,
        default=config.DEFAULT_CHUNK_BYTES,
        metavar="BYTES",
        help="bytes of a file that are committed at once (default %(default)s)",
    )
    command.add_argument(
        "--max-reject",
        type=_percent,
        default=config.DEFAULT_MAX_REJECT_PERCENT,
        metavar="PERCENT",
        help="share of a file's rows above which a load fails (default %(default)s)",
    )


def file_options(command: Parser) -> None:
    reading_options(command)
    command.add_argument(
        "--campus",
        help=f"shown in every product (default that of an export, or {config.campus_default()})",
    )
    command.add_argument(
        "--as-of",
        type=_cursor,
        metavar="CURSOR",
        help="the files have the writes up to this Catalog-Cursor; replay those after it",
    )


def rejected_option(command: Parser) -> None:
    command.add_argument(
        "--max-rejected-writes",
        type=_count,
        default=0,
        metavar="N",
        help="writes that cannot be replayed, above which a load fails (default %(default)s)",
    )


def search_options(command: Parser) -> None:
    command.add_argument(
        "--no-search", action="store_true", help="leave out the search: the API then answers it with 503"
    )
    command.add_argument(
        "--language",
        type=_language,
        metavar="CODE",
        help=f"of the texts, for forms of words: {', '.join(config.LANGUAGES)} or none "
        f"(default that of an export, or {config.language_default()})",
    )


def tuning_options(command: Parser) -> None:
    command.add_argument(
        "tuning_file", type=_folder, nargs="?", metavar="FILE", help="tuning.json (etl/tuning.schema.json)"
    )
    command.add_argument(
        "queries", type=_folder, nargs="?", metavar="QUERIES", help="--check: a file with a query a line"
    )
    command.add_argument("--check", action="store_true", help="only print which QUERIES would change")
    command.add_argument("--show", action="store_true", help="print the tuning that counts")
    command.add_argument("--undo", action="store_true", help="go back to the tuning before; a second one undoes it")


def writer_options(command: Parser) -> None:
    command.add_argument(
        "--writer",
        metavar="URL",
        help="the writer, or several with commas between (default WRITER_URL, or that of the running stack)",
    )
    command.add_argument("--dry-run", action="store_true", help="only report what would change")


def writer_urls(given: argparse.Namespace) -> tuple[str, ...]:
    """The addresses of the writers.

    Raises:
        Refused: when there is none, or one is not a URL, or there is no key.
    """
    urls = tuple(filter(None, (given.writer or config.writer_default()).split(",")))
    if not urls:
        raise Refused("no writer: give --writer URL, or set WRITER_URL")
    for url in urls:
        if not _is_url(url):
            raise Refused(f"{url!r} is not the URL of a writer: write it as http://127.0.0.1:7030")
    if not config.writer_key():
        raise Refused(
            "WRITER_KEY is not set: make a key (npm run key -- create upsert --scopes content,stock; "
            "on a node, catalog-key) and set it"
        )
    return urls


def _is_url(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def check_tuning(given: argparse.Namespace) -> None:
    """One of FILE, --check FILE QUERIES, --show and --undo."""
    wanted = [name for name in ("check", "show", "undo") if getattr(given, name)]
    files = [path for path in (given.tuning_file, given.queries) if path is not None]
    if len(wanted) > 1 or len(files) != {"check": 2, "show": 0, "undo": 0, "": 1}[wanted[0] if wanted else ""]:
        raise Refused("type tune FILE, tune --check FILE QUERIES, tune --show, or tune --undo")


def drop_option(command: Parser) -> None:
    command.add_argument(
        "--drop-writes", action="store_true", help="lose what was written since what is served was loaded"
    )


def _cursor(text: str) -> Cursor:
    found = _CURSOR.fullmatch(text)
    if found is None or int(found[1]) > _MAX_ERA:
        shown = text if len(text) < _SHOWN else f"{text[:_SHOWN]}…"
        raise argparse.ArgumentTypeError(
            f"{shown!r} is not a cursor such as 1.4712 or 1.4712.3: "
            "take Catalog-Cursor of a write, or next of GET /changes"
        )
    return Cursor(int(found[1]), int(found[2]), None if found[3] is None else int(found[3]))


def _language(text: str) -> str:
    """A code of two letters counts even where the search does not know the language: the next release may."""
    if text == config.NO_LANGUAGE or re.fullmatch("[a-z]{2}", text):
        return text
    near = get_close_matches(text.lower(), config.LANGUAGES, n=1)
    raise argparse.ArgumentTypeError(
        f"{text!r} is not the code of a language: {f'did you mean {near[0]}? ' if near else ''}"
        f"{', '.join(config.LANGUAGES)} or none"
    )


def language_default() -> str:
    """SEARCH_LANGUAGE.

    Raises:
        Refused: when it is not a code.
    """
    try:
        return _language(config.language_default())
    except argparse.ArgumentTypeError as error:
        raise Refused(f"SEARCH_LANGUAGE: {error}") from None


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of writes")
    return int(text)


def positive(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive integer")
    return int(text)


def _percent(text: str) -> Fraction:
    """An exact fraction: the ceiling itself is allowed, and the float 0.57 is less than 57 of 10,000."""
    try:
        value = Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None
    if not 0 <= value <= 100:
        raise argparse.ArgumentTypeError(f"{text} is not between 0 and 100")
    return value
