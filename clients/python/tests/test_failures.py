"""What calls fail with, and which are repeated, when a gateway responds, a connection breaks or credentials fail."""

import gzip
import json
import threading
import time
import unittest
from collections.abc import Callable, Mapping
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from commonhold import Commonhold, CommonholdError
from commonhold.v2.api.documents import documents_add
from commonhold.v2.api.permissions import permissions_check
from commonhold.v2.api.webhook_endpoints import webhook_endpoints_get

ADD = {"organizationId": "acme", "documents": [{"documentId": "roadmap"}]}
SUCCESS = json.dumps({"result": {"status": "success", "message": "", "data": {}}}).encode()
HTML = b"<html>Service Unavailable</html>"


class Answering:
    """Gives each call its response, the last one to all others: status, headers, and body."""

    def __init__(self, *responses: tuple[int, dict[str, str], bytes]) -> None:
        times: list[float] = []
        bodies: list[dict[str, object]] = []

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                bodies.append(json.loads(self.rfile.read(int(self.headers["content-length"])))["data"])
                times.append(time.time())
                status, headers, body = responses[min(len(times), len(responses)) - 1]
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:
                pass

        self.times = times
        self.bodies = bodies
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self) -> "Answering":
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()

    def call(self, data: Mapping[str, object], key: str | None = None) -> None:
        with Commonhold(self.url) as client:
            client.call(documents_add, data, idempotency_key=key)

    def failure(self, token: str | Callable[[], str] = "token") -> CommonholdError | None:
        """Makes a call and returns how it failed."""
        with Commonhold(self.url, user_token=token) as client:
            try:
                client.call(documents_add, ADD)
            except CommonholdError as error:
                return error
        return None


class Failures(unittest.TestCase):
    def test_gateways_are_waited_for(self) -> None:
        for status in (429, 500, 502, 503, 504):
            with self.subTest(status), Answering((status, {}, HTML), (200, {}, SUCCESS)) as server:
                self.assertIsNone(server.failure())
                self.assertEqual(len(server.times), 2)

    def test_a_date_to_retry_after_is_waited_for(self) -> None:
        end = int(time.time()) + 2
        with Answering((503, {"retry-after": formatdate(end, usegmt=True)}, HTML), (200, {}, SUCCESS)) as server:
            self.assertIsNone(server.failure())
            self.assertGreaterEqual(server.times[1], end)

    def test_a_call_does_not_wait_longer_than_its_time(self) -> None:
        with Answering((503, {"retry-after": "86400"}, HTML)) as server:
            error = server.failure()
            self.assertEqual((error and error.reason, len(server.times)), ("gateway_failed", 1))

    def test_lasting_refusals_are_not_repeated(self) -> None:
        refusal = {"status": "RESOURCE_EXHAUSTED", "reason": "too_many_folders", "message": "No."}
        with Answering((429, {}, json.dumps({"error": refusal}).encode())) as server:
            error = server.failure()
            self.assertEqual((error and error.reason, len(server.times)), ("too_many_folders", 1))

    def test_a_response_of_another_program_has_a_reason(self) -> None:
        damaged = gzip.compress(SUCCESS)[1:]
        for response in ((404, {}, HTML), (200, {}, b"null"), (200, {"content-encoding": "gzip"}, damaged)):
            with self.subTest(response), Answering(response) as server:
                error = server.failure()
                self.assertEqual(error and error.reason, "not_commonhold")

    def test_a_success_that_cannot_be_read_has_another_reason(self) -> None:
        json_type = {"content-type": "application/json; charset=utf-8"}
        with Answering((200, json_type, SUCCESS[:-20])) as server:
            error = server.failure()
            self.assertEqual(error and (error.reason, len(server.times)), ("answer_unreadable", 1))
        decision = {"allowed": True, "accessRole": "a role of the future", "reason": "grant"}
        result = {"status": "success", "message": "", "data": {"checks": [decision]}}
        body = json.dumps({"result": result}).encode()
        with Answering((200, json_type, body)) as server, Commonhold(server.url) as client:
            with self.assertRaises(CommonholdError) as raised:
                client.call(permissions_check, {"checks": []})
            self.assertEqual(raised.exception.reason, "answer_unreadable")
            self.assertIn("a role of the future", str(raised.exception))

    def test_data_is_sent_as_it_is(self) -> None:
        document = {"documentId": "a", "misspelt": 1, "documentName": None, "large": 2**53 + 1, "text": "\u2028\0é😀"}
        data = {**ADD, "documents": [document], "mispelt": True, "folderId": 7}
        with Answering((200, {}, SUCCESS)) as server:
            server.call(data)
            server.call({})
        self.assertEqual(server.bodies, [data, {}])

    def test_what_cannot_be_sent_is_an_error_of_the_caller(self) -> None:
        with Answering((200, {}, SUCCESS)) as server:
            for value in (float("nan"), float("inf"), "\ud800", {1}, b"bytes"):
                with self.subTest(value), self.assertRaises((ValueError, TypeError)):
                    server.call({"documents": [{"documentId": "a", "value": value}]})
            for key in ("", "order→7", "order\n7", " order", "order ", "x" * 256):
                with self.subTest(key), self.assertRaisesRegex(ValueError, "idempotency_key must be"):
                    server.call(ADD, key)
        self.assertEqual(server.times, [])
        for url in (
            "",
            "127.0.0.1:8080",
            "ftp://127.0.0.1",
            "http://127.0.0.1:8080/v2",
            "http://a?b=1",
            "http://a:b@c",
        ):
            with self.subTest(url), self.assertRaisesRegex(ValueError, "^url must be the address of the server"):
                Commonhold(url)

    def test_a_function_for_user_tokens_that_fails_is_named(self) -> None:
        def without_token() -> str:
            answer: dict[str, str] = {}
            return answer["access_token"]

        with Answering((200, {}, SUCCESS)) as server:
            error = server.failure(without_token)
        self.assertEqual(error and (error.reason, len(server.times)), ("credentials_unavailable", 0))
        self.assertIsInstance(error and error.__cause__, KeyError)

    def test_a_secret_that_no_header_can_have_is_not_shown(self) -> None:
        with self.assertRaises(ValueError) as raised:
            Commonhold("http://127.0.0.1:2", api_key="key", auth_token="secret\n")
        self.assertNotIn("secret", str(raised.exception))
        with Answering((200, {}, SUCCESS)) as server:
            error = server.failure("secret\n")
        self.assertEqual(error and error.reason, "credentials_unavailable")
        self.assertNotIn("secret", str(error))

    def test_pages_of_webhook_endpoints_continue_at_the_iterator(self) -> None:
        def page(iterator: str | None) -> tuple[int, dict[str, str], bytes]:
            data: dict[str, object] = {
                "endpoints": [],
                "iterator": iterator,
                "prevIterator": None,
                "done": iterator is None,
            }
            return 200, {}, json.dumps({"result": {"status": "success", "message": "", "data": data}}).encode()

        with Answering(page("next"), page(None)) as server, Commonhold(server.url) as client:
            self.assertEqual(len(list(client.pages(webhook_endpoints_get, {"limit": 1}))), 2)
        self.assertEqual(server.bodies, [{"limit": 1}, {"limit": 1, "iterator": "next"}])
