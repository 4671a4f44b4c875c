"""Joins the steps: runs a whole load, a dry run, or one step, and records a failure."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import psycopg

from etl.config import Options
from etl.context import STEPS, Context
from etl.database import connection, only_loader, with_server_of
from etl.errors import one_line
from etl.files import fingerprint, fingerprinted_layouts, ignored_in, read_files, read_layouts, unchanged_files
from etl.ledger import (
    FileProgress,
    Reasons,
    fail_load,
    live_load,
    progress_of,
    reasons_of,
    rules_of,
    unfinished_load,
)
from etl.limits import check_rejects_folder
from etl.progress import Display
from etl.sql import META, SERVED, STAGING
from etl.steps import copy, documents, index, prepare, replay, search, swap, unswap, verify, writable
from etl.summary import export_rejects, export_repairs, print_summary
from etl.tables import TABLES

Step = Callable[[Context], None]
LOAD_STEPS: dict[str, Step] = {
    "copy": copy.run,
    "index": index.run,
    "replay": replay.run,
    "documents": documents.run,
    "search": search.run,
    "verify": verify.run,
    "swap": swap.run,
    "writable": writable.run,
}


def run_step(options: Options, display: Display, step: Step) -> None:
    """Runs one step as the only loader."""
    if step is copy.run:  # the others reject no rows
        check_rejects_folder(options.rejects)
    with _alone(options, display) as context:
        _guarded(context, lambda: step(context))
        if step in (swap.run, unswap.run):
            writable.run(context)


def run_prepare(options: Options, display: Display) -> None:
    """Applies what is missing. If nothing is, it takes no lock of the loader: a deploy may come while a load runs."""
    with connection(options.database_url) as opened:
        if prepare.is_done(opened):
            return
    run_step(options, display, prepare.run)


def run_load(options: Options, display: Display) -> None:
    """Runs the steps that a load has not finished. Files that are already served need `again`."""
    check_rejects_folder(options.rejects)
    with _alone(options, display) as context:
        read_layouts(options.directory)
        prepare.run(context)
        if not options.again and _is_served(context):
            writable.run(context)
            return
        _guarded(context, lambda: _all_steps(context))


def run_dry(options: Options, display: Display) -> None:
    """Reads and cleans everything, writes the files of rejects and repairs, and touches no database."""
    check_rejects_folder(options.rejects)
    input_fingerprint, layouts = fingerprinted_layouts(options)
    for line in ignored_in(layouts):
        display.say(line)
    progress = {table.file: FileProgress() for table in TABLES}
    reasons: Reasons = {}
    rules: Reasons = {}
    try:
        with display.step("read"), unchanged_files(options, input_fingerprint, layouts):
            read_files(options, display, layouts, progress, load_id=0, reasons=reasons, rules=rules)
    finally:
        with _only_warning(display, options.rejects):
            print_summary(progress, reasons, rules)
            display.say(f"rejected rows are in {options.rejects}, repaired ones too")


@contextmanager
def _alone(options: Options, display: Display) -> Iterator[Context]:
    """The only loader, all of whose connections go to the server that the first one found."""
    with only_loader(options.database_url) as opened:
        url = with_server_of(opened, options.database_url)
        yield Context(replace(options, database_url=url), opened, display)


def _all_steps(context: Context) -> None:
    for name, step in LOAD_STEPS.items():
        if name != "copy" and _is_finished(context, name):
            continue
        with context.display.step(name):
            step(context)


def _is_served(context: Context) -> bool:
    """These very files are served and no other load of them has begun; says so.

    An operator who missed the end of a load types it again. That must not drop what `unswap` needs.
    """
    wanted = fingerprint(context.options.directory, context.options.campus)
    live, unfinished = live_load(context.connection), unfinished_load(context.connection)
    if live is None or live.fingerprint != wanted or (unfinished and unfinished.fingerprint == wanted):
        return False
    if not _is_searchable(context, SERVED):
        return False
    context.display.say(f"load {live.id} of these very files is already served; --again loads them again")
    return True


def _is_finished(context: Context, name: str) -> bool:
    load = unfinished_load(context.connection)
    if load and name == "replay" and load.as_of is None:
        return True
    if load is None or STEPS.index(load.step) < STEPS.index(name):
        return False
    return name != "search" or _is_searchable(context, STAGING)


def _is_searchable(context: Context, schema: str) -> bool:
    """The load in a schema has the wanted search: an earlier run may have left it out, or had another language."""
    options = context.options
    return not options.search or search.is_made(context.connection, schema, options.search_language)


def _guarded(context: Context, work: Callable[[], None]) -> None:
    """Does the work, then reports counts and rejected rows, also after a failure."""
    try:
        work()
    except Exception as error:
        if context.load_id is not None and not context.connection.broken:
            fail_load(context.connection, context.load_id, str(error))
            _report(context, context.load_id)
        raise
    if context.load_id is not None:
        _report(context, context.load_id)


def _report(context: Context, load_id: int) -> None:
    rejects = f"{META}.rejects and {META}.repairs"
    with _only_warning(context.display, rejects):
        connection = context.connection
        print_summary(progress_of(connection, load_id), reasons_of(connection, load_id), rules_of(connection, load_id))
    with _only_warning(context.display, rejects):
        for path in export_rejects(context.connection, load_id, context.options.rejects):
            context.display.say(f"rejected rows: {path}")
        for path in export_repairs(context.connection, load_id, context.options.rejects):
            context.display.say(f"repaired rows: {path}")


@contextmanager
def _only_warning(display: Display, rejects: str | Path) -> Iterator[None]:
    """Turns an error of the report into a warning: the load is served, or the first failure matters more."""
    try:
        yield
    except (OSError, psycopg.Error) as error:
        display.say(f"warning: the report is not complete ({one_line(error)}); rejected rows are in {rejects}")
