"""A GeoReport v2 server on the loopback, strict about what the specification asks for, with faults to switch on."""

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

JSON = dict[str, Any]
SERVICES = [
    {
        "service_code": "S1",
        "service_name": "Pothole repair",
        "description": "Holes in a street",
        "metadata": False,
        "type": "realtime",
        "keywords": "pothole,street",
    },
    {
        "service_code": "S2",
        "service_name": "Rodent activity",
        "description": "Rats and mice",
        "metadata": False,
        "type": "realtime",
        "keywords": "rats,mice",
    },
    {
        "service_code": "S3",
        "service_name": "Pothole survey",
        "description": "Pothole count",
        "metadata": True,
        "type": "realtime",
        "keywords": "pothole",
    },
]
FIELDS = {
    "service_code",
    "address_string",
    "address_id",
    "lat",
    "long",
    "description",
    "api_key",
    "jurisdiction_id",
    "email",
    "first_name",
    "last_name",
}


class GeoReport:
    """The server; `requests` are those that were filed."""

    def __init__(self, *, key: str = "secret-key", tokens: bool = False) -> None:
        self.key, self.tokens, self.requests, self.calls = key, tokens, list[JSON](), list[str]()
        self.fault = ""
        double = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *args: Any) -> None:
                pass

            def answer(self, status: int, body: Any) -> None:
                raw = body if isinstance(body, bytes) else json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)

            def refuse(self, status: int, said: str) -> None:
                self.answer(status, [{"code": status, "description": said}])

            def do_GET(self) -> None:
                url = urlsplit(self.path)
                double.calls.append(f"GET {url.path}")
                asked = parse_qs(url.query)
                if double.fault == "html":
                    self.answer(200, b"<html>")
                elif url.path == "/services.json":
                    self.answer(200, SERVICES)
                elif url.path == "/requests.json":
                    self.answer(200, [item for item in double.requests if item["service_code"] in asked.get("service_code", [])])
                elif url.path.startswith("/tokens/"):
                    self.answer(200, [{"service_request_id": "638344", "token": url.path[8:-5]}])
                else:
                    self.refuse(404, "unknown path")

            def do_POST(self) -> None:
                double.calls.append(f"POST {self.path}")
                form = {name: values[0] for name, values in parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode()).items()}
                if self.headers["Content-Type"] != "application/x-www-form-urlencoded" or set(form) - FIELDS:
                    return self.refuse(400, f"form expected: {sorted(set(form) - FIELDS)}")
                if form.get("api_key") != double.key:
                    return self.refuse(403, f"invalid api_key {form.get('api_key')}")
                if form.get("service_code") not in {item["service_code"] for item in SERVICES}:
                    return self.refuse(404, "unknown service_code")
                if not (form.get("address_string") or form.get("address_id") or form.get("lat")) or len(form["description"]) > 4000:
                    return self.refuse(400, "location and a short description are needed")
                number = str(638344 + len(double.requests))
                double.requests.append(
                    {key: value for key, value in form.items() if key != "api_key"} | {"service_request_id": number, "status": "open"}
                )
                if double.fault == "silent":
                    time.sleep(1.5)
                notice = {"service_notice": "The city will look at it.", "account_id": None}
                self.answer(201, [{"token": "t1", **notice} if double.tokens else {"service_request_id": number, **notice}])

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self.server.shutdown()
        self.server.server_close()
