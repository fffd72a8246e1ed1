"""A proxy in front of a mock of the providers' APIs that makes what can go wrong go wrong. The fault is a part of the
path: http://127.0.0.1:PORT/FAULT/... goes to the mock as /..., with the fault on the way. "-once" spares the second try.
Everything that passes is written down."""

import http.client
import http.server
import json
import socket
import socketserver
import struct
import threading
import time

BIG = 2 << 20


def api_of(path):
    for word, api in (("/chat/completions", "openai"), ("/responses", "openai-responses"), ("/messages", "anthropic"),
                      (":generateContent", "gemini")):
        if path.endswith(word):
            return api
    return None


def reply(api, text="", calls=(), finish=None, model="canned"):
    """A reply of an API: calls are (id, name, arguments as text or as an object)."""
    if api == "openai":
        message = {"role": "assistant", "content": text or None}
        if calls:
            message["tool_calls"] = [{"id": i, "type": "function", "function": {
                "name": n, "arguments": a if isinstance(a, str) else json.dumps(a)}} for i, n, a in calls]
        return {"id": "x", "object": "chat.completion", "model": model, "choices": [
            {"index": 0, "message": message, "finish_reason": finish or ("tool_calls" if calls else "stop")}],
            "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18,
                      "prompt_tokens_details": {"cached_tokens": 5}, "completion_tokens_details": {"reasoning_tokens": 3}}}
    if api == "openai-responses":
        output = [{"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": [
            {"type": "output_text", "text": text, "annotations": []}]}] if text else []
        output += [{"type": "function_call", "id": "f%d" % k, "call_id": i, "name": n, "status": "completed",
                    "arguments": a if isinstance(a, str) else json.dumps(a)} for k, (i, n, a) in enumerate(calls)]
        out = {"id": "r", "object": "response", "status": "completed", "model": model, "output": output,
               "usage": {"input_tokens": 11, "input_tokens_details": {"cached_tokens": 5}, "output_tokens": 7,
                         "output_tokens_details": {"reasoning_tokens": 3}, "total_tokens": 18}}
        if finish == "length":
            out.update(status="incomplete", incomplete_details={"reason": "max_output_tokens"})
        return out
    if api == "anthropic":
        content = [{"type": "text", "text": text}] if text else []
        content += [{"type": "tool_use", "id": i, "name": n, "input": a} for i, n, a in calls]
        stop = {"length": "max_tokens"}.get(finish, "tool_use" if calls else "end_turn")
        return {"id": "m", "type": "message", "role": "assistant", "model": model, "content": content,
                "stop_reason": stop, "usage": {"input_tokens": 6, "cache_read_input_tokens": 5, "output_tokens": 7}}
    parts = [{"text": text}] if text else []
    parts += [{"functionCall": {"name": n, "args": a}} for _, n, a in calls]
    return {"candidates": [{"content": {"role": "model", "parts": parts}, "index": 0,
                            "finishReason": {"length": "MAX_TOKENS"}.get(finish, "STOP")}], "modelVersion": model,
            "usageMetadata": {"promptTokenCount": 11, "cachedContentTokenCount": 5, "candidatesTokenCount": 4,
                              "thoughtsTokenCount": 3}}


def error(api, status, kind, message):
    """(status, body) of an error as the API words it. kind: OpenAI's code; the others have their own."""
    if api == "anthropic":
        words = {"rate_limit_exceeded": "rate_limit_error", "insufficient_quota": "billing_error", "overloaded": "overloaded_error",
                 "invalid_api_key": "authentication_error", "server_error": "api_error"}
        return status, {"type": "error", "error": {"type": words.get(kind, "invalid_request_error"), "message": message}}
    if api == "gemini":
        words = {429: "RESOURCE_EXHAUSTED", 401: "UNAUTHENTICATED", 402: "RESOURCE_EXHAUSTED", 500: "INTERNAL",
                 529: "UNAVAILABLE"}
        return status, {"error": {"code": status, "status": words.get(status, "INVALID_ARGUMENT"), "message": message}}
    return status, {"error": {"message": message, "type": kind, "code": kind, "param": None}}


def tool_names(api, body):
    if api == "gemini":
        return [f["name"] for t in body.get("tools", []) for f in t["functionDeclarations"]]
    return [t.get("name") or t["function"]["name"] for t in body.get("tools", [])]


def has_result(api, body):
    return any(word in json.dumps(body) for word in ('"role": "tool"', "function_call_output", "tool_result", "functionResponse"))


class Proxy:
    """Listens on a port of its own; `seen` holds (fault, api, headers, body) of every request."""

    def __init__(self, mock_port, silence=3.0):
        self.mock_port, self.silence, self.hold = mock_port, silence, None
        self.lock, self.seen, self.counts = threading.Lock(), [], {}
        proxy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                proxy.serve(self)

            def log_message(self, *_):
                pass

        class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
            daemon_threads = True
            request_queue_size = 512

            def handle_error(self, *_):
                pass  # the client went away: that is what some faults are about

        self.server = Server(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def url(self, fault, suffix=""):
        return "http://127.0.0.1:%d/%s%s" % (self.port, fault, suffix)

    def taken(self, fault):
        with self.lock:
            return [s for s in self.seen if s[0] == fault]

    def wait(self, requests):
        """What a scripted model takes for an answer; for ever while more than `hold` different requests were seen."""
        number = len(set(requests))
        time.sleep(self.pause)
        while self.hold is not None and number > self.hold:
            time.sleep(0.005)

    # --- answering ---

    def serve(self, h):
        raw = h.rfile.read(int(h.headers.get("Content-Length", 0)))
        if h.path.startswith("http://"):  # we are the proxy of HTTP_PROXY
            return self.send(h, 200, reply(api_of(h.path), "by way of the proxy to " + h.path))
        fault, _, rest = h.path[1:].partition("/")
        api = api_of(h.path)
        body = json.loads(raw)
        with self.lock:
            self.seen.append((fault, api, dict(h.headers), body))
            n = self.counts[fault] = self.counts.get(fault, 0) + 1
        kind = fault.partition("~")[0]  # NAME~WHO: the same fault, counted apart
        if kind.endswith("-once"):
            kind = kind[:-5] if n == 1 else "none"
        getattr(self, "fault_" + kind.replace("-", "_"))(h, api, "/" + rest, raw, body)

    def send(self, h, status, body, headers=(), kind="application/json"):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        h.send_response(status)
        h.send_header("Content-Type", kind)
        h.send_header("Content-Length", str(len(data)))
        for name, value in headers:
            h.send_header(name, value)
        h.end_headers()
        h.wfile.write(data)

    def fault_none(self, h, api, path, raw, body):
        mock = http.client.HTTPConnection("127.0.0.1", self.mock_port, timeout=30)
        keep = {k: v for k, v in h.headers.items() if k.lower() not in ("host", "content-length", "connection", "accept-encoding")}
        mock.request("POST", path, raw, keep)
        answer = mock.getresponse()
        data = answer.read()
        mock.close()
        self.send(h, answer.status, data, kind=answer.headers.get("Content-Type", "application/json"))

    def fault_rate(self, h, api, path, raw, body):
        self.send(h, *error(api, 429, "rate_limit_exceeded", "slow down"))

    def fault_rate_after(self, h, api, path, raw, body):
        self.send(h, *error(api, 429, "rate_limit_exceeded", "slow down"), headers=[("Retry-After", "1")])

    def fault_rate_date(self, h, api, path, raw, body):
        when = time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(time.time() + 2))
        self.send(h, *error(api, 429, "rate_limit_exceeded", "slow down"), headers=[("Retry-After", when)])

    def fault_500(self, h, api, path, raw, body):
        self.send(h, *error(api, 500, "server_error", "oh"))

    def fault_529(self, h, api, path, raw, body):
        self.send(h, *error(api, 529, "overloaded", "Overloaded"))

    def fault_reset(self, h, api, path, raw, body):
        data = json.dumps(reply(api, "never read to its end")).encode()
        h.send_response(200)
        h.send_header("Content-Length", str(len(data)))
        h.end_headers()
        h.wfile.write(data[:len(data) // 2])
        h.wfile.flush()
        h.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        h.connection.close()
        h.close_connection = True

    def fault_empty(self, h, api, path, raw, body):
        self.send(h, 200, b"")

    def fault_html(self, h, api, path, raw, body):
        self.send(h, 200, b"<!DOCTYPE html><title>Bad gateway</title>", kind="text/html")

    def fault_shape(self, h, api, path, raw, body):
        self.send(h, 200, {"object": "list", "data": []})

    def fault_silence(self, h, api, path, raw, body):
        time.sleep(self.silence)
        h.close_connection = True

    def fault_quota(self, h, api, path, raw, body):
        self.send(h, *error(api, 402 if api == "gemini" else 429, "insufficient_quota", "You exceeded your current quota"))

    def fault_auth(self, h, api, path, raw, body):
        self.send(h, *error(api, 401, "invalid_api_key", "Incorrect key provided: %s" % self.key(h)))

    def fault_padded(self, h, api, path, raw, body):
        """The key where words are cut, wherever that is."""
        n = int(path.split("/")[1]) if path.split("/")[1].isdigit() else 0
        self.send(h, *error(api, 400, "t" * (n % 60) + self.key(h), "p" * n + self.key(h)))

    def fault_context(self, h, api, path, raw, body):
        self.send(h, *error(api, 400, "context_length_exceeded", "prompt is too long: 300000 tokens > maximum context length"))

    def fault_refused(self, h, api, path, raw, body):
        self.send(h, *error(api, 404, "model_not_found", "The model does not exist"))

    # --- odd replies ---

    @staticmethod
    def key(h):
        return h.headers.get("x-api-key") or h.headers.get("x-goog-api-key") or h.headers.get("Authorization", "")[7:]

    def fault_echo(self, h, api, path, raw, body):
        self.send(h, 200, reply(api, "your key is %s, is it not?" % self.key(h)))

    def fault_big(self, h, api, path, raw, body):
        self.send(h, 200, reply(api, "x" * BIG))

    def fault_length(self, h, api, path, raw, body):
        self.send(h, 200, reply(api, "half of it", finish="length"))

    def odd_calls(self, h, api, body, calls):
        if has_result(api, body):
            return self.send(h, 200, reply(api, "done"))
        return self.send(h, 200, reply(api, "", calls))

    def fault_sealed(self, h, api, path, raw, body):
        """What the Responses API says of its reasoning when nothing is stored there."""
        answer = reply(api, "", [("c1", tool_names(api, body)[0], {})])
        answer["output"].insert(0, {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "c2VhbGVk"})
        self.send(h, 200, reply(api, "done") if has_result(api, body) else answer)

    def fault_unsealed(self, h, api, path, raw, body):
        answer = reply(api, "", [("c1", tool_names(api, body)[0], {})])
        answer["output"].insert(0, {"type": "reasoning", "id": "rs_1", "summary": []})
        self.send(h, 200, reply(api, "done") if has_result(api, body) else answer)

    def fault_bad_args(self, h, api, path, raw, body):
        self.odd_calls(h, api, body, [("c1", tool_names(api, body)[0], "{\"oops\": ")])

    def fault_twins(self, h, api, path, raw, body):
        name = tool_names(api, body)[0]
        self.odd_calls(h, api, body, [("c1", name, {"n": 1}), ("c1", name, {"n": 2})])

    def fault_unknown(self, h, api, path, raw, body):
        self.odd_calls(h, api, body, [("c1", "no_such_tool", {})])

    def fault_first(self, h, api, path, raw, body):
        self.odd_calls(h, api, body, [("c1", tool_names(api, body)[0], {"n": 1})])
