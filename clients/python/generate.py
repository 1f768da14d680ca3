"""Generates `commonhold/v2` of the OpenAPI document with openapi-python-client."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
DOCUMENT = HERE / "../../docs/reference/openapi.json"
BIN = Path(sys.executable).parent
V2 = HERE / "commonhold/v2"

document = json.loads(DOCUMENT.read_text())
# A stream is no response of one call, and the generator makes its unions of unnamed objects twice.
del document["paths"]["/v2/live"], document["components"]["schemas"]["LiveEvent"]

shutil.rmtree(V2, ignore_errors=True)
with tempfile.TemporaryDirectory() as folder:
    calls = Path(folder) / "openapi.json"
    calls.write_text(json.dumps(document))
    subprocess.run(
        [
            BIN / "openapi-python-client",
            *("generate", "--path", calls, "--output-path", V2, "--meta", "none", "--fail-on-warning"),
        ],
        check=True,
        env={**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"},  # it formats with ruff
        stdout=subprocess.DEVNULL,
    )
(V2 / "py.typed").unlink(missing_ok=True)
