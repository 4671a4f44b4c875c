"""Loads six CSV files into the catalog, one subcommand per step.

Exit status 0 done, 1 failed, 2 refused or wrong usage.
"""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from etl import arguments, config, files, pipeline
from etl.config import Options
from etl.context import Context
from etl.database import connection
from etl.errors import Refused
from etl.failures import EXPECTED_ERRORS, explain_failure
from etl.parser import Parser, called_as
from etl.progress import Display
from etl.steps import copy, documents, index, prepare, replay, search, status, swap, unswap, verify, writable

_SINGLE_STEPS: dict[str, ModuleType] = {
    "copy": copy,
    "index": index,
    "replay": replay,
    "documents": documents,
    "search": search,
    "verify": verify,
    "swap": swap,
    "writable": writable,
    "unswap": unswap,
}


def main(arguments: list[str]) -> int:
    """Runs a command; a failure ends with one line that explains it."""
    options, further = _parser().parse_known_args(arguments)
    if further:
        options.parser.refuse_word(further[0])
    command: Callable[[Options, Display], None] = options.run
    try:
        with Display() as display:
            command(_options(options), display)
    except EXPECTED_ERRORS as error:
        line, status_code = explain_failure(error, options.command)
        print(line, file=sys.stderr)
        return status_code
    return 0


def _parser() -> Parser:
    parser = Parser(prog=called_as(), description=__doc__, allow_abbrev=False)
    commands = parser.add_subparsers(required=True, metavar="COMMAND", dest="command")
    load = _command(commands, "load", "Load the six files of DIR and serve them: all steps, in order.")
    load.set_defaults(run=_load)
    arguments.file_options(load)
    load.add_argument("--dry-run", action="store_true", help="only read and clean; touch no database")
    load.add_argument("--check", action="store_true", help="check only the options and the beginning of each file")
    load.add_argument("--again", action="store_true", help="load files again that are already served")
    arguments.search_options(load)
    arguments.drop_option(load)
    arguments.rejected_option(load)
    for name, module in _SINGLE_STEPS.items():
        step = _command(commands, name, module.__doc__ or "")
        step.set_defaults(run=lambda options, display, run=module.run: pipeline.run_step(options, display, run))
        if name == "copy":
            arguments.file_options(step)
        if name == "search":
            arguments.search_options(step)
        if name in ("copy", "swap", "unswap"):
            arguments.drop_option(step)
        if name in ("replay", "swap"):
            arguments.rejected_option(step)
        if name == "verify":
            step.add_argument(
                "--served", action="store_true", help="check what is served, even while a load is in staging"
            )
    _command(commands, "prepare", prepare.__doc__ or "").set_defaults(run=pipeline.run_prepare)
    _command(commands, "status", status.__doc__ or "").set_defaults(run=_status)
    return parser


def _command(commands: "argparse._SubParsersAction[Parser]", name: str, text: str) -> Parser:
    command = commands.add_parser(name, help=text.splitlines()[0], description=text, allow_abbrev=False)
    command.set_defaults(parser=command)
    command.add_argument(
        "--database-url",
        default=config.database_url_default(),
        metavar="DSN",
        help="role catalog_loader; default LOADER_DATABASE_URL",
    )
    command.add_argument(
        "--jobs",
        type=arguments.positive,
        default=config.DEFAULT_JOBS,
        metavar="N",
        help="worker processes and connections (default %(default)s)",
    )
    command.add_argument(
        "--rejects",
        type=Path,
        default=config.DEFAULT_REJECTS,
        metavar="DIR",
        help="folder for the lists of rejected and repaired rows (default %(default)s)",
    )
    return command


def _options(given: argparse.Namespace) -> Options:
    dry_run = getattr(given, "dry_run", False)
    check = getattr(given, "check", False)
    if not given.database_url and not dry_run and not check:
        raise Refused(config.why_no_database())
    as_of, drop_writes = getattr(given, "as_of", None), getattr(given, "drop_writes", False)
    if as_of and drop_writes:
        raise Refused("--as-of keeps the writes and --drop-writes loses them: leave out one of both")
    campus = getattr(given, "campus", config.DEFAULT_CAMPUS)
    try:
        campus.encode()
    except UnicodeEncodeError:
        raise Refused("the campus is not UTF-8: correct --campus or CAMPUS") from None
    if not campus or "\r" in campus or "\n" in campus:
        raise Refused("the campus is empty or has a line end: correct --campus or CAMPUS")
    return Options(
        database_url=given.database_url or "",
        directory=getattr(given, "directory", Path()),
        jobs=given.jobs,
        chunk_bytes=getattr(given, "chunk", config.DEFAULT_CHUNK_BYTES),
        max_reject_percent=getattr(given, "max_reject", config.DEFAULT_MAX_REJECT_PERCENT),
        rejects=given.rejects,
        campus=campus,
        dry_run=dry_run,
        check=check,
        again=getattr(given, "again", False),
        search=not getattr(given, "no_search", False),
        language=getattr(given, "language", config.DEFAULT_LANGUAGE),
        as_of=as_of,
        max_rejected_writes=getattr(given, "max_rejected_writes", 0),
        drop_writes=drop_writes,
        served=getattr(given, "served", False),
    )


def _load(options: Options, display: Display) -> None:
    if options.check:
        files.read_layouts(options.directory)
    elif options.dry_run:
        pipeline.run_dry(options, display)
    else:
        pipeline.run_load(options, display)


def _status(options: Options, display: Display) -> None:
    """Takes no lock of the loader: it must answer while a load runs."""
    with connection(options.database_url) as opened:
        status.run(Context(options, opened, display))
