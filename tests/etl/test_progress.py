"""The operator sees progress as lines, or as bars on a terminal."""

import io

import pytest
from rich.console import Console

from etl import progress
from etl.ledger import FileProgress
from etl.progress import Display

MB = 1_000_000


class Clock:
    """Replaces the module time."""

    now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(progress, "time", clock)
    return clock


def test_without_a_terminal_progress_is_a_line_every_few_seconds(
    clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = []
    with Display() as display:
        display.file_begins("skus.csv", 210 * MB, FileProgress())
        for second, megabytes in [(0, 10), (4, 50), (5, 60), (9, 100), (10, 160), (11, 210)]:
            clock.now = 100.0 + second
            done = FileProgress(end_byte=megabytes * MB, is_done=second == 11, read=megabytes * 100, rejected=second)
            display.file_goes_on("skus.csv", done)
            shown.append(capsys.readouterr().err)
        display.files_end()
    assert shown == [
        "",
        "",
        "skus.csv: 28 %, 6,000 rows, 5 rejected, 10 MB/s, 15 s left\n",
        "",
        "skus.csv: 76 %, 16,000 rows, 10 rejected, 15 MB/s, 3 s left\n",
        "skus.csv: 100 %, 21,000 rows, 11 rejected, done\n",
    ]


def test_what_an_earlier_run_read_does_not_count_as_speed(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    with Display() as display:
        display.file_begins("skus.csv", 200 * MB, FileProgress(end_byte=100 * MB))
        display.file_goes_on("skus.csv", FileProgress(end_byte=100 * MB))
        clock.now += 5
        display.file_goes_on("skus.csv", FileProgress(end_byte=150 * MB))
    assert capsys.readouterr().err.endswith("%, 0 rows, 0 rejected, 10 MB/s, 5 s left\n")


def test_the_share_of_a_step_that_is_done_is_a_line_every_few_seconds(
    clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    with Display() as display:
        for second, done in [(0, 0), (2, 1), (6, 3), (9, 5), (11, 16)]:
            clock.now = 100.0 + second
            display.share("search", done, 16)
    assert capsys.readouterr().err == "search: 18 %\nsearch: 100 %\n"


def test_on_a_terminal_each_file_has_a_bar_and_an_error_gives_the_cursor_back() -> None:
    screen = io.StringIO()
    display = Display()
    display._console = Console(file=screen, force_terminal=True, width=160)
    with pytest.raises(KeyboardInterrupt), display:
        display.file_begins("skus.csv", 2 * MB, FileProgress())
        display.file_goes_on("skus.csv", FileProgress(end_byte=MB, read=1234, rejected=5))
        raise KeyboardInterrupt
    shown = screen.getvalue()
    assert "skus.csv" in shown
    assert "1.0/2.0 MB" in shown
    assert "1,234 rows, 5 rejected" in shown
    hide, show = "\x1b[?25l", "\x1b[?25h"
    assert shown.rfind(show) > shown.rfind(hide) >= 0
