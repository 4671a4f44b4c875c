"""Makes the JSON of declared fields for all rows of a block: texts at once, and each other value once."""

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from etl.rows.declared import MAX_FIELDS_BYTES, member
from etl.rows.masks import has_edge_space, text_bytes
from etl.tables import Column, Field

_FIRST_PRINTABLE = 0x20


class Members(NamedTuple):
    """A table whose columns of fields hold members of JSON, null where a row has none, and which rows are plain."""

    table: pa.Table
    is_plain: np.ndarray


def with_members(table: pa.Table, columns: tuple[Column, ...]) -> Members:
    """Replaces the texts of fields. A row is plain when none of them breaks a rule or needs a repair."""
    is_plain = np.ones(table.num_rows, bool)
    sizes = np.ones(table.num_rows, np.int64)
    for at, column in enumerate(columns):
        if column.field:
            array, is_good = _members(table.column(at).combine_chunks().cast(pa.string()), column.field)
            table = table.set_column(at, column.name, array)
            is_plain &= is_good
            sizes += np.asarray(pc.fill_null(pc.add(pc.binary_length(array), 1), 0))
    return Members(table, is_plain & (sizes <= MAX_FIELDS_BYTES))


def with_fields(table: pa.Table, columns: tuple[Column, ...], fields: tuple[Field, ...]) -> pa.Table:
    """One column of objects in place of the columns of members, in declared order, and of those that are ignored."""
    arrays = [table.column(f"field.{field.name}").combine_chunks() for field in fields]
    table = table.select([column.name for column in columns if column.kind not in ("field", "ignored")])
    if not fields:
        return table
    # The empty text comes first: pyarrow leaves out a row of nulls alone.
    joined = pc.binary_join_element_wise("", *arrays, ",", null_handling="skip")
    opened = pc.binary_replace_slice(joined, start=0, stop=1, replacement="{")
    return table.append_column("fields", pc.binary_join_element_wise(opened, "}", ""))


def _members(array: pa.Array, field: Field) -> tuple[pa.Array, np.ndarray]:
    if field.type == "text" and (made := _members_of_texts(array, field.name)):
        return made
    encoded = array.dictionary_encode()
    found = [_plain_member(text, field) for text in encoded.dictionary.to_pylist()]
    texts = pa.array([text for text, _ in found], pa.string()).take(encoded.indices)
    is_good = pa.array([is_good for _, is_good in found], pa.bool_()).take(encoded.indices)
    return texts, np.asarray(pc.fill_null(is_good, True))


def _members_of_texts(array: pa.Array, name: str) -> tuple[pa.Array, np.ndarray] | None:
    """The same at once, as codes and names hardly come again; None when a text has a control character."""
    is_plain = ~has_edge_space(array)
    buffer = text_bytes(array)
    if (buffer < _FIRST_PRINTABLE).any():
        return None
    for sign in '\\"':
        if (buffer == ord(sign)).any():
            array = pc.replace_substring(array, sign, f"\\{sign}")
    texts = pc.binary_join_element_wise(f'"{name}":"', array, '"', "")
    return pc.if_else(pc.equal(pc.binary_length(array), 0), None, texts), is_plain


def _plain_member(text: str, field: Field) -> tuple[str | None, bool]:
    """Bare values are trimmed, quoted texts kept: only the row shows which, so a value with space is not plain."""
    if text.strip(" \t\r\n") != text:
        return None, False
    try:
        found, rule = member(text, field) if text else (None, None)
    except ValueError:
        return None, False
    return found, rule is None
