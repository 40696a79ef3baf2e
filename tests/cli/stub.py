"""A small API server for tests of the command line: objects in a dict, served over plain HTTP, deterministic to the byte.

It does what clients rely on (discovery, get, list with chunks and label selectors, Tables, create, update, merge, JSON-less patch, delete,
watch) and nothing else, so that the same fixed objects can be shown to svcsim and to the real kubectl.
"""

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

from svcsim.meta.label_selectors import parse_labels

TYPES = (
    # group, version, plural, kind, namespaced, short names, categories, subresources
    ("", "v1", "configmaps", "ConfigMap", True, ["cm"], [], []),
    ("", "v1", "endpoints", "Endpoints", True, ["ep"], [], []),
    ("", "v1", "events", "Event", True, ["ev"], [], []),
    ("", "v1", "namespaces", "Namespace", False, ["ns"], [], ["status", "finalize"]),
    ("", "v1", "nodes", "Node", False, ["no"], [], ["status"]),
    ("", "v1", "pods", "Pod", True, ["po"], ["all"], ["log", "status"]),
    ("", "v1", "secrets", "Secret", True, [], [], []),
    ("", "v1", "serviceaccounts", "ServiceAccount", True, ["sa"], [], ["token"]),
    ("", "v1", "services", "Service", True, ["svc"], ["all"], ["status"]),
    ("", "v1", "limitranges", "LimitRange", True, ["limits"], [], []),
    ("", "v1", "resourcequotas", "ResourceQuota", True, ["quota"], [], ["status"]),
    ("apps", "v1", "deployments", "Deployment", True, ["deploy"], ["all"], ["scale", "status"]),
    ("apps", "v1", "replicasets", "ReplicaSet", True, ["rs"], ["all"], ["scale", "status"]),
    ("coordination.k8s.io", "v1", "leases", "Lease", True, [], [], []),
    ("discovery.k8s.io", "v1", "endpointslices", "EndpointSlice", True, [], [], []),
    ("example.com", "v1", "widgets", "Widget", True, ["wd"], [], []),
)
VERBS = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"]


VERSION = {"major": "1", "minor": "34", "gitVersion": "v1.34.0+svcsim0.1.0"}


class Stub:
    """The server and its objects. ``requests`` remembers what was asked."""

    def __init__(self, objects=(), logs=None):
        self.objects = {}
        self.revision = 100
        self.requests = []
        self.logs = logs or {}
        self.warnings = []
        self.version = VERSION
        self.watch_s = 5.0
        self.oldest = 0
        """Watches from before this revision are refused."""
        self.changed = threading.Condition()
        self.history = []
        for obj in objects:
            self.put(obj)
        stub = self

        class Handler(_Handler):
            server_stub = stub

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.block_on_close = False
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.002}, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *raised):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()

    def wait_for_request(self, part, times=1):
        """Wait until that many requests with ``part`` in their path have come."""
        with self.changed:
            assert self.changed.wait_for(lambda: sum(part in path for _, path, _ in list(self.requests)) >= times, timeout=10)

    def put(self, obj, event=None):
        obj = json.loads(json.dumps(obj))
        row = next(row for row in TYPES if row[3] == obj["kind"] and _api_version(row) == obj["apiVersion"])
        metadata = obj.setdefault("metadata", {})
        if row[4]:
            metadata.setdefault("namespace", "default")
        self.revision += 1
        metadata.setdefault("uid", f"00000000-0000-4000-8000-{self.revision:012d}")
        metadata.setdefault("creationTimestamp", "2124-01-31T12:00:00Z")
        metadata["resourceVersion"] = str(self.revision)
        key = (row[2], metadata.get("namespace", ""), metadata["name"])
        with self.changed:
            self.history.append((self.revision, event or ("MODIFIED" if key in self.objects else "ADDED"), key, obj))
            self.objects[key] = obj
            self.changed.notify_all()
        return obj

    def remove(self, key):
        with self.changed:
            self.revision += 1
            obj = self.objects.pop(key)
            self.history.append((self.revision, "DELETED", key, obj))
            self.changed.notify_all()
        return obj


def _api_version(row):
    return f"{row[0]}/{row[1]}" if row[0] else row[1]


def _table(row, objects, metadata):
    return {
        "kind": "Table",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": metadata,
        "columnDefinitions": [
            {"name": "Name", "type": "string", "format": "name", "description": "", "priority": 0},
            {"name": "Status", "type": "string", "format": "", "description": "", "priority": 0},
            {"name": "Uid", "type": "string", "format": "", "description": "", "priority": 1},
        ],
        "rows": [
            {
                "cells": [o["metadata"]["name"], o.get("status", {}).get("phase", "Active"), o["metadata"]["uid"]],
                "object": {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": o["metadata"]},
            }
            for o in objects
        ],
    }


def merge(target, patch):
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merge(result.get(key), value)
    return result


def json_patch(target, operations):
    target = json.loads(json.dumps(target))
    for operation in operations:
        *way, last = operation["path"].split("/")[1:]
        place = target
        for part in way:
            place = place[int(part)] if isinstance(place, list) else place[part]
        if operation["op"] == "remove":
            del place[last]
        else:
            place[last] = operation["value"]
    return target


def _scale(obj):
    metadata = {key: obj["metadata"][key] for key in ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")}
    return {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": metadata,
        "spec": {"replicas": obj["spec"]["replicas"]},
        "status": {"replicas": obj["status"]["replicas"]},
    }


def labels_match(selector, labels):
    return parse_labels(selector).matches(labels)


def field(obj, path):
    for part in path.split("."):
        obj = (obj or {}).get(part)
    return obj or ""


def fields_match(selector, obj):
    for part in filter(None, selector.split(",")):
        if "!=" in part:
            path, _, value = part.partition("!=")
            if field(obj, path) == value:
                return False
            continue
        path, _, value = part.replace("==", "=").partition("=")
        if field(obj, path) != value:
            return False
    return True


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body in one packet, which nobody has to acknowledge in between

    def log_message(self, *args):
        pass

    def do_GET(self):
        stub, url = self.server_stub, urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        with stub.changed:
            stub.requests.append((self.command, self.path, None))
            stub.changed.notify_all()
        if url.path == "/version":
            return self.answer(stub.version)
        if url.path in ("/api", "/apis"):
            return self.answer(self.groups("named" if url.path == "/apis" else ""))
        found = self.locate(url.path)
        if found is None:
            return self.status(404, "NotFound", "the server could not find the requested resource")
        return self.get_object(query, *found)

    def get_object(self, query, row, namespace, name, sub):
        stub = self.server_stub
        if sub == "log":
            return self.raw(stub.logs.get((namespace, name, query.get("container", "")), "").encode(), "text/plain")
        if name:
            obj = stub.objects.get((row[2], namespace, name))
            if obj is None:
                return self.not_found(row, name)
            if sub == "scale":
                return self.answer(_scale(obj))
            return self.answer(_table(row, [obj], {"resourceVersion": obj["metadata"]["resourceVersion"]}) if self.wants_table() else obj)
        if query.get("watch") in ("true", "1"):
            return self.watch(row, namespace, query)
        return self.list(row, namespace, query)

    def list(self, row, namespace, query):
        stub = self.server_stub
        keys = sorted(key for key in stub.objects if key[0] == row[2] and namespace in ("", key[1]))
        objects = [stub.objects[key] for key in keys]
        objects = [o for o in objects if labels_match(query.get("labelSelector", ""), o["metadata"].get("labels") or {})]
        objects = [o for o in objects if fields_match(query.get("fieldSelector", ""), o)]
        start, limit = int(query.get("continue", "0")), int(query.get("limit", "0")) or len(objects)
        page, metadata = objects[start : start + limit], {"resourceVersion": str(stub.revision)}
        if start + limit < len(objects):
            metadata |= {"continue": str(start + limit), "remainingItemCount": len(objects) - start - limit}
        if self.wants_table():
            return self.answer(_table(row, page, metadata))
        items = [{key: value for key, value in o.items() if key not in ("kind", "apiVersion")} for o in page]
        return self.answer({"kind": f"{row[3]}List", "apiVersion": _api_version(row), "metadata": metadata, "items": items})

    def watch(self, row, namespace, query):
        stub, seen = self.server_stub, int(query.get("resourceVersion") or 0)
        if seen < stub.oldest:
            self.status(410, "Expired", f"too old resource version: {seen} ({stub.oldest})")
            return
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.flush()
        self.close_connection = True
        ends = time.monotonic() + float(query.get("timeoutSeconds", stub.watch_s))  # noqa: TID251 - a server in real time
        index = 0
        while True:
            with stub.changed:
                stub.changed.wait_for(lambda: index < len(stub.history), timeout=ends - time.monotonic())  # noqa: B023, TID251 - called here and now, in real time
                if index >= len(stub.history):
                    return
                events, index = stub.history[index:], len(stub.history)
            for revision, kind, key, obj in events:
                if (
                    revision <= seen
                    or key[0] != row[2]
                    or namespace not in ("", key[1])
                    or not fields_match(query.get("fieldSelector", ""), obj)
                ):
                    continue
                shown = _table(row, [obj], {"resourceVersion": str(revision)}) if self.wants_table() else obj
                self.wfile.write(json.dumps({"type": kind, "object": shown}).encode() + b"\n")
                self.wfile.flush()

    def do_POST(self):
        body, stub = self.body(), self.server_stub
        row, namespace, _, _ = self.locate(urlsplit(self.path).path)
        body.setdefault("metadata", {})
        if row[4]:
            body["metadata"]["namespace"] = namespace
        name = body["metadata"]["name"]
        if (row[2], namespace, name) in stub.objects:
            return self.status(
                409, "AlreadyExists", f'{row[2]}{"." if row[0] else ""}{row[0]} "{name}" already exists', {"name": name, "kind": row[2]}
            )
        return self.answer(body if "dryRun" in self.path else stub.put(body), 201)

    def do_PUT(self):
        body, stub = self.body(), self.server_stub
        row, namespace, name, _ = self.locate(urlsplit(self.path).path)
        old = stub.objects.get((row[2], namespace, name))
        if old is None:
            return self.not_found(row, name)
        for key in ("uid", "creationTimestamp"):
            body["metadata"][key] = old["metadata"][key]
        return self.answer(stub.put(body))

    def do_PATCH(self):
        body, stub = self.body(), self.server_stub
        row, namespace, name, sub = self.locate(urlsplit(self.path).path)
        old = stub.objects.get((row[2], namespace, name))
        if old is None:
            return self.not_found(row, name)
        new = json_patch(old, body) if isinstance(body, list) else merge(old, body)
        if sub == "scale":
            return self.answer(_scale(stub.put(new)))
        return self.answer(old if new == old else new if "dryRun" in self.path else stub.put(new))

    def do_DELETE(self):
        self.body()
        stub = self.server_stub
        row, namespace, name, _ = self.locate(urlsplit(self.path).path)
        if (row[2], namespace, name) not in stub.objects:
            return self.not_found(row, name)
        return self.answer(stub.objects[row[2], namespace, name] if "dryRun" in self.path else stub.remove((row[2], namespace, name)))

    # --- answering ---

    def locate(self, path):
        parts = [unquote(part) for part in path.strip("/").split("/")]
        version = parts[1] if parts[0] == "api" else "/".join(parts[1:3])
        rest = parts[2:] if parts[0] == "api" else parts[3:]
        namespace = ""
        if len(rest) > 2 and rest[0] == "namespaces" and any(row[2] == rest[2] for row in TYPES):
            namespace, rest = rest[1], rest[2:]
        row = next((row for row in TYPES if rest and _api_version(row) == version and row[2] == rest[0]), None)
        return row and (row, namespace, rest[1] if len(rest) > 1 else "", rest[2] if len(rest) > 2 else "")

    def groups(self, which):
        items = {}
        for group, version, plural, kind, namespaced, short, categories, subs in TYPES:
            if bool(group) != bool(which):
                continue
            entry = {
                "resource": plural,
                "responseKind": {"group": group, "version": version, "kind": kind},
                "scope": "Namespaced" if namespaced else "Cluster",
                "singularResource": kind.lower(),
                "verbs": VERBS,
                "shortNames": short,
                "categories": categories,
                "subresources": [
                    {
                        "subresource": sub,
                        "responseKind": {"group": group, "version": version, "kind": kind},
                        "verbs": ["get", "patch", "update"],
                    }
                    for sub in subs
                ],
            }
            items.setdefault(
                group,
                {
                    "metadata": {"name": group, "creationTimestamp": None},
                    "versions": [{"version": version, "resources": [], "freshness": "Current"}],
                },
            )
            items[group]["versions"][0]["resources"].append(entry)
        return {"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "metadata": {}, "items": list(items.values())}

    def accept(self):
        return self.headers.get("Accept", "")

    def wants_table(self):
        return "as=Table" in self.accept()

    def body(self):
        text = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = json.loads(text) if text else {}
        self.server_stub.requests.append((self.command, self.path, body))
        return body

    def not_found(self, row, name):
        resource = f"{row[2]}.{row[0]}" if row[0] else row[2]
        self.status(404, "NotFound", f'{resource} "{name}" not found', {"name": name, "group": row[0], "kind": row[2]})

    def status(self, code, reason, message, details=None):
        self.answer(
            {
                "kind": "Status",
                "apiVersion": "v1",
                "metadata": {},
                "status": "Failure",
                "message": message,
                "reason": reason,
                "details": details or {},
                "code": code,
            },
            code,
        )

    def answer(self, value, code=200):
        kind = "application/json"
        if value.get("kind") == "APIGroupDiscoveryList":
            kind += ";g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
        self.raw(json.dumps(value).encode(), kind, code)

    def raw(self, body, content_type, code=200):
        self.send_response(code)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        if self.server_stub.warnings and "/namespaces/" in self.path:
            self.send_header("Warning", ", ".join(self.server_stub.warnings))
        self.end_headers()
        self.wfile.write(body)
