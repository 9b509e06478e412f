"""Disables the telemetry of libraries by environment variables; imported before any of them."""

import os

SWITCHES = {
    "ORT_DISABLE_TELEMETRY": "1",  # onnxruntime reads it when it is imported
    "DO_NOT_TRACK": "1",  # https://donottrack.sh: Hugging Face's libraries
}

os.environ.update(SWITCHES)
