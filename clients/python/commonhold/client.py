"""Calls operations: with credentials, attempts with one Idempotency-Key, pages, and errors."""

from __future__ import annotations

import inspect
import json
import random
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from types import TracebackType
from typing import Protocol, TypeVar

import httpx

from commonhold.errors import LASTING, CommonholdError, error_of, error_of_unreadable
from commonhold.requests import Body, Fields, check_header, check_key, check_url
from commonhold.v2 import AuthenticatedClient
from commonhold.v2.models import Error
from commonhold.v2.types import Response

NOTHING_CHANGED = ("ABORTED", "RESOURCE_EXHAUSTED")
RETRYABLE = (*NOTHING_CHANGED, "UNAVAILABLE", "DEADLINE_EXCEEDED")
DELAY = 0.25
DELAY_MAX = 8.0

# Operations without an Idempotency-Key that change nothing, or the same the second time.
READING = ("get", "list", "count", "check", "explain", "simulate", "find", "verify", "read")

ResponseT = TypeVar("ResponseT")


class Operation(Protocol[ResponseT]):
    """A module of `commonhold.v2.api`, such as `commonhold.v2.api.documents.documents_add`."""

    @property
    def sync_detailed(self) -> Callable[..., Response[Error | ResponseT]]: ...


class Commonhold:
    """A client with one kind of credentials: those of an API key, of a workspace, of a user, or none.

    `user_token` is a token or a function that returns one before each attempt. `timeout` is the longest silence of the
    server in one attempt, `total_timeout` the time after which no other attempt is made, both in seconds.
    """

    def __init__(
        self,
        url: str,
        *,
        api_key: str | None = None,
        auth_token: str | None = None,
        workspace_id: str | None = None,
        user_token: str | Callable[[], str] | None = None,
        header_prefix: str = "service",
        tries: int = 5,
        timeout: float = 35.0,
        total_timeout: float = 60.0,
    ) -> None:
        named = {"api-key": api_key, "workspace-id": workspace_id, "auth-token": auth_token}
        headers = {f"x-{header_prefix}-{name}": value for name, value in named.items() if value is not None}
        for name, value in headers.items():
            check_header(name, value)
        self._url = check_url(url)
        self._user_token = user_token
        self._tries = tries
        self._total_timeout = total_timeout
        self._received = threading.local()
        # The token is set with each attempt.
        self._api = AuthenticatedClient(
            base_url=self._url,
            token="",
            headers=headers,
            timeout=httpx.Timeout(timeout),
            httpx_args={"event_hooks": {"request": [self._authorize], "response": [self._receive]}},
        )
        self._api.get_httpx_client()  # made at once, so that threads do not make one each

    def __enter__(self) -> Commonhold:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections."""
        self._api.get_httpx_client().close()

    def call(
        self,
        operation: Operation[ResponseT],
        data: Mapping[str, object] | Body,
        *,
        idempotency_key: str | None = None,
    ) -> ResponseT:
        """Makes a call and returns its response. Raises a `CommonholdError` if it fails.

        `data` has the fields of the request as the reference names them, or is the request. It is sent as it is, so
        that the server refuses a misspelt field, and raises a `ValueError` or `TypeError` if JSON has no form for it. A
        call that changes something is repeated with one key; pass your own to be safe across restarts of the program.
        """
        body = Fields(data) if isinstance(data, Mapping) else data
        json.dumps(body.to_dict(), ensure_ascii=False, allow_nan=False).encode()  # as it will be sent
        if idempotency_key is not None:
            check_key(idempotency_key)
        perform = operation.sync_detailed
        takes_key = "idempotency_key" in inspect.signature(perform).parameters
        arguments: dict[str, object] = {"client": self._api, "body": body}
        if takes_key:
            arguments["idempotency_key"] = str(uuid.uuid4()) if idempotency_key is None else idempotency_key
        name = getattr(operation, "__name__", "")
        is_repeatable = takes_key or name.rsplit("_", 1)[-1] in READING
        deadline = time.monotonic() + self._total_timeout
        for attempt in range(1, self._tries + 1):
            try:
                return self._attempt(perform, arguments)
            except CommonholdError as error:
                repeated = RETRYABLE if is_repeatable else NOTHING_CHANGED
                if attempt == self._tries or error.status not in repeated or error.reason in LASTING:
                    raise
                delay = error.retry_after + random.random() * min(DELAY_MAX, DELAY * 2 ** (attempt - 1))
                if time.monotonic() + delay >= deadline:
                    raise
                time.sleep(delay)
        raise AssertionError("tries must be at least 1")

    def pages(self, operation: Operation[ResponseT], data: Mapping[str, object]) -> Iterator[ResponseT]:
        """Yields the pages of a list until the last one."""
        position: dict[str, object] = {}
        while True:
            page = self.call(operation, {**data, **position})
            yield page
            result = getattr(page, "result", None)
            contents = getattr(result, "data", None)
            token = getattr(result, "next_page_token", None)
            iterator = getattr(contents, "iterator", None)  # webhook endpoints have their token in the data
            if isinstance(token, str) and getattr(contents, "has_more", True) is not False:
                position = {"pageToken": token}
            elif isinstance(iterator, str):
                position = {"iterator": iterator}
            else:
                return

    def _authorize(self, request: httpx.Request) -> None:
        try:
            token = self._user_token() if callable(self._user_token) else self._user_token
            check_header("user_token", token or "")
        except Exception as cause:
            raise CommonholdError(
                "UNAUTHENTICATED", "credentials_unavailable", f"user_token failed: {cause!r}"
            ) from cause
        if token is None:
            request.headers.pop("authorization", None)
        else:
            request.headers["authorization"] = f"Bearer {token}"

    def _attempt(self, perform: Callable[..., Response[Error | ResponseT]], arguments: dict[str, object]) -> ResponseT:
        self._received.response = None
        try:
            response = perform(**arguments)
        except httpx.TimeoutException as cause:
            raise CommonholdError("DEADLINE_EXCEEDED", "timed_out", str(cause) or "no response in time") from cause
        except httpx.TransportError as cause:
            message = f"cannot reach {self._url}: {cause}. Is the server running, and is the url right?"
            raise CommonholdError("UNAVAILABLE", "unreachable", message) from cause
        except (httpx.DecodingError, ValueError, KeyError, TypeError, AttributeError) as cause:
            if self._received.response is None:
                raise
            raise error_of_unreadable(self._url, self._received.response, cause) from cause
        if response.parsed is None or isinstance(response.parsed, Error):
            raise CommonholdError("INTERNAL", "not_commonhold", f"the response of {self._url} has no result")
        return response.parsed

    def _receive(self, response: httpx.Response) -> None:
        """Raises the error of a response before its operation parses it: that of a gateway may have any body."""
        self._received.response = response
        if response.status_code != httpx.codes.OK:
            response.read()
            raise error_of(response)
