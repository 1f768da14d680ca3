"""What calls send: their data, and checks of what cannot be sent."""

from __future__ import annotations

import re
import typing
from collections.abc import Mapping
from urllib.parse import urlsplit

# A header has no white space at its ends.
KEY = re.compile(r"[!-~](?:[ -~]{0,253}[!-~])?")


class Body(typing.Protocol):
    """A request."""

    def to_dict(self) -> dict[str, typing.Any]: ...


class Fields:
    """The request with these fields of `data`."""

    def __init__(self, data: Mapping[str, object]) -> None:
        self.data = data

    def to_dict(self) -> dict[str, typing.Any]:
        return {"data": dict(self.data)}


def check_url(url: str) -> str:
    """Returns the address of a server without a slash at its end. Raises a ValueError if it is none."""
    base = url.rstrip("/")
    parts = urlsplit(base)
    if parts.username is not None or parts.fragment:
        raise ValueError("url must be the address of the server alone, without a user name or fragment")
    if parts.scheme not in ("http", "https") or not parts.netloc or parts.query:
        raise ValueError(
            f"url must be the address of the server, such as https://commonhold.example.com; it is {url!r}"
        )
    if re.search(r"/v2(/|$)", parts.path):
        raise ValueError(f"url must be the address of the server without /v2; it is {url!r}")
    return base


def check_header(name: str, value: str) -> None:
    """Raises a ValueError without the value, which is a secret, if it cannot be sent, such as one with a line break."""
    if not (value.isascii() and value.isprintable()):
        raise ValueError(f"the value of {name} has a character that a header cannot have, such as a line break")


def check_key(key: str) -> None:
    """Raises a ValueError for an Idempotency-Key that cannot be sent, or that the server would refuse."""
    if not KEY.fullmatch(key):
        raise ValueError("idempotency_key must be 1 to 255 printable ASCII characters")
