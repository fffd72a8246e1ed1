"""Other people's MCP servers for "make peers", in pinned versions. {dir} is a scratch folder of the server's own, {cache} the
folder that packages land in, {port} a free port, {store} the port of the database that it speaks to (stores.py)."""

from collections import namedtuple

# name: in the list that is imported; source: npm, pypi, pypi1 (on the first generation of the Python SDK) or alone (of PyPI,
# beside no other);
# program: below node_modules or bin; tools: how many at least; tool, arguments, says: a call and what its answer holds;
# url: the path of one that is reached over HTTP; kind: what the list says of it; ci: one of those that CI runs; store: its database.
Peer = namedtuple("Peer", "name source package program args env protocol tools tool arguments says url kind ci exits store",
                  defaults=("", "", False, 0, ""))

NPM = "@modelcontextprotocol/"
NOTE = "written by the test"
ADA = {"entities": [{"name": "Ada", "entityType": "person", "observations": ["counts"]}]}
SUM = "add", {"a": 40, "b": 2}, "42"
MATH = "math", {"expression": "6*7"}, "42"
STATELESS = "2026-07-28"
NEW = "2025-11-25"

PEERS = [
    # --- over stdio
    Peer("everything", "npm", NPM + "server-everything@2026.8.31", NPM + "server-everything/dist/index.js", ["stdio"], {}, NEW, 13,
         "get-sum", {"a": 2, "b": 40}, "42", ci=True),
    Peer("filesystem", "npm", NPM + "server-filesystem@2026.8.31", NPM + "server-filesystem/dist/index.js", ["{dir}"], {}, NEW, 10,
         "read_text_file", {"path": "{dir}/note.txt"}, NOTE, ci=True),
    Peer("memory", "npm", NPM + "server-memory@2026.8.31", NPM + "server-memory/dist/index.js", [],
         {"MEMORY_FILE_PATH": "{dir}/memory.jsonl"}, NEW, 9, "create_entities", ADA, "Ada", ci=True),
    Peer("thinking", "npm", NPM + "server-sequential-thinking@2026.8.31", NPM + "server-sequential-thinking/dist/index.js", [], {},
         NEW, 1, "sequentialthinking", {"thought": "one", "nextThoughtNeeded": False, "thoughtNumber": 1, "totalThoughts": 1},
         "thoughtHistoryLength"),
    Peer("commands", "npm", "mcp-server-commands@0.5.0", ".bin/mcp-server-commands", [], {}, "2024-11-05", 1,
         "run_command", {"command": "expr 6 \\* 7"}, "42", ci=True),
    Peer("calc", "npm", "@coo-quack/calc-mcp@2.1.1", ".bin/calc-mcp", [], {}, NEW, 20, *MATH, ci=True),
    Peer("time", "npm", "time-mcp@1.0.6", ".bin/time-mcp", [], {}, NEW, 6, "days_in_month", {"date": "2024-02-10"}, "29", ci=True),
    Peer("hello", "npm", "mcp-hello-world@1.1.2", ".bin/mcp-hello-world", [], {}, NEW, 3, *SUM),
    # a Go program; a failing call is exit 1 and says why
    Peer("excel", "npm", "@negokaz/excel-mcp-server@0.12.0", ".bin/excel-mcp-server", [], {}, "2025-03-26", 6,
         "excel_describe_sheets", {"fileAbsolutePath": "{dir}/none.xlsx"}, "no such file", exits=1),
    Peer("sqlite-a", "npm", "mcp-sqlite@1.0.9", ".bin/mcp-sqlite-server", ["{dir}/a.db"], {}, NEW, 8,
         "query", {"sql": "select 6*7 as n"}, "42"),
    Peer("sqlite-b", "npm", "mcp-server-sqlite-npx@0.8.0", ".bin/mcp-server-sqlite-npx", ["{dir}/b.db"], {}, NEW, 5,
         "read_query", {"query": "select 6*7 as n"}, "42"),
    Peer("dbhub", "npm", "@bytebase/dbhub@0.21.2", ".bin/dbhub", ["--transport", "stdio", "--demo"], {}, NEW, 2,
         "execute_sql", {"sql": "select 6*7 as n"}, "42"),
    Peer("git-a", "npm", "@cyanheads/git-mcp-server@2.15.3", ".bin/git-mcp-server", [],
         {"MCP_TRANSPORT_TYPE": "stdio", "GIT_BASE_DIR": "{dir}"}, NEW, 28, "git_status", {"path": "{dir}/repo"}, "main"),
    Peer("git-b", "npm", "mcp-git@0.0.4", ".bin/mcp-git", [], {}, NEW, 15, "git_status", {"repo_path": "{dir}/repo"}, "main"),
    Peer("echarts", "npm", "mcp-echarts@0.7.1", ".bin/mcp-echarts", [], {}, NEW, 17,
         "generate_pie_chart", {"data": [{"category": "a", "value": 1}], "outputType": "option"}, "pie"),
    # its author keeps two eras on one stdio; where it starts slowly, the older one is found first
    Peer("pdf", "npm", "@mcp-z/mcp-pdf@3.2.2", ".bin/mcp-pdf", [], {"HOME": "{dir}"}, (STATELESS, NEW), 5, "", {}, ""),
    Peer("monitor", "npm", NPM + "server-system-monitor@2.0.3", NPM + "server-system-monitor/dist/index.js", ["--stdio"], {}, NEW,
         2, "get-system-info", {}, "cpu"),
    Peer("shrimp", "npm", "mcp-shrimp-task-manager@1.0.21", ".bin/mcp-shrimp-task-manager", [],
         {"DATA_DIR": "{dir}", "ENABLE_GUI": "false", "TEMPLATES_USE": "en"}, NEW, 15, "list_tasks", {"status": "all"}, ""),
    Peer("tasks", "npm", "@kazuph/mcp-taskmanager@1.1.1", ".bin/mcp-taskmanager", [],
         {"TASK_MANAGER_FILE_PATH": "{dir}/tasks.json"}, NEW, 10, "list_requests", {}, ""),
    Peer("desktop", "npm", "@wonderwhy-er/desktop-commander@0.2.52", ".bin/desktop-commander", [], {"HOME": "{dir}"}, NEW, 20,
         "read_file", {"path": "{dir}/note.txt"}, NOTE),
    Peer("obsidian", "npm", "obsidian-mcp@1.0.6", ".bin/obsidian-mcp", ["{cache}/vault"], {}, "2024-11-05", 11,
         "list-available-vaults", {}, "vault"),
    Peer("fast-files", "npm", "fast-filesystem-mcp@3.5.2", ".bin/fast-filesystem-mcp", ["{dir}"], {}, NEW, 20,
         "fast_read_file", {"path": "{dir}/note.txt"}, NOTE),
    # lists its tools, and fails: the program that it calls is not there
    Peer("ast-grep", "npm", "@notprolands/ast-grep-mcp@1.1.1", ".bin/ast-grep-mcp", [], {}, NEW, 5, "", {}, ""),
    Peer("git-py", "pypi", "mcp-server-git==2026.10.19", "mcp-server-git", [], {}, STATELESS, 12,
         "git_status", {"repo_path": "{dir}/repo"}, "main"),
    Peer("time-py", "pypi", "mcp-server-time==2026.10.19", "mcp-server-time", ["--local-timezone", "UTC"], {}, STATELESS, 2,
         "convert_time", {"source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Tokyo"}, "21:00"),
    Peer("fetch-py", "pypi", "mcp-server-fetch==2026.10.24", "mcp-server-fetch", ["--ignore-robots-txt", "--allow-private-ips"], {}, STATELESS, 1,
         "fetch", {"url": "{site}/page.html"}, NOTE),
    Peer("sqlite-py", "pypi1", "mcp-server-sqlite==2025.4.25", "mcp-server-sqlite", ["--db-path", "{dir}/c.db"], {}, NEW, 6,
         "read_query", {"query": "select 6*7 as n"}, "42"),
    Peer("sums-py", "pypi", "fastmcp==4.2.3", "python", ["{here}/sums.py", "stdio"], {}, STATELESS, 1, *SUM),
    # tasks of the newest revision, one of which asks for input
    Peer("tasks-py", "alone", "fastmcp-tasks==4.1.4", "python", ["{here}/tasks.py", "stdio"], {}, STATELESS, 2, "ask", {},
         "accept {'count': 42}"),
    # these two do not end when their input does, the second one once it has been asked
    Peer("redis", "npm", NPM + "server-redis@2025.4.25", NPM + "server-redis/dist/index.js", ["redis://127.0.0.1:{store}"], {}, NEW, 4,
         "set", {"key": "k", "value": "v"}, "Successfully set", store="redis"),
    Peer("postgres", "npm", NPM + "server-postgres@0.6.2", NPM + "server-postgres/dist/index.js",
         ["postgresql://postgres@127.0.0.1:{store}/postgres"], {}, "2024-11-05", 1, "query", {"sql": "select 6*7 as n"}, "42",
         store="postgres"),
    # --- by HTTP and one event stream, as in 2024
    Peer("everything-sse", "npm", NPM + "server-everything@2026.8.31", NPM + "server-everything/dist/index.js", ["sse"],
         {"PORT": "{port}"}, NEW, 13, "get-sum", {"a": 2, "b": 40}, "42", "/sse", "sse", True),
    Peer("hello-sse", "npm", "mcp-hello-world@1.1.2", "mcp-hello-world/build/http.js", [], {"PORT": "{port}"}, NEW, 3, *SUM, "/sse",
         "sse"),
    Peer("sums-sse", "pypi", "fastmcp==4.2.3", "python", ["{here}/sums.py", "sse", "{port}"], {}, STATELESS, 1, *SUM, "/sse", "sse"),
    Peer("gateway-sse", "npm", "supergateway@4.0.0", ".bin/supergateway", ["--stdio", "{node} {npm}/.bin/calc-mcp", "--port", "{port}"],
         {}, NEW, 20, *MATH, "/sse", "sse"),
    # --- by streamable HTTP
    Peer("everything-http", "npm", NPM + "server-everything@2026.8.31", NPM + "server-everything/dist/index.js", ["streamableHttp"],
         {"PORT": "{port}"}, NEW, 13, "get-sum", {"a": 2, "b": 40}, "42", "/mcp", "streamable-http", True),
    Peer("dbhub-http", "npm", "@bytebase/dbhub@0.21.2", ".bin/dbhub", ["--transport", "http", "--port", "{port}", "--demo"], {}, NEW,
         2, "execute_sql", {"sql": "select 6*7 as n"}, "42", "/mcp", "http"),
    Peer("monitor-http", "npm", NPM + "server-system-monitor@2.0.3", NPM + "server-system-monitor/dist/index.js", [],
         {"PORT": "{port}"}, NEW, 2, "get-system-info", {}, "cpu", "/mcp", ""),
    Peer("git-http", "npm", "@cyanheads/git-mcp-server@2.15.3", ".bin/git-mcp-server", [],
         {"MCP_TRANSPORT_TYPE": "http", "MCP_HTTP_PORT": "{port}", "GIT_BASE_DIR": "{dir}"}, NEW, 28,
         "git_status", {"path": "{dir}/repo"}, "main", "/mcp", "http"),
    Peer("gateway-stateless", "npm", "supergateway@4.0.0", ".bin/supergateway",
         ["--stdio", "{node} {npm}/.bin/calc-mcp", "--port", "{port}", "--outputTransport", "streamableHttp"], {}, NEW, 20, *MATH,
         "/mcp", ""),
    Peer("gateway-stateful", "npm", "supergateway@4.0.0", ".bin/supergateway",
         ["--stdio", "{node} {npm}/.bin/calc-mcp", "--port", "{port}", "--outputTransport", "streamableHttp", "--stateful"], {}, NEW,
         20, *MATH, "/mcp", ""),
    # one port, both eras: the newer by itself, the older because the manifest pins it
    Peer("proxy", "npm", "mcp-proxy@6.7.19", ".bin/mcp-proxy",
         ["--port", "{port}", "--host", "127.0.0.1", "{node}", "{npm}/.bin/calc-mcp"], {}, STATELESS, 20, *MATH, "/mcp", ""),
    Peer("proxy-handshake", "npm", "mcp-proxy@6.7.19", ".bin/mcp-proxy",
         ["--port", "{port}", "--host", "127.0.0.1", "{node}", "{npm}/.bin/calc-mcp"], {}, NEW, 20, *MATH, "/mcp", ""),
    Peer("proxy-sse", "npm", "mcp-proxy@6.7.19", ".bin/mcp-proxy",
         ["--port", "{port}", "--host", "127.0.0.1", "{node}", "{npm}/.bin/calc-mcp"], {}, NEW, 20, *MATH, "/sse", "sse"),
    Peer("tasks-http", "alone", "fastmcp-tasks==4.1.4", "python", ["{here}/tasks.py", "http", "{port}"], {}, STATELESS, 2,
         "slow_sum", {"a": 40, "b": 2}, "42", "/mcp", "http"),
    Peer("sums-http", "pypi", "fastmcp==4.2.3", "python", ["{here}/sums.py", "http", "{port}"], {}, STATELESS, 1, *SUM, "/mcp", "http"),
]
