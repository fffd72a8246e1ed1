"""An HTTP server that misbehaves in the way that the path of its address names, written by hand, so that no library can mend
what it does. Handlers take the connection, the request and the server's memory for that path; `faults` lists them."""

import json
import socket
import threading
import time
import zlib

INFO = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "bad", "version": "0"}}
TOOLS = {"tools": [{"name": "a", "inputSchema": {"type": "object"}}]}
SAID = {"content": [{"type": "text", "text": "fine"}]}
META = "io.modelcontextprotocol/"


class Request:
    def __init__(self, method, path, headers, body):
        self.method, self.path, self.headers = method, path, headers
        try:
            self.json = json.loads(body) if body else {}
        except ValueError:
            self.json = {}
        self.rpc = self.json.get("method", "")
        self.id = self.json.get("id")


def read_request(conn):
    data = b""
    while b"\r\n\r\n" not in data:
        more = conn.recv(65536)
        if not more:
            return None
        data += more
    head, _, body = data.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    headers = {n.strip().lower(): v.strip() for n, _, v in (line.partition(":") for line in lines[1:])}
    while len(body) < int(headers.get("content-length", 0)):
        body += conn.recv(65536)
    method, path = lines[0].split()[:2]
    return Request(method, path, headers, body)


def send(conn, status, body=b"", kind="application/json", extra=""):
    body = body if isinstance(body, bytes) else body.encode()
    conn.sendall(("HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n%s\r\n" % (status, kind, len(body), extra))
                 .encode("latin-1") + body)


def result_of(r, stateless=False):
    return {"initialize": INFO, "tools/list": TOOLS, "tools/call": SAID,
            "server/discover": {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}}.get(r.rpc, {})


def answer(conn, r, result=None, extra=""):
    send(conn, "200 OK", json.dumps({"jsonrpc": "2.0", "id": r.id, "result": result_of(r) if result is None else result}),
         extra=extra)


def error(conn, r, code, message="no", status="200 OK", data=None):
    e = {"code": code, "message": message}
    if data:
        e["data"] = data
    send(conn, status, json.dumps({"jsonrpc": "2.0", "id": r.id, "error": e}))


def fine(conn, r, memory=None):
    """A server of sessions in good order."""
    if r.method != "POST":
        send(conn, "405 Method Not Allowed")
    elif r.id is None:
        send(conn, "202 Accepted")
    elif r.rpc == "server/discover":
        error(conn, r, -32601, "Method not found", "400 Bad Request")
    else:
        answer(conn, r)


def stateless(conn, r, memory=None):
    answer(conn, r) if r.method == "POST" else send(conn, "405 Method Not Allowed")


def news(conn, r, memory=None):
    """One that tells of changed tools."""
    if r.rpc == "server/discover":
        answer(conn, r, {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {"listChanged": True}}})
    else:
        stateless(conn, r)


def at(method, bad, otherwise=fine):
    """Misbehave at one method only."""
    return lambda conn, r, memory: (bad if r.rpc == method else otherwise)(conn, r, memory)


def always(status, body="", kind="text/plain", extra=""):
    return lambda conn, r, memory: send(conn, status, body, kind, extra)


def once(bad, otherwise):
    def handler(conn, r, memory):
        memory["n"] = memory.get("n", 0) + 1
        (bad if memory["n"] == 1 else otherwise)(conn, r, memory)
    return handler


def silent(conn, r, memory):
    time.sleep(20)


def drip(data, seconds=0.3):
    def handler(conn, r, memory):
        for byte in data:
            conn.sendall(bytes([byte]))
            time.sleep(seconds)
    return handler


def raw(data):
    def handler(conn, r, memory):
        conn.sendall(data)
        conn.close()
    return handler


def flood(head, chunk, times):
    def handler(conn, r, memory):
        conn.sendall(head)
        for _ in range(times):
            conn.sendall(chunk)
        conn.close()
    return handler


def make_bomb():
    """300 MiB of spaces behind the beginning of a string, compressed."""
    squeeze = zlib.compressobj(6, zlib.DEFLATED, 31)
    return squeeze.compress(b'{"x":"') + b"".join(squeeze.compress(b" " * (1 << 20)) for _ in range(300)) + squeeze.flush()


BOMB = make_bomb()


def bomb(conn, r, memory):
    send(conn, "200 OK", BOMB, extra="Content-Encoding: gzip\r\n")


def literal(text):
    """A JSON reply written by hand; ID stands for the request's id."""
    return lambda conn, r, memory: send(conn, "200 OK", text.replace(b"ID", str(r.id).encode()))


EVENTS = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"


def events(text, hold=0):
    def handler(conn, r, memory):
        conn.sendall(EVENTS + text)
        time.sleep(hold)
        conn.close()
    return handler


def get_or(get, otherwise):
    return lambda conn, r, memory: (get if r.method == "GET" else otherwise)(conn, r, memory)


def lost(times):
    """The session is forgotten before the call, once or always."""
    def handler(conn, r, memory):
        if r.rpc == "initialize":
            memory["n"] = memory.get("n", 0) + 1
            answer(conn, r, extra="Mcp-Session-Id: s%d\r\n" % memory["n"])
        elif r.rpc == "tools/call" and memory["n"] <= times:
            error(conn, r, -32600, "no such session", "404 Not Found")
        else:
            fine(conn, r)
    return handler


def older(endpoint, then=None):
    """The transport of 2024: GET is the stream, what is posted to the endpoint is answered there."""
    def handler(conn, r, memory):
        if r.method == "GET":
            memory["stream"] = conn
            conn.sendall(EVENTS + (b"event: endpoint\ndata: " + endpoint + b"\n\n" if endpoint else b""))
            time.sleep(8 if endpoint != b"" else 0)
            conn.close()
        elif "?" not in r.path:
            send(conn, "405 Method Not Allowed")
        elif then and r.rpc == "tools/call":
            then(conn, r, memory)
        elif r.rpc == "server/discover":
            send(conn, "202 Accepted")
            reply(memory, {"jsonrpc": "2.0", "id": r.id, "error": {"code": -32601, "message": "no"}})
        else:
            send(conn, "202 Accepted")
            if r.id is not None:
                reply(memory, {"jsonrpc": "2.0", "id": r.id, "result": result_of(r)})
    return handler


def reply(memory, message):
    memory["stream"].sendall(b"event: message\ndata: " + json.dumps(message).encode() + b"\n\n")


def on_stream(data, seconds=0):
    """What the older transport's stream brings instead of the answer to a call; ID stands for the call's id."""
    def handler(conn, r, memory):
        send(conn, "202 Accepted")
        for part in data() if callable(data) else [data]:
            memory["stream"].sendall(part.replace(b"ID", str(r.id).encode()))
            time.sleep(seconds)
    return handler


def cut(conn, r, memory):
    send(conn, "202 Accepted")
    memory["stream"].shutdown(socket.SHUT_RDWR)


def no_version(conn, r, memory):
    error(conn, r, -32022, "Unsupported", "400 Bad Request", {"supported": ["2026-07-28"], "requested": "2026-07-28"})


def wants(requests):
    return lambda conn, r, memory: answer(conn, r, {"resultType": "input_required", "requestState": "s",
                                                    **({"inputRequests": requests} if requests else {})})


SSE_FAULTS = {
    "sse-call-silent": (on_stream(b": hello\n\n"), "tools/call of a was not answered within"),
    "sse-call-twice": (on_stream(b'data: {"jsonrpc":"2.0","id":ID,"result":{"content":[]}}\n\n' * 2), None),
    "sse-call-wrong-id": (on_stream(b'data: {"jsonrpc":"2.0","id":7777,"result":{}}\n\n'),
                          "tools/call of a was not answered within"),
    "sse-call-bad-utf8": (on_stream(b'data: {"jsonrpc":"2.0","id":ID,"result":{"x":"\xc3\x28"}}\n\n'), "was no message, the last"),
    "sse-call-deep": (on_stream(b'data: {"jsonrpc":"2.0","id":ID,"result":' + b"[" * 100000 + b"]" * 100000 + b"}\n\n"),
                      "beyond our limits"),
    "sse-call-huge": (on_stream(lambda: [b"data: "] + [b"x" * (1 << 20)] * 300), "more than 16777216 bytes"),
    "sse-call-drop": (on_stream(lambda: [b"d", b"a", b"t", b"a", b":", b"{", b"}"], 1), "tools/call of a was not answered within"),
    "sse-call-flood": (on_stream(lambda: (b'data: {"jsonrpc":"2.0","method":"notifications/message"}\n\n' * 100
                                          for _ in range(1 << 18))), "tools/call of a was not answered within"),
}

LIST = '{"jsonrpc":"2.0","id":ID,"result":'
SAMPLE = {"x": {"method": "sampling/createMessage", "params": {"messages": [], "maxTokens": 1}}}

# name: (handler, what the message must say; None: the session survives it). Names of the older transport begin with
# "sse-".
FAULTS = {
    "status-500": (always("500 Internal Server Error", "boom"), "HTTP status 500: boom"),
    "status-500-once": (once(always("500 Oops"), fine), None),
    "call-502": (at("tools/call", always("502 Bad Gateway", "<html>")), "tools/call of a was refused with HTTP status 502"),
    "status-401": (always("401 Unauthorized", "who?"), "HTTP status 401"),
    "status-403": (at("tools/list", always("403 Forbidden")), "tools/list was refused with HTTP status 403"),
    "status-404": (always("404 Not Found"), "HTTP status 404"),
    "call-429": (at("tools/call", always("429 Too Many Requests", "slow down")), "HTTP status 429: slow down"),
    "html": (always("200 OK", "<html>hello</html>", "text/html"), "neither JSON nor an event stream"),
    "empty": (always("200 OK", "", "application/json"), "HTTP status 200 without a message"),
    "accepted": (at("tools/call", always("202 Accepted")), "HTTP status 202 without a message"),
    "redirect-loop": (lambda c, r, m: send(c, "307 Moved", extra="Location: %s\r\n" % r.path), "more than 5 times"),
    "redirect-file": (always("302 Found", extra="Location: file:///etc/passwd\r\n"), "no web address"),
    "silent": (silent, "was not answered within"),
    "call-silent": (at("tools/call", silent), "tools/call of a was not answered within"),
    "drip-headers": (drip(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"), "was not answered within"),
    "drip-body": (at("tools/call", lambda c, r, m: (c.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                                                            b"Content-Length: 1000\r\n\r\n"),
                                                   drip(b" " * 100)(c, r, m))), "tools/call of a was not answered within"),
    "drop-body": (at("tools/call", lambda c, r, m: (c.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"),
                                                   drip(b'{"jsonrpc":"2.0"', 1)(c, r, m))), "tools/call of a was not answered within"),
    "half-body": (at("tools/call", raw(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{")),
                  "the connection broke off"),
    "closes": (at("tools/list", raw(b"")), "the connection broke off"),
    "no-http": (raw(b"SSH-2.0-OpenSSH_9.2\r\n"), "server: "),
    "headers-bomb": (at("tools/list", flood(b"HTTP/1.1 200 OK\r\n", b"X-A: " + b"a" * 1000 + b"\r\n", 400)),
                     "headers are larger"),
    "huge": (at("tools/call", flood(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n", b"x" * (1 << 20), 300)),
             "more than 16777216 bytes"),
    "gzip-bomb": (at("tools/call", bomb), "bytes"),
    "deep": (at("tools/call", literal(LIST.encode() + b"[" * 100000 + b"]" * 100000 + b"}")), "beyond our limits"),
    "bad-utf8": (at("tools/call", literal(LIST.encode() + b'{"x":"\xc3\x28\xff"}}')),
                 "with a body that holds no answer (byte 0xC3 is not valid UTF-8"),
    "garbage": (always("200 OK", "oops: no JSON", "application/json"), "with a body that holds no answer (expected a value"),
    "call-garbage": (at("tools/call", always("200 OK", "oops: no JSON", "application/json")),
                     "tools/call of a was not answered: HTTP status 200 with a body that holds no answer (expected a value"),
    "call-notification": (at("tools/call", literal(b'{"jsonrpc":"2.0","method":"notifications/message","params":{}}')),
                          "with a body that holds no answer"),
    "call-asks": (at("tools/call", literal(b'{"jsonrpc":"2.0","id":1,"method":"ping"}')), "with a body that holds no answer"),
    "list-null-id-error": (at("tools/list", literal(b'{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}}')),
                           "it answered tools/list with error -32700: what?"),
    "wrong-id": (at("tools/call", literal(b'{"jsonrpc":"2.0","id":999,"result":{}}')),
                 'with a body that holds no answer: {"jsonrpc":"2.0","id":999'),
    "string-id": (at("tools/call", literal(b'{"jsonrpc":"2.0","id":"ID","result":{}}')), "with a body that holds no answer"),
    "result-and-error": (at("tools/call", literal(LIST.encode() + b'{},"error":{"code":1,"message":"x"}}')), "is neither"),
    "version-downgrade": (at("initialize", lambda c, r, m: answer(c, r, dict(INFO, protocolVersion="1999-01-01"))),
                          'MCP revision "1999-01-01", which is not one of ours'),
    "session-ugly": (at("initialize", lambda c, r, m: answer(c, r, extra="Mcp-Session-Id: a b\xe9\r\n")),
                     "its MCP-Session-Id is not visible ASCII"),
    "session-lost": (lost(1), None),
    "session-lost-again": (lost(99), "it has forgotten the session, and a new one"),
    "list-circle": (at("tools/list", lambda c, r, m: answer(c, r, dict(TOOLS, nextCursor="x"))), "goes round in a circle"),
    "stream-ends": (at("tools/call", events(b": hello\n\n")), "its event stream ended before the answer"),
    "stream-without-end": (at("tools/call", lambda c, r, m: flood(EVENTS, b": still here\n\n", 1 << 22)(c, r, m)),
                           "tools/call of a was not answered within"),
    "stream-notifications": (at("tools/call", lambda c, r, m: flood(
        EVENTS, b'data: {"jsonrpc":"2.0","method":"notifications/message"}\n\n' * 100, 1 << 18)(c, r, m)),
        "tools/call of a was not answered within"),
    "stream-huge-event": (at("tools/call", flood(EVENTS + b"data: ", b"x" * (1 << 20), 300)), "more than 16777216 bytes"),
    "stream-noise": (at("tools/call", events(b"data: hello\n\n" * 1200)), "no message"),
    "stream-never-resumes": (get_or(events(b"id: 2\nretry: 10\ndata:\n\n"),
                                    at("tools/call", events(b"id: 1\nretry: 10\ndata:\n\n"))), "was taken up 5 times"),
    "stream-resume-refused": (get_or(always("405 Method Not Allowed"), at("tools/call", events(b"id: 1\nretry: 10\ndata:\n\n"))),
                              "cannot be taken up again: HTTP status 405"),
    "older": (older(b"/older?session=1"), None),
    **{"sse-" + name: (older(named), 'endpoint event names "%s" (expected a path, or an address with' % named.decode()) for name, named in [
        ("other-host", b"http://example.invalid/x?session=1"), ("other-port", b"http://127.0.0.1:1/x?session=1"),
        ("no-scheme", b"//example.invalid/x?session=1"), ("file", b"file:///x?session=1"), ("mail", b"mailto:x?session=1")]},
    "sse-blank": (older(b"/x\t?session=1"), 'endpoint event names "/x ?session=1" (expected a path'),
    "sse-long": (older(b"http://" + b"x" * 300), "endpoint event names an address of 307 bytes (expected a path"),
    "older-file": (older(b"file:///x?session=1"), 'refused with HTTP status 405; in the older way, its endpoint event names "file:///x'),
    "sse-colon": (older(b"?session=http://example.invalid/"), None),
    "sse-no-endpoint": (older(b""), "ended before it named an endpoint"),
    "sse-silent": (older(None), "it cannot be started"),
    "sse-no-stream": (always("200 OK", "{}", "application/json"), "no event stream at its address"),
    "sse-call-500": (older(b"/sse-call-500?session=1", always("500 Oops", "boom")), "HTTP status 500: boom"),
    "sse-call-cut": (older(b"/sse-call-cut?session=1", cut), "its event stream ended, and the session with it"),
    **{name: (older(b"/%s?session=1" % name.encode(), then), says) for name, (then, says) in SSE_FAULTS.items()},
    "stateless-type": (at("tools/call", lambda c, r, m: answer(c, r, {"resultType": "dance"}), stateless),
                       'the unknown type "dance"'),
    "stateless-unannounced": (at("tools/call", wants(SAMPLE), stateless), "which this client did not announce"),
    "stateless-task-lost": (at("tools/call", lambda c, r, m: answer(c, r, {
        "resultType": "task", "taskId": "t", "status": "working", "pollIntervalMs": 10}),
        at("tasks/get", lambda c, r, m: error(c, r, -32602, "no such task", "400 Bad Request"), stateless)),
        "error -32602: no such task"),
    "stateless-deaf-listener": (at("subscriptions/listen", silent, news), None),
    "stateless-listener-breaks": (at("subscriptions/listen", raw(b""), news), None),
    "stateless-listener-floods": (at("subscriptions/listen", lambda c, r, m: flood(
        EVENTS, b'data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n' * 100, 1 << 18)(c, r, m), news),
        None),
    "stateless-later-forever": (at("tools/call", wants(None), stateless), "tools/call"),
    "stateless-version": (at("tools/list", no_version, stateless), "error -32022"),
    "stateless-header": (at("tools/list", lambda c, r, m: error(c, r, -32020, "mismatch", "400 Bad Request"), stateless),
                         "error -32020: mismatch"),
}


class Server:
    def __init__(self):
        self.memory = {}
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            conn, _ = self.listener.accept()
            threading.Thread(target=self.serve, args=(conn,), daemon=True).start()

    def serve(self, conn):
        try:
            while True:
                r = read_request(conn)
                if not r:
                    return
                name = r.path.strip("/").partition("?")[0]
                FAULTS[name][0](conn, r, self.memory.setdefault(name, {}))
        except OSError:
            pass  # the client has had enough, which is what is asked for
        finally:
            conn.close()

    def url(self, name):
        return ("sse+" if name.startswith("sse-") else "") + "http://127.0.0.1:%d/%s" % (self.port, name)
