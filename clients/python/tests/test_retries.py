"""Which calls are repeated, and how: against a server that refuses at first."""

import json
import threading
import unittest
from http.server import BaseHTTPRequestHandler, HTTPServer

from commonhold import Commonhold, CommonholdError
from commonhold.v2.api.documents import documents_add
from commonhold.v2.api.organizations import organizations_get
from commonhold.v2.api.workspaces import workspaces_create

ADD = {"organizationId": "acme", "documents": [{"documentId": "roadmap"}]}


class Refusing:
    """Responds to the first calls with these statuses and then with success, and keeps the keys of the calls."""

    def __init__(self, *statuses: str) -> None:
        keys: list[str | None] = []

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["content-length"]))
                keys.append(self.headers["idempotency-key"])
                refused = len(keys) <= len(statuses)
                status = statuses[len(keys) - 1] if refused else ""
                error = {"status": status, "reason": "because", "message": "No.", "requestId": "1"}
                body: dict[str, object] = (
                    {"error": error} if refused else {"result": {"status": "success", "message": "", "data": {}}}
                )
                self.send_response(503 if refused else 200)
                self.end_headers()
                self.wfile.write(json.dumps(body).encode())

            def log_message(self, format: str, *args: object) -> None:
                pass

        self.keys = keys
        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.client = Commonhold(f"http://127.0.0.1:{self.server.server_port}", api_key="key", auth_token="token")

    def __enter__(self) -> "Refusing":
        return self

    def __exit__(self, *_: object) -> None:
        self.client.close()
        self.server.shutdown()
        self.server.server_close()


class Retries(unittest.TestCase):
    def test_changes_are_repeated_with_one_key(self) -> None:
        with Refusing("UNAVAILABLE", "RESOURCE_EXHAUSTED") as server:
            server.client.call(documents_add, ADD)
        self.assertEqual(len(server.keys), 3)
        self.assertEqual(len(set(server.keys)), 1)
        self.assertIsNotNone(server.keys[0])

    def test_refusals_are_not_repeated(self) -> None:
        with Refusing("INVALID_ARGUMENT") as server, self.assertRaises(CommonholdError) as raised:
            server.client.call(documents_add, ADD)
        self.assertEqual((raised.exception.reason, len(server.keys)), ("because", 1))

    def test_changes_without_a_key_are_not_repeated(self) -> None:
        with Refusing("UNAVAILABLE") as server, self.assertRaises(CommonholdError):
            server.client.call(workspaces_create, {"ownerEmail": "ada@example.com"})
        self.assertEqual(server.keys, [None])

    def test_an_unreachable_server_has_a_reason(self) -> None:
        with self.assertRaises(CommonholdError) as raised:
            Commonhold("http://127.0.0.1:2", api_key="key", auth_token="token", tries=1).call(organizations_get, {})
        self.assertEqual(raised.exception.reason, "unreachable")
        self.assertIn("http://127.0.0.1:2", str(raised.exception))
