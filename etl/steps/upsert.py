"""Bring a part into what is served: whichever of the six files DIR has, prices.csv and quantities.csv. Other rows stay.

prices.csv has style_id, original_price, sale_price; quantities.csv has sku_id, quantity. All goes through the writer,
as commits of the API key WRITER_KEY. The same command goes on with a stopped one.
"""

import csv
from contextlib import nullcontext
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from etl import database
from etl.config import DEFAULT_MAX_REJECT_PERCENT
from etl.context import Context
from etl.declaration import stored_declaration
from etl.errors import LoadFailed, Refused
from etl.files import ignored_in, read_files
from etl.ledger import FileProgress, Progress, Reasons, live_load
from etl.limits import check_ceiling, check_rejects_folder
from etl.part import fingerprint, read_part, scopes_of
from etl.plan import Plan
from etl.progress import print_table
from etl.rows.layout import Layout
from etl.sql import DRY_UPSERT, UPSERT
from etl.summary import listed
from etl.writer_client import Writer

_HEADERS = ["file", "read", "created", "changed", "unchanged", "repaired", "rejected", "why repaired", "why rejected"]
_TITLE = "Part"
_SHOWN, _CHARACTERS = 5, 200
"""Changes of products and of quantities that a dry run prints, and how much of each."""
_LISTS = ("features", "related", "photos")
"""Tables whose rows of one product, or style, replace those that are served."""
_REFUSED = "upsert.refused.csv"
"""The file of writes that the writer refused."""


def run(context: Context) -> None:
    """Plans and sends, or goes on with what an earlier run of the same files has planned."""
    options, connection = context.options, context.connection
    load = live_load(connection)
    if load is None:
        raise Refused("nothing is served: run `load DIR` first")
    layouts = read_part(options.directory, stored_declaration(connection, load.id))
    for line in ignored_in(layouts):
        context.display.say(line)
    check_rejects_folder(options.rejects)
    with database.only_upsert(connection):
        if options.dry_run:
            _run_dry(context, layouts)
            return
        writer = Writer(options.writer_urls, options.writer_key, f"upsert {options.directory.name}")
        writer.require_scopes(scopes_of(layouts))
        plan = Plan(connection, UPSERT)
        found = plan.find()
        digest = fingerprint(layouts)
        if found and found.fingerprint != digest:
            done, rows = plan.total(found.done).read, plan.total().read
            context.display.say(f"gives up the upsert of {found.directory}: {done:,} of {rows:,} writes are done")
        if found and found.fingerprint == digest:
            print_table(_TITLE, _HEADERS, plan.report())
        else:
            _make(context, plan, layouts)
            plan.seal(digest, options.directory)
        _send(context, plan, writer)
        refused = _list_refused(plan, options.rejects)
        plan.drop()
    if refused:
        raise LoadFailed(
            f"the writer refused {refused:,} writes, the others are done: see {options.rejects / _REFUSED}"
        )


def _run_dry(context: Context, layouts: list[Layout]) -> None:
    plan = Plan(context.connection, DRY_UPSERT)
    try:
        _make(context, plan, layouts, first=_SHOWN)
    finally:
        plan.drop()


def _make(context: Context, plan: Plan, layouts: list[Layout], first: int = 0) -> None:
    """Reads the files and compares them with what is served. Reports that, with the first changes.

    Raises:
        LoadFailed: when too many rows of a file are rejected.
    """
    options, connection = context.options, context.connection
    files = replace(options, database_url=database.with_server_of(connection, options.database_url))
    progress: Progress = {layout.table.file: FileProgress() for layout in layouts}
    reasons: Reasons = {}
    rules: Reasons = {}
    plan.begin()
    with context.display.step("read"):
        read_files(files, context.display, layouts, progress, 0, reasons, rules, plan.schema)
    with context.display.step("compare"):
        plan.compare(layouts)
    plan.refuse(layouts, options.rejects, progress, reasons)
    counts = plan.counts()
    rows = []
    for file, done in progress.items():
        numbers = [done.read, *counts.get(file, (0, 0, 0)), done.repaired, done.rejected]
        rows.append(
            [file, *(f"{each:,}" for each in numbers), listed(rules.get(file, {})), listed(reasons.get(file, {}))]
        )
    plan.keep_report(rows)
    changes = [each if len(each) <= _CHARACTERS else f"{each[:_CHARACTERS]}…" for each in plan.first(first)]
    print_table(_TITLE, _HEADERS, rows, "\n".join(changes))
    for layout in layouts:
        _refuse_torn_lists(layout, progress, reasons, options.max_reject_percent)
        check_ceiling(layout, progress[layout.table.file], options.max_reject_percent)


def _refuse_torn_lists(layout: Layout, progress: Progress, reasons: Reasons, max_reject_percent: Fraction) -> None:
    """Refuses what would lose entries: a list replaces the one that is served. Orphans name nothing that is served."""
    file = layout.table.file
    torn = sum(count for reason, count in reasons.get(file, {}).items() if reason != "orphan")
    if layout.table.name in _LISTS and torn and max_reject_percent == DEFAULT_MAX_REJECT_PERCENT:
        enough = -(-progress[file].rejected * 100 // progress[file].read)
        raise LoadFailed(
            f"{file}: {torn:,} rows are rejected, and the lists that they belong to would lose entries: look at its "
            f"rejects file and correct it, or run the same command again with --max-reject {max(2, enough)}"
        )


def _send(context: Context, plan: Plan, writer: Writer) -> None:
    found = plan.find()
    assert found is not None
    display, total, done = context.display, plan.total(), plan.total(found.done)
    if done.read:
        display.say(f"goes on: {done.read:,} of {total.read:,} writes are done")
    display.shows_rejects = False
    display.file_begins("writes", total.end_byte, done)
    try:
        for request in plan.requests(found.done):
            refusals = writer.send(request.path, request.body, f"upsert-{found.name}-{request.place}")
            plan.answered(request, refusals)
            end_byte, read = done.end_byte + len(request.body.encode()), done.read + request.rows
            done = FileProgress(end_byte=end_byte, read=read, is_done=read == total.read)
            display.file_goes_on("writes", done)
    finally:
        display.files_end()


def _list_refused(plan: Plan, directory: Path) -> int:
    refused = plan.refused_writes()
    path = directory / _REFUSED
    path.unlink(missing_ok=True)
    with path.open("w", encoding="utf-8", newline="") if refused else nullcontext() as out:
        if out:
            csv.writer(out).writerows([("kind", "id", "status", "problem"), *refused])
    return len(refused)
