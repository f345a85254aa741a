"""A misbehaving model endpoint: a real HTTP server on loopback that follows a script and keeps what it was sent."""

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Body = Mapping[str, Any]
USAGE = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}


@dataclass(frozen=True)
class Answer:
    """One scripted HTTP answer."""

    body: bytes | str | Body = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    stall: float = 0.0
    """Seconds of silence before the status line."""
    stall_after: int | None = None
    """Bytes of the body that are sent before the connection goes silent for good."""
    trickle: float = 0.0
    """Seconds between single bytes of the body."""

    def bytes(self) -> bytes:
        """Return the body as it goes over the wire."""
        if isinstance(self.body, bytes):
            return self.body
        return self.body.encode() if isinstance(self.body, str) else json.dumps(self.body).encode()


Script = Answer | Callable[[Body], Answer]


def says(content: Any = None, *, finish: str = "stop", usage: Any = USAGE, **message: Any) -> Answer:
    """Answer with one assistant message."""
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": content, **message}}
    return Answer({"id": "x", "object": "chat.completion", "created": 1, "model": "double", "choices": [choice], "usage": usage})


def calls(*wanted: tuple[str, Any], **more: Any) -> Answer:
    """Answer with tool calls, given as (name, arguments)."""
    made = [
        {"id": f"call_{n}", "type": "function", "function": {"name": name, "arguments": given if isinstance(given, str) else json.dumps(given)}}
        for n, (name, given) in enumerate(wanted)
    ]
    return says(None, finish="tool_calls", tool_calls=made, **more)


def fails(status: int, message: str, code: str | None = None, kind: str = "error", **headers: str) -> Answer:
    """Answer with an OpenAI-shaped error."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer({"error": {"message": message, "type": kind, "code": code, "param": None}}, status=status, headers=named)


def fitting(value: Any, **more: Any) -> Callable[[Body], Answer]:
    """Answer with `value` in the way that the request asks for it: a call of the forced tool, or JSON text."""

    def answer(request: Body) -> Answer:
        forced = request.get("tool_choice")
        return calls((forced["function"]["name"], value), **more) if isinstance(forced, Mapping) else says(json.dumps(value), **more)

    return answer


def method_of(request: Body) -> str:
    """Name the way in which a request asks for typed output."""
    if request.get("tools"):
        return "function_calling"
    kind = (request.get("response_format") or {}).get("type")
    return {"json_schema": "json_schema", "json_object": "json_mode"}.get(str(kind), "text")


def no_schema(request: Body) -> str | None:
    """Refuse json_schema."""
    return "response_format of type json_schema is not supported" if method_of(request) == "json_schema" else None


def no_tools(request: Body) -> str | None:
    """Refuse tools."""
    return "tools is not supported by this model" if "tools" in request or "tool_choice" in request else None


def no_format(request: Body) -> str | None:
    """Refuse any response_format."""
    return "unknown parameter: response_format" if "response_format" in request else None


def json_word(request: Body) -> str | None:
    """Refuse json_object where no message says json."""
    said = any("json" in str(message["content"]).lower() for message in request["messages"])
    return None if method_of(request) != "json_mode" or said else "'messages' must contain the word 'json' to use response_format json_object"


def no_parameters(request: Body) -> str | None:
    """Refuse what reasoning models refuse."""
    for name in ("temperature", "parallel_tool_calls", "stop", "max_tokens", "max_completion_tokens", "top_p", "n", "stream_options"):
        if name in request and not (name == "temperature" and request[name] == 1):
            return f"unsupported_parameter: {name}"
    return None


def one_system(request: Body) -> str | None:
    """Refuse anything but one system message, then user and assistant in turn, none empty (a tool's answers count as user)."""
    roles = [message["role"] for message in request["messages"]]
    if "system" in roles[1:] or any(not message["content"] and not message.get("tool_calls") for message in request["messages"]):
        return "conversation roles must alternate; only the first message may be system"
    turns = ["user" if role == "tool" else role for role in roles if role != "system"]
    turns = [role for index, role in enumerate(turns) if index == 0 or roles[-len(turns) :][index] != "tool" or turns[index - 1] != "user"]
    wrong = any(role != ("user", "assistant")[index % 2] for index, role in enumerate(turns))
    return "conversation roles must alternate user/assistant" if wrong else None


class ScriptedEndpoint:
    """The server. The last answer of the script repeats; a rule that returns text makes it a 400 first."""

    def __init__(self, *script: Script, rules: tuple[Callable[[Body], str | None], ...] = ()) -> None:
        self.script = script
        self.rules = rules
        self.requests: list[Body] = []
        self.headers: list[Mapping[str, str]] = []
        self.refused = 0
        self._answered = 0
        self._lock = threading.Lock()
        self._over = threading.Event()
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["content-length"])))
                endpoint.serve(self, request)

            def log_message(self, format: str, *args: Any) -> None:
                """Stay quiet."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def url(self) -> str:
        """The base URL to configure; no two servers share one, because what is learned belongs to it."""
        return f"http://127.0.0.1:{self._server.server_port}/{id(self)}/v1"

    def __enter__(self) -> "ScriptedEndpoint":
        """Start serving."""
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        """Stop, and let go of every stalled answer."""
        self._over.set()
        self._server.shutdown()
        self._server.server_close()

    def serve(self, handler: BaseHTTPRequestHandler, request: Body) -> None:
        """Record a request and give the next answer."""
        with self._lock:
            self.requests.append(request)
            self.headers.append(dict(handler.headers))
            broken = next((text for rule in self.rules if (text := rule(request))), None)
            if broken:
                self.refused += 1
                step: Script = fails(400, broken, "unsupported", "invalid_request_error")
            else:
                step = self.script[min(self._answered, len(self.script) - 1)]
                self._answered += 1
        answer = step if isinstance(step, Answer) else step(request)
        try:
            self._send(handler, answer)
        except OSError:
            handler.close_connection = True

    def _send(self, handler: BaseHTTPRequestHandler, answer: Answer) -> None:
        if answer.stall and self._over.wait(answer.stall):
            return
        body = answer.bytes()
        handler.send_response(answer.status)
        for name, value in {"content-type": "application/json", "content-length": str(len(body)), **answer.headers}.items():
            handler.send_header(name, value)
        handler.end_headers()
        if answer.stall_after is not None:
            handler.wfile.write(body[: answer.stall_after])
            handler.wfile.flush()
            self._over.wait(60)
        elif answer.trickle:
            for position in range(len(body)):
                handler.wfile.write(body[position : position + 1])
                handler.wfile.flush()
                if self._over.wait(answer.trickle):
                    return
        else:
            handler.wfile.write(body)
