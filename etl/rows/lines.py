"""Finds the lines of a block, and those that are not text."""

from collections.abc import Iterator

import numpy as np

from etl.rows.layout import NEWLINE, RETURN


class Lines:
    """The lines of a block from 0; `ends` excludes the line end. `most` limits the lines that are not empty."""

    def __init__(self, data: bytes, most: int | None = None) -> None:
        buffer = np.frombuffer(data, np.uint8)
        ends = np.flatnonzero(buffer == NEWLINE)
        if most and len(ends) > most:
            filled = np.flatnonzero(np.diff(ends, prepend=-1) > 1)
            if len(filled) > most:
                ends = ends[: filled[most]]
                data = data[: ends[-1] + 1]
                buffer = buffer[: len(data)]
        self.data = data
        if not data.endswith(b"\n"):
            ends = np.append(ends, len(data))
        self.ends = ends
        self.starts = np.concatenate((np.zeros(1, ends.dtype), ends[:-1] + 1))
        self.buffer = buffer

    def __len__(self) -> int:
        return len(self.ends)

    def blank(self) -> np.ndarray:
        """Lines that are empty or have only the CRs of a line end: they are not rows."""
        blank: np.ndarray = self.ends == self.starts
        for line in map(int, np.flatnonzero(self.buffer[np.minimum(self.starts, len(self.data) - 1)] == RETURN)):
            blank[line] = not self.data[self.starts[line] : self.ends[line]].strip(b"\r")
        return blank

    def suspicious(self) -> np.ndarray:
        """Lines with a NUL, invalid UTF-8, or a CR that is not their end."""
        suspicious = np.zeros(len(self), bool)
        if b"\0" in self.data:
            suspicious[self.of(np.flatnonzero(self.buffer == 0))] = True
        if b"\r" in self.data:
            returns = np.flatnonzero(self.buffer == RETURN)
            lines = self.of(returns)
            suspicious[lines[returns + 1 != self.ends[lines]]] = True
        suspicious[list(self._not_utf8())] = True
        return suspicious

    def _not_utf8(self) -> Iterator[int]:
        try:
            self.data.decode("utf-8")
        except UnicodeDecodeError as error:
            first = int(np.searchsorted(self.ends, error.start))
        else:
            return
        # Decode the rest line by line: each error holds a copy of all that was decoded.
        for line, text in enumerate(self.data[self.starts[first] :].split(b"\n"), first):
            try:
                text.decode("utf-8")
            except UnicodeDecodeError:
                yield line

    def of(self, positions: np.ndarray) -> np.ndarray:
        """The lines of these positions."""
        return np.searchsorted(self.ends, positions)

    def join(self, first: np.ndarray, last: np.ndarray) -> bytes:
        """The lines of records, from `first` to `last` each, with their line ends."""
        if not len(first):
            return b""
        gaps = np.flatnonzero(first[1:] != last[:-1] + 1)
        starts = self.starts[first[np.append(0, gaps + 1)]]
        ends = self.ends[last[np.append(gaps, len(last) - 1)]]
        return b"".join(self.data[a : b + 1] for a, b in zip(starts.tolist(), ends.tolist(), strict=True))
