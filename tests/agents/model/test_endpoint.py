"""Calls against a real HTTP server that misbehaves: named faults, counted attempts and tokens, one learned method."""

import asyncio
import json
import logging
import time
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from pydantic import SecretStr

from agents.model.calls import cost_of
from agents.model.endpoint import KNOWN, Endpoint, Reply
from agents.model.faults import Fault
from agents.model.settings import Method, ModelChoice
from agents.model.stated import Reading
from contracts.decision import Action
from tests.agents.model.replies import TWICE
from tests.endpoint import (
    USAGE,
    Answer,
    Body,
    Script,
    ScriptedEndpoint,
    calls,
    fails,
    fitting,
    json_word,
    method_of,
    no_format,
    no_parameters,
    no_schema,
    no_tools,
    one_system,
    says,
)

ROSTER = ("permits", "street_lights", "potholes", "housing")
DECISION = {"reason": "open", "action": "dispatch", "dispatch": [{"specialist": "permits", "ask": "c1: look", "handles": []}], "out_of_scope": []}
GOOD = fitting(DECISION)
KEY = "sk-proj-abcdefghijklmnop1234567890"


def endpoint(server: ScriptedEndpoint, **settings: Any) -> Endpoint:
    """Return an endpoint for a test server."""
    return Endpoint(ModelChoice(model="m", base_url=server.url, **{"timeout": 5.0, **settings}))


async def decide(*script: Script, rules: Any = (), correction: str = "", **settings: Any) -> tuple[Reply, Reading, ScriptedEndpoint]:
    """Ask for one decision from a scripted server."""
    with ScriptedEndpoint(*script, rules=rules) as server:
        model = endpoint(server, **settings)
        reply, reading = await model.decide("You route.", "GOAL\nc1", ROSTER, correction)
        await model.aclose()
    return reply, reading, server


@pytest.fixture(autouse=True)
def no_waits(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> list[float]:
    """Record back-off waits instead of sleeping, unless the test is about time."""
    waits: list[float] = []
    if "real_time" not in request.keywords and "clock" not in request.node.name:

        async def at_once(seconds: float) -> None:
            waits.append(seconds)

        monkeypatch.setattr("agents.model.calls.asyncio.sleep", at_once)
    return waits


@pytest.mark.parametrize("method", list(Method))
async def test_every_method_gives_the_same_decision(method: Method) -> None:
    reply, reading, server = await decide(GOOD, method=method, rules=(json_word, no_parameters, one_system))
    assert reading.action is Action.DISPATCH and reading.dispatch[0].ask == "c1: look"
    assert method_of(server.requests[0]) == ("json_schema" if method is Method.AUTO else method)
    assert (reply.spent.calls, server.refused, len(server.requests)) == (1, 0, 1)


@pytest.mark.parametrize(
    ("rules", "lands_on"),
    [
        ((no_schema,), Method.TEXT),
        ((no_format,), Method.TEXT),
        ((no_schema, no_tools), Method.TEXT),
        ((no_format, no_tools, json_word, no_parameters, one_system), Method.TEXT),
        ((no_tools,), Method.JSON_SCHEMA),
        ((json_word,), Method.JSON_SCHEMA),
        ((lambda body: "response_format.type must be one of 'text', 'json_object'" if method_of(body) == "json_schema" else None,), Method.JSON_MODE),
        (
            (lambda body: "structured output is not supported; use function calling" if method_of(body) == "json_schema" else None,),
            Method.FUNCTION_CALLING,
        ),
        ((lambda body: "guided decoding backend is not installed" if method_of(body) == "json_schema" else None,), Method.TEXT),
        ((lambda body: "strict mode is not supported" if method_of(body) == "json_schema" else None,), Method.TEXT),
        ((lambda body: "extra fields not permitted: response_format" if "response_format" in body else None,), Method.TEXT),
        (
            (
                lambda body: (
                    "response_format value as json_schema is enabled only for api versions 2024-08-01-preview and later"
                    if "response_format" in body
                    else None
                ),
            ),
            Method.FUNCTION_CALLING,
        ),
        ((lambda body: "Invalid schema for response_format 'decision'" if method_of(body) == "json_schema" else None,), Method.TEXT),
    ],
)
@pytest.mark.filterwarnings("ignore:(Invalid schema|This model does not support):UserWarning")
async def test_the_method_is_learned_with_one_failed_call_at_most(rules: Any, lands_on: Method, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "agents.model.endpoint")
    with ScriptedEndpoint(GOOD, rules=rules) as server:
        first, second = endpoint(server), endpoint(server)
        told = await asyncio.gather(*(model.decide("s", f"u{n}", ROSTER) for n in range(4) for model in (first, second)))
        assert all(reading.action is Action.DISPATCH for _, reading in told)
        assert server.refused <= 1 and len(server.requests) == 8 + server.refused
        assert method_of(server.requests[-1]) == lands_on
        assert sum(reply.spent.calls for reply, _ in told) == len(server.requests)
        await first.aclose()
    assert len([record for record in caplog.records if "typed answers by" in record.message]) == 1


@pytest.mark.parametrize("method", ["json_schema", "function_calling", "json_mode", "text"])
async def test_a_method_accepted_and_ignored_gives_way_to_text(method: str) -> None:
    def chatty(body: Body) -> Answer:
        return says(json.dumps(DECISION)) if "one json object" in str(body["messages"]).lower() else says("I will pass this to permits now.")

    with ScriptedEndpoint(chatty) as server:
        model = endpoint(server)
        assert (await model.decide("s", "u", ROSTER))[1].fault is Fault.PROSE
        assert (await model.decide("s", "u", ROSTER, "no prose"))[1].action is Action.DISPATCH
        assert len(server.requests) == 2
        await model.aclose()


async def test_a_configured_method_is_kept_and_its_refusal_names_the_setting() -> None:
    reply, reading, server = await decide(GOOD, rules=(no_schema,), method=Method.JSON_SCHEMA)
    assert reading.fault is Fault.BAD_REQUEST and "DESK_METHOD" in reading.detail and "json_schema is not supported" in reading.detail
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "text", ["temperature does not support 0.7 with this model", "Unsupported parameter: max_tokens", "roles must alternate", "model 'm' not loaded"]
)
async def test_a_bad_request_for_another_reason_is_not_retried_and_reaches_the_user(text: str) -> None:
    _, reading, server = await decide(fails(400, text, "unsupported_value"))
    assert reading.fault is Fault.BAD_REQUEST and text in reading.detail and len(server.requests) == 1


async def test_only_configured_parameters_are_sent() -> None:
    _, _, server = await decide(GOOD, rules=(no_parameters, one_system))
    assert set(server.requests[0]) == {"model", "messages", "stream", "response_format"} and server.refused == 0
    _, _, server = await decide(GOOD, temperature=0.5, max_tokens=64, extra={"reasoning_effort": "low"})
    sent = server.requests[0]
    assert (sent["temperature"], sent["max_completion_tokens"], sent["reasoning_effort"]) == (0.5, 64, "low")
    assert "response_format" in sent and "parallel_tool_calls" not in sent


@pytest.mark.parametrize("name", ["o1-mini", "gpt-5-nano", "gpt-5-pro", "codex-mini", "qwen2.5:7b", "claude"])
async def test_a_models_name_adds_no_parameters_and_no_other_api(name: str) -> None:
    with ScriptedEndpoint(GOOD) as server:
        model = Endpoint(ModelChoice(model=name, base_url=server.url))
        assert (await model.decide("s", "u", ROSTER))[1].action is Action.DISPATCH
        assert set(server.requests[0]) == {"model", "messages", "stream", "response_format"}
        await model.aclose()


async def test_a_re_ask_goes_into_the_one_user_message_and_nothing_before_it_changes() -> None:
    with ScriptedEndpoint(says("parks"), GOOD, rules=(one_system,)) as server:
        model = endpoint(server)
        await model.decide("You route.", "GOAL", ROSTER)
        await model.decide("You route.", "GOAL", ROSTER, "choose from the roster")
        one, two = server.requests
        assert [message["role"] for message in two["messages"]] == ["system", "user"] and server.refused == 0
        assert two["messages"][1]["content"].startswith(one["messages"][1]["content"]) and "choose from the roster" in two["messages"][1]["content"]
        assert one["messages"][0] == two["messages"][0] and one["response_format"] == two["response_format"]
        await model.aclose()


@pytest.mark.parametrize(
    ("answer", "fault", "said"),
    [
        (fails(401, f"Incorrect API key provided: {KEY}"), Fault.AUTH, "OPENAI_API_KEY"),
        (fails(403, "no access to this model"), Fault.AUTH, "OPENAI_API_KEY"),
        (fails(429, "You exceeded your current quota, please check your plan", "insufficient_quota", "insufficient_quota"), Fault.QUOTA, "quota"),
        (fails(402, "Payment required"), Fault.QUOTA, "quota"),
        (fails(429, "Your credit balance is too low"), Fault.QUOTA, "quota"),
        (fails(403, "billing hard limit reached"), Fault.QUOTA, "quota"),
        (fails(403, "Your account balance is insufficient"), Fault.QUOTA, "quota"),
        (fails(400, "Your credit balance is too low to access the API"), Fault.QUOTA, "quota"),
        (fails(401, "billing not active on this account"), Fault.QUOTA, "quota"),
        (fails(429, "token quota is not enough", "insufficient_user_quota"), Fault.QUOTA, "quota"),
        (fails(404, "The model `m` does not exist"), Fault.BAD_REQUEST, "model's name"),
        (fails(422, "messages: invalid"), Fault.BAD_REQUEST, "messages: invalid"),
        (
            fails(400, "This model's maximum context length is 8192 tokens", "context_length_exceeded"),
            Fault.WINDOW_EXCEEDED,
            "maximum context length",
        ),
        (
            fails(400, "the request exceeds the available context size, try increasing it", "exceed_context_size_error"),
            Fault.WINDOW_EXCEEDED,
            "budget",
        ),
        (fails(413, "prompt is too long: 210000 tokens > 200000"), Fault.WINDOW_EXCEEDED, "too long"),
        (Answer({"error": {"message": "maximum context length is 4096", "code": 400}}), Fault.WINDOW_EXCEEDED, "4096"),
        (
            fails(400, "The response was filtered due to the prompt triggering our content management policy", "content_filter"),
            Fault.CONTENT_FILTER,
            "content management",
        ),
        (Answer({"choices": None, "error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}}), Fault.QUOTA, "quota"),
    ],
)
async def test_final_errors_take_one_attempt_and_name_what_to_change(answer: Answer, fault: Fault, said: str) -> None:
    reply, reading, server = await decide(answer, method=Method.JSON_SCHEMA, api_key=SecretStr(KEY))
    assert reading.fault is fault and said in reading.detail
    assert len(server.requests) == 1 and reply.spent.calls == 1
    assert KEY not in reading.detail and "\n" not in reading.detail and len(reading.detail) < 500


@pytest.mark.parametrize(
    ("answer", "fault", "said"),
    [
        (fails(500, "oops"), Fault.UNAVAILABLE, "oops"),
        (fails(503, "overloaded"), Fault.UNAVAILABLE, "OPENAI_BASE_URL"),
        (fails(529, "busy"), Fault.UNAVAILABLE, "busy"),
        (fails(429, "slow down"), Fault.RATE_LIMIT, "slow down"),
        (Answer("<html>bad gateway</html>", 502), Fault.UNAVAILABLE, "bad gateway"),
        (Answer({"choices": None, "error": {"message": "upstream overloaded", "code": 503}}), Fault.PROVIDER_ERROR, "upstream overloaded"),
        (Answer({"choices": [], "error": "upstream overloaded"}), Fault.PROVIDER_ERROR, "upstream overloaded"),
        (Answer({"choices": []}), Fault.PROVIDER_ERROR, "no choices"),
        (Answer({"choices": None}), Fault.PROVIDER_ERROR, "no choices"),
        (Answer({"detail": "worker died"}), Fault.PROVIDER_ERROR, "worker died"),
        (Answer({"code": 1301, "msg": "upstream busy"}), Fault.PROVIDER_ERROR, "upstream busy"),
        (Answer({"base_resp": {"status_code": 1004, "status_msg": "upstream busy"}}), Fault.PROVIDER_ERROR, "upstream busy"),
        (Answer({"object": "error", "message": "upstream busy", "code": 429}), Fault.PROVIDER_ERROR, "upstream busy"),
        (Answer({"choices": [None]}), Fault.PROVIDER_ERROR, "no choices"),
        (Answer({"choices": {}, "error": ["upstream busy"]}), Fault.PROVIDER_ERROR, "upstream busy"),
        (Answer(""), Fault.PROVIDER_ERROR, "cannot be read"),
        (Answer(json.dumps({"choices": []}).encode("utf-16")), Fault.PROVIDER_ERROR, "no choices"),
        (Answer({"choices": [{"index": 0, "message": None}]}), Fault.PROVIDER_ERROR, "no choices"),
        (Answer("{broken"), Fault.PROVIDER_ERROR, "cannot be read"),
        (Answer("<html>log in</html>", headers={"content-type": "text/html"}), Fault.PROVIDER_ERROR, "log in"),
        (Answer("null"), Fault.PROVIDER_ERROR, "no choices"),
        (Answer("[1]"), Fault.PROVIDER_ERROR, ""),
        (says(5), Fault.PROVIDER_ERROR, ""),
        (says(None, tool_calls="zzz"), Fault.PROVIDER_ERROR, ""),
        (Answer({"error": {"message": "rate limited", "code": 429}}), Fault.RATE_LIMIT, "rate limited"),
    ],
)
@pytest.mark.parametrize("attempts", [1, 3])
async def test_passing_errors_take_exactly_the_configured_attempts(answer: Answer, fault: Fault, said: str, attempts: int) -> None:
    reply, reading, server = await decide(answer, attempts=attempts)
    assert reading.fault is fault and said in reading.detail
    assert len(server.requests) == attempts == reply.spent.calls


@pytest.mark.parametrize("answer", [fails(500, "x"), fails(429, "x"), Answer({"choices": None, "error": {"message": "x"}})])
async def test_a_passing_error_is_got_over_and_all_attempts_are_counted(answer: Answer) -> None:
    reply, reading, server = await decide(answer, answer, GOOD)
    assert reading.action is Action.DISPATCH and len(server.requests) == 3 == reply.spent.calls
    assert reply.spent.tokens_in >= USAGE["prompt_tokens"] and reply.spent.tokens_out == USAGE["completion_tokens"]


@pytest.mark.parametrize(
    ("headers", "expected"),
    [({"Retry_After": "1"}, 1.0), ({"Retry_After_Ms": "1500"}, 1.5), ({"Retry_After": "0"}, 0.0), ({"Retry_After": "soon"}, 0.5)],
)
async def test_retry_after_is_honoured(headers: dict[str, str], expected: float, no_waits: list[float]) -> None:
    _, reading, _ = await decide(fails(429, "slow", **headers), GOOD)
    assert reading.action is Action.DISPATCH and no_waits == [expected]


@pytest.mark.parametrize("headers", [{"Retry_After": "120"}, {"Retry_After": "7"}, {"Retry_After": "Wed, 21 Oct 2099 07:28:00 GMT"}])
async def test_a_wait_beyond_the_time_left_ends_the_call_at_once(headers: dict[str, str], no_waits: list[float]) -> None:
    _, reading, server = await decide(fails(429, "slow", **headers), GOOD)
    assert reading.fault is Fault.RATE_LIMIT and "would have to wait" in reading.detail and len(server.requests) == 1 and not no_waits


@pytest.mark.parametrize(
    "answer",
    [
        Answer(says("x").bytes(), stall=30),
        Answer(says("x").bytes(), stall_after=0),
        Answer(says("x").bytes(), stall_after=40),
        Answer(says("x").bytes(), trickle=0.05),
    ],
    ids=["silent", "headers-only", "mid-body", "trickled"],
)
async def test_a_stalled_call_ends_within_the_timeout_by_the_clock(answer: Answer) -> None:
    started = time.monotonic()
    reply, reading, _ = await decide(answer, timeout=0.4)
    assert time.monotonic() - started < 2.5 and reading.fault is Fault.TIMEOUT and "DESK_TIMEOUT" in reading.detail
    assert reply.spent.tokens_source == "estimated" and reply.spent.tokens_in > 0


async def test_attempts_and_waits_share_one_timeout_by_the_clock() -> None:
    started = time.monotonic()
    _, reading, server = await decide(Answer(fails(500, "x").bytes(), 500, stall=0.3), timeout=1.0, attempts=10)
    assert time.monotonic() - started < 2.5 and reading.fault in (Fault.TIMEOUT, Fault.UNAVAILABLE) and len(server.requests) < 4


def test_a_timeout_exists_without_any_setting() -> None:
    assert ModelChoice(model="m").timeout == 60.0


async def test_nobody_listening_is_named() -> None:
    model = Endpoint(ModelChoice(model="m", base_url="http://127.0.0.1:9/v1", timeout=5.0, attempts=2))
    reply, reading = await model.decide("s", "u", ROSTER)
    assert reading.fault is Fault.UNAVAILABLE and reply.spent.calls == 2 and reply.spent.tokens_source == "none"
    await model.aclose()


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (says(None, refusal="I cannot help with that."), Fault.REFUSAL),
        (says("", refusal="No."), Fault.REFUSAL),
        (says("", finish="content_filter"), Fault.CONTENT_FILTER),
        (says('{"next":"permits"}', finish="content_filter"), Fault.CONTENT_FILTER),
        (says('{"action":"disp', finish="length"), Fault.CUT_OFF),
        (says(json.dumps(DECISION), finish="length"), Fault.CUT_OFF),
        (calls(("decision", '{"action"'), usage=None), Fault.MALFORMED),
        (says(""), Fault.EMPTY),
        (says(None), Fault.EMPTY),
        (says(" \n"), Fault.EMPTY),
        (says(None, tool_calls=[]), Fault.EMPTY),
        (says([]), Fault.EMPTY),
        (Answer({"choices": [{"message": {}}]}), Fault.EMPTY),
        (says('{"action":"disp', finish="max_tokens"), Fault.CUT_OFF),
        (says(None, reasoning_details=[{"text": "permits"}]), Fault.REASONING_ONLY),
        (says(None, finish="length", tool_calls=[{"id": "1", "function": {"name": "decision", "arguments": '{"action'}}]), Fault.CUT_OFF),
        (says(None, reasoning_content="permits"), Fault.REASONING_ONLY),
        (says("", reasoning="permits"), Fault.REASONING_ONLY),
        (says("<think>permits"), Fault.UNCLOSED_THINK),
        (says("I will pass this to permits now.", tool_calls=[]), Fault.PROSE),
    ],
)
async def test_unusable_replies_have_distinct_names_and_cost_one_attempt(answer: Answer, fault: Fault) -> None:
    reply, reading, server = await decide(answer)
    assert reading.fault is fault and len(server.requests) == 1 and not reading.dispatch
    assert "permits" not in reply.detail or fault is Fault.PROSE


async def test_reasoning_beside_an_answer_is_ignored() -> None:
    _, reading, _ = await decide(says(json.dumps(DECISION), reasoning_content="housing"))
    assert [choice.specialist for choice in reading.dispatch] == ["permits"]


async def test_several_tool_calls_fan_out() -> None:
    _, reading, _ = await decide(calls(("permits", {"ask": "c1"}), ("housing", {"ask": "c2"}), ("permits", {"ask": "c1"})))
    assert [choice.specialist for choice in reading.dispatch] == ["permits", "housing"]


@pytest.mark.parametrize(
    "usage",
    [
        None,
        {},
        {"prompt_tokens": 0, "completion_tokens": 0},
        {"prompt_tokens": "9", "completion_tokens": 1},
        {"prompt_tokens": -4, "completion_tokens": 2},
        {"prompt_tokens": 9, "completion_tokens": -2},
        {"prompt_tokens": 100.0, "completion_tokens": 20.0},
        {"prompt_tokens": 1.5, "completion_tokens": 2},
        {"prompt_tokens": 10**12, "completion_tokens": 1},
        {"prompt_tokens": 10**30, "completion_tokens": 1},
        {"prompt_tokens": 100, "completion_tokens": 10**12},
        {"prompt_tokens": None, "completion_tokens": 2},
        {"prompt_tokens": 100, "completion_tokens": None},
        {"prompt_tokens": True, "completion_tokens": True},
        {"prompt_tokens": float("nan"), "completion_tokens": float("inf")},
        {"prompt_tokens": 100},
        {"total_tokens": 120},
        {"input_tokens": 100, "output_tokens": 20},
        "many",
        [1],
    ],
)
async def test_missing_or_impossible_usage_becomes_a_marked_estimate(usage: Any) -> None:
    reply, reading, _ = await decide(fitting(DECISION, usage=usage))
    assert reading.action is Action.DISPATCH
    assert reply.spent.tokens_source == "estimated" and reply.spent.tokens_in > 100 and reply.spent.tokens_out > 20


async def test_reported_and_cached_tokens_are_taken_as_they_are() -> None:
    reply, _, _ = await decide(fitting(DECISION, usage={**USAGE, "prompt_tokens_details": {"cached_tokens": 64}}))
    assert (reply.spent.tokens_in, reply.spent.tokens_out, reply.spent.tokens_cached, reply.spent.tokens_source) == (100, 20, 64, "reported")


@pytest.mark.parametrize("cached", [None, -1, 101, 10**30, "x", [], {}])
async def test_cached_tokens_that_cannot_be_true_are_none(cached: Any) -> None:
    for details in ({"cached_tokens": cached}, cached):
        reply, _, _ = await decide(fitting(DECISION, usage={**USAGE, "prompt_tokens_details": details}))
        assert (reply.spent.tokens_in, reply.spent.tokens_cached, reply.spent.tokens_source) == (100, 0, "reported")


@pytest.mark.parametrize(
    ("sent", "got", "cached", "source"),
    [
        (10, 5, 4, "reported"),
        (10, 0, 0, "reported"),
        (-10, 5, 0, "estimated"),
        (0, 5, 0, "estimated"),
        (10, -5, 0, "estimated"),
        (10**12, 5, 0, "estimated"),
    ],
)
def test_another_clients_usage_is_held_to_the_same_bounds(sent: int, got: int, cached: int, source: str) -> None:
    usage = {"input_tokens": sent, "output_tokens": got, "total_tokens": 0, "input_token_details": {"cache_read": cached}}
    spent = cost_of(AIMessage("permits", usage_metadata=usage), 77)
    assert spent.tokens_source == source and spent.tokens_in == (sent if source == "reported" else 77)
    assert cost_of(AIMessage("permits", usage_metadata={**usage, "input_token_details": {"cache_read": 10**15}}), 77).tokens_cached == 0


def test_an_absurdly_long_reply_is_weighed_in_proportion_and_quickly() -> None:
    started = time.monotonic()
    assert cost_of(AIMessage("word " * 1_000_000), 77).tokens_out >= 1_000_000
    assert time.monotonic() - started < 1


@pytest.mark.parametrize(
    "answer",
    [
        says("use plainword77 or sk-abcdef123456"),
        says("plainword77"),
        calls(("lookup", {"key": "plainword77"})),
        calls(("lookup", '{"key": "plainword77')),
        says(None, refusal="not with plainword77"),
        says("<think>plainword77</think>parks"),
        fails(400, "plainword77 is no key"),
    ],
)
async def test_nothing_of_an_unusable_reply_shows_the_key(answer: Answer) -> None:
    reply, reading, _ = await decide(answer, api_key=SecretStr("plainword77"), method=Method.TEXT)
    assert reading.fault is not None and "plainword77" not in reply.raw + reply.detail + reply.cause + reading.detail
    assert len(reply.raw) <= 600 and "\n" not in reply.raw


@pytest.mark.parametrize("text", ["<think>private</think>parks", "<think>private", "parks [THINK]private[/THINK]", "private</think>parks"])
async def test_what_is_kept_of_a_reply_is_without_its_thoughts(text: str) -> None:
    reply, reading, _ = await decide(says(text, reasoning_content="private"), method=Method.TEXT)
    assert reading.fault is not None and "private" not in reply.raw + reading.detail


@pytest.mark.parametrize("text", TWICE)
@pytest.mark.parametrize("form", [lambda text: calls(("decision", text)), lambda text: calls(("permits", {"ask": "c1"}), ("decision", text)), says])
async def test_a_key_that_stands_twice_is_seen_before_a_client_keeps_the_last(text: str, form: Any) -> None:
    _, reading, _ = await decide(form(text))
    assert reading.fault is Fault.AMBIGUOUS


@pytest.mark.parametrize(
    "answer",
    [
        says(None, function_call={"name": "decision", "arguments": json.dumps(DECISION)}),
        says([{"type": "thinking", "thinking": "housing"}, {"type": "text", "text": json.dumps(DECISION)}]),
        says("[THINK]housing[/THINK]" + json.dumps(DECISION)),
        says("◁think▷housing◁/think▷" + json.dumps(DECISION)),
        says('<|python_tag|>{"name":"permits","parameters":{"ask":"c1"}}'),
        says('[TOOL_CALLS][{"name":"permits","arguments":{"ask":"c1"}}]'),
        says('{"next":"permits","reason":"two\nlines\tand a tab"}'),
        says("\ufeff" + json.dumps(DECISION)),
        says(json.dumps(DECISION), role="user"),
        Answer({"choices": [{"message": {"content": json.dumps(DECISION)}}]}),
        Answer({"choices": [{"message": {"content": json.dumps(DECISION)}}], "error": {}}),
        calls(("decision", json.dumps(DECISION) + "}")),
    ],
)
async def test_unusual_shapes_of_a_plain_reply_are_read(answer: Answer) -> None:
    _, reading, server = await decide(answer, method=Method.TEXT)
    assert [choice.specialist for choice in reading.dispatch] == ["permits"] and len(server.requests) == 1


async def test_one_estimated_attempt_makes_the_sum_an_estimate() -> None:
    reply, _, _ = await decide(Answer({"choices": None, "error": {"message": "x"}}), GOOD)
    assert reply.spent.tokens_source == "estimated" and reply.spent.tokens_in > USAGE["prompt_tokens"] and reply.spent.calls == 2


async def test_nothing_is_asked_of_the_network_besides_the_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    import socket

    asked: list[object] = []
    real = socket.getaddrinfo

    def watched(host: Any, *rest: Any, **more: Any) -> Any:
        asked.append(host)
        return real(host, *rest, **more)

    monkeypatch.setattr(socket, "getaddrinfo", watched)
    monkeypatch.setenv("OPENAI_API_BASE", "http://elsewhere.invalid/v1")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with ScriptedEndpoint(fitting(DECISION, usage=None)) as server:
        model = Endpoint(ModelChoice(model="qwen2.5:7b", base_url=server.url))
        reply, _ = await model.decide("你好" * 500, "안녕" * 500, ROSTER)
        await model.aclose()
        assert KEY not in str(server.headers)
    assert {str(host) for host in asked} <= {"127.0.0.1"} and reply.spent.tokens_in > 2000


async def test_cancelling_a_call_ends_it() -> None:
    with ScriptedEndpoint(Answer(b"", stall=30)) as server:
        model = endpoint(server)
        task = asyncio.create_task(model.decide("s", "u", ROSTER))
        await asyncio.get_running_loop().run_in_executor(None, time.sleep, 0.3)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await model.aclose()


def test_one_endpoint_serves_several_event_loops() -> None:
    with ScriptedEndpoint(GOOD) as server:
        model = endpoint(server)

        async def once() -> Action | None:
            found = (await model.decide("s", "u", ROSTER))[1].action
            await model.aclose()
            return found

        assert [asyncio.run(once()), asyncio.run(once())] == [Action.DISPATCH, Action.DISPATCH]
        assert KNOWN.methods[model.choice.key] is Method.JSON_SCHEMA
