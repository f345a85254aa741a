"""One module per command of `python -m graph`, each with a coroutine `main(options) -> exit code`."""
