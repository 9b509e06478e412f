"""Switches off the telemetry of libraries; imported before any of them."""

import os

SWITCHES = {
    "ORT_DISABLE_TELEMETRY": "1",  # onnxruntime reads it as it is loaded
    "DO_NOT_TRACK": "1",  # https://donottrack.sh: Hugging Face's libraries
}

os.environ.update(SWITCHES)
