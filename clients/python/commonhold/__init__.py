"""The Python client of Commonhold, the open, self-hosted management back-end for collaborative apps."""

from commonhold.client import Commonhold
from commonhold.errors import CommonholdError

__all__ = ["Commonhold", "CommonholdError"]
