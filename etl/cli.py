"""Loads six CSV files into the catalog, one subcommand per step.

Exit status 0 done, 1 failed, 2 refused or wrong usage.
"""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from etl import arguments, config, files, guess, pipeline
from etl.config import Options
from etl.context import Context
from etl.database import connection
from etl.errors import Refused
from etl.failures import EXPECTED_ERRORS, explain_failure
from etl.manifest import read_manifest
from etl.parser import Parser, called_as
from etl.progress import Display
from etl.steps import (
    copy,
    documents,
    export,
    index,
    prepare,
    replay,
    search,
    status,
    swap,
    tune,
    unswap,
    upsert,
    verify,
    writable,
)

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
    _command(commands, "status", status.__doc__ or "").set_defaults(run=_without_lock(status.run))
    fields = _command(commands, "fields", guess.__doc__ or "")
    fields.set_defaults(run=lambda options, _: print(guess.guess(options.directory)))
    fields.add_argument(
        "--write",
        dest="run",
        action="store_const",
        const=lambda options, _: print(guess.write(options.directory)),
        help="write it into DIR, which must not have one yet",
    )
    arguments.folder(fields)
    exported = _command(commands, "export", export.__doc__ or "")
    exported.set_defaults(run=_without_lock(export.run))
    arguments.folder(exported, "the folder that gets the files")
    part = _command(commands, "upsert", upsert.__doc__ or "")
    part.set_defaults(run=_without_lock(upsert.run))
    arguments.reading_options(part)
    arguments.writer_options(part)
    tuning = _command(commands, "tune", tune.__doc__ or "")
    tuning.set_defaults(run=_without_lock(tune.run))
    arguments.tuning_options(tuning)
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
    tuning_file, queries = getattr(given, "tuning_file", None), getattr(given, "queries", None)
    needs_database = not (
        (dry_run and given.command == "load") or given.command == "fields" or (check and tuning_file is None)
    )
    if not given.database_url and needs_database:
        raise Refused(config.why_no_database())
    if given.command == "tune":
        arguments.check_tuning(given)
    as_of, drop_writes = getattr(given, "as_of", None), getattr(given, "drop_writes", False)
    if as_of and drop_writes:
        raise Refused("--as-of keeps the writes and --drop-writes loses them: leave out one of both")
    campus, language = _described(given)
    sends = given.command == "upsert" and not dry_run
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
        language=language,
        as_of=as_of,
        max_rejected_writes=getattr(given, "max_rejected_writes", 0),
        drop_writes=drop_writes,
        served=getattr(given, "served", False),
        tuning_file=tuning_file,
        queries=queries,
        writer_urls=arguments.writer_urls(given) if sends else (),
        writer_key=config.writer_key() if sends else "",
        show=getattr(given, "show", False),
        undo=getattr(given, "undo", False),
    )


def _described(given: argparse.Namespace) -> tuple[str, str]:
    """Campus and language as typed, else as the manifest of an export says, else as the environment does."""
    manifest = read_manifest(given.directory) if hasattr(given, "campus") else None
    campus: str | None = getattr(given, "campus", None)
    if campus is None:
        campus = manifest.campus if manifest else config.campus_default()
    try:
        campus.encode()
    except UnicodeEncodeError:
        raise Refused("the campus is not UTF-8: correct --campus or CAMPUS") from None
    if not campus or "\r" in campus or "\n" in campus:
        raise Refused("the campus is empty or has a line end: correct --campus or CAMPUS")
    language: str | None = getattr(given, "language", None)
    if language is None and manifest:
        language = manifest.language
    return campus, language or arguments.language_default()


def _load(options: Options, display: Display) -> None:
    if options.check:
        for line in files.ignored_in(files.read_layouts(options.directory)):
            display.say(line)
    elif options.dry_run:
        pipeline.run_dry(options, display)
    else:
        pipeline.run_load(options, display)


def _without_lock(step: pipeline.Step) -> Callable[[Options, Display], None]:
    """A command that must work while a load runs."""

    def run(options: Options, display: Display) -> None:
        with connection(options.database_url) as opened:
            step(Context(options, opened, display))

    return run
