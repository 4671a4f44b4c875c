"""The client of the writer: each request is sent until it is answered whole, and always with its key."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from unittest.mock import patch

import pytest

from etl import writer_client
from etl.errors import LoadFailed, Refused
from etl.writer_client import Refusal, Writer

Answer = tuple[int, str]
"""Status and body; status 0 closes the connection, a negative one breaks the body off."""
LINES = '{"op":"upsert","id":7,"body":{}}\n{"op":"upsert","id":8,"body":{}}'
OK = '{"line":1,"status":200,"id":7,"cursor":"1.2"}\n'
DONE = '{"done":true,"lines":2,"failed":0,"cursor":"1.2"}\n'


def problem(detail: str, **members: object) -> str:
    return json.dumps({"detail": detail, **members})


class _Writer:
    """Gives answers in their order, and keeps what it was asked."""

    def __init__(self, answers: list[Answer]) -> None:
        self.asked: list[tuple[str, str, str, str]] = []
        owner = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"] or 0)).decode()
                owner.asked.append(
                    (
                        self.command,
                        self.path,
                        self.headers.get("Idempotency-Key", ""),
                        body,
                    )
                )
                assert self.headers["Authorization"] == "Bearer ck_key"
                status, text = answers.pop(0)
                if status == 0:
                    return
                self.send_response(abs(status))
                self.send_header("Content-Length", str(len(text.encode()) + (9 if status < 0 else 0)))
                self.end_headers()
                self.wfile.write(text.encode())

            do_GET = do_POST

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.client = Writer((f"http://127.0.0.1:{self.server.server_port}/",), "ck_key", "upsert Ü\n")

    @property
    def keys(self) -> list[str]:
        return [key for _, _, key, _ in self.asked]


@contextmanager
def writer(*answers: Answer) -> Iterator[_Writer]:
    served = _Writer(list(answers))
    thread = Thread(target=served.server.serve_forever)
    thread.start()
    try:
        with patch.object(writer_client, "_FIRST_PAUSE_S", 0.001):
            yield served
    finally:
        served.server.shutdown()
        thread.join()
        served.server.server_close()


def test_lines_that_are_refused_are_named_by_their_product() -> None:
    errors = [{"pointer": "/body/name", "detail": "is missing."}]
    refused = f'{{"line":2,"status":422,"problem":{problem("The body is invalid.", errors=errors)}}}\n'
    with writer((200, OK + refused + DONE)) as found:
        assert found.client.send("/bulk", LINES, "key-1") == [
            Refusal("product", 8, 422, "The body is invalid.; /name is missing.")
        ]
    assert found.asked == [("POST", "/bulk", "key-1", LINES)]


def test_a_request_that_was_cut_or_put_off_is_sent_again_with_its_key() -> None:
    last = f'{{"line":2,"status":503,"problem":{problem("Paused.")}}}\n'
    answers = [
        (0, ""),
        (200, OK),
        (-200, OK + '{"line":2,"sta'),
        (200, OK + last),
        (503, problem("Down.")),
        (200, OK + OK + DONE),
    ]
    with writer(*answers) as found:
        assert found.client.send("/bulk", LINES, "key-1") == []
    assert found.keys == ["key-1"] * 6


def test_quantities_that_are_only_logged_are_awaited() -> None:
    rejected = [{"pointer": "/set/0", "sku": 3, "reason": "unknown-sku", "quantity": None}]
    answers = [
        (429, problem("Too many.")),
        (202, '{"position":9,"operations":1}'),
        (200, '{"position":9,"operations":1,"state":"logged","rejected":[]}'),
        (
            200,
            json.dumps(
                {
                    "position": 9,
                    "operations": 1,
                    "state": "applied",
                    "rejected": rejected,
                }
            ),
        ),
    ]
    with writer(*answers) as found:
        assert found.client.send("/stock", '{"set":[[3,1]]}', "key-2") == [Refusal("sku", 3, 409, "unknown-sku")]
    assert [asked[:3] for asked in found.asked[1:]] == [
        ("POST", "/stock", "key-2"),
        ("GET", "/writes/9", ""),
        ("GET", "/writes/9", ""),
    ]


def test_a_request_that_is_refused_whole_fails() -> None:
    with (
        writer((413, problem("Too long."))) as found,
        pytest.raises(LoadFailed, match=r"refuses the request \(413: Too long"),
    ):
        found.client.send("/bulk", LINES, "key-1")


def test_a_writer_that_stays_away_fails_with_the_next_step() -> None:
    with writer() as found:
        url = found.client.url
    with (
        patch.object(writer_client, "_PATIENCE_S", 0.05),
        patch.object(writer_client, "_FIRST_PAUSE_S", 0.01),
        pytest.raises(
            LoadFailed,
            match=r"takes no writes \(.*Connection refused\): start it.*the same command again",
        ),
    ):
        Writer((url,), "ck_key", "").send("/bulk", LINES, "key-1")


def test_the_next_writer_is_asked_when_one_is_away() -> None:
    with writer() as gone:
        pass
    with writer((200, OK + OK + DONE)) as found:
        client = Writer((gone.client.url, found.client.url), "ck_key", "")
        assert client.send("/bulk", LINES, "key-1") == []


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        (
            [(401, problem("The key is unknown."))],
            "does not take the key of WRITER_KEY",
        ),
        (
            [(403, ""), (422, "")],
            "lacks the scope content: make one with the scopes content,stock",
        ),
        ([(403, ""), (403, "")], "lacks the scopes content and stock: make one"),
    ],
)
def test_a_key_that_may_not_write_is_refused(answers: list[Answer], message: str) -> None:
    with writer(*answers) as found, pytest.raises(Refused, match=message):
        found.client.require_scopes(["content", "stock"])


def test_a_key_that_may_write_is_taken() -> None:
    with writer((428, ""), (422, "")) as found:
        found.client.require_scopes(["content", "stock"])
    assert found.asked == [("POST", "/bulk", "", "{}"), ("POST", "/stock", "", "{}")]
