"""Speaks the compact encoding with nothing but the classes that protoc generates from the .proto files.

The arguments are the folder of the classes, the server's URL, a file with its certificate authority, and a token.
"""
import json
import ssl
import sys
import urllib.request

folder, url, authority, token = sys.argv[1:]
sys.path.insert(0, folder)

from com.example.kitchen.v1 import kitchen_pb2
from orch.api.core.v1 import core_pb2
from orch.runtime.v1 import runtime_pb2

MAGIC = b"k8s\0"
COMPACT = "application/vnd.kubernetes.protobuf"


def send(method, path, body=None, accept=COMPACT, content=COMPACT):
    headers = {"Authorization": f"Bearer {token}", "Accept": accept}
    if body is not None:
        headers["Content-Type"] = content
    request = urllib.request.Request(url + path, data=body, headers=headers, method=method)
    with urllib.request.urlopen(request, context=ssl.create_default_context(cafile=authority)) as answer:
        return answer.read()


def wrapped(api_version, kind, message):
    meta = runtime_pb2.TypeMeta(apiVersion=api_version, kind=kind)
    return MAGIC + runtime_pb2.Unknown(typeMeta=meta, raw=message.SerializeToString()).SerializeToString()


def unwrapped(body, message):
    """The message in an envelope. Writing it again gives the same bytes: nothing is unknown, nothing is lost."""
    assert body.startswith(MAGIC), body[:4]
    unknown = runtime_pb2.Unknown.FromString(body[len(MAGIC):])
    message.ParseFromString(unknown.raw)
    assert message.SerializeToString(deterministic=True) == unknown.raw, unknown.typeMeta
    return message


def maps():
    path = "/api/v1/namespaces/default/configmaps"
    made = core_pb2.ConfigMap(data={"b": "2", "a": "1"}, binaryData={"raw": b"\0\xff"})
    made.metadata.name = "made"
    made.metadata.labels["app"] = "one"
    answer = unwrapped(send("POST", path, wrapped("v1", "ConfigMap", made)), core_pb2.ConfigMap())
    assert answer.data == made.data and answer.binaryData == made.binaryData, answer
    assert answer.metadata.creationTimestamp.seconds > 0, answer
    assert not answer.HasField("immutable"), "an absent pointer is absent"
    answer.immutable = False
    replaced = unwrapped(send("PUT", f"{path}/made", wrapped("v1", "ConfigMap", answer)), core_pb2.ConfigMap())
    assert replaced.HasField("immutable") and not replaced.immutable, "false is not absent"
    listed = unwrapped(send("GET", path), core_pb2.ConfigMapList())
    assert "made" in [one.metadata.name for one in listed.items], listed


def pods():
    path = "/api/v1/namespaces/default/pods"
    container = {
        "name": "main",
        "image": "example.com/main:1",
        "ports": [{"containerPort": 8080}],
        "resources": {"limits": {"memory": "1Gi"}},
        "livenessProbe": {"httpGet": {"path": "/", "port": "web"}},
    }
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "made"}, "spec": {"containers": [container]}}
    send("POST", path, json.dumps(pod).encode(), accept="application/json", content="application/json")
    read = unwrapped(send("GET", f"{path}/made"), core_pb2.Pod())
    main = read.spec.containers[0]
    assert main.resources.limits["memory"].string == "1Gi", main
    port = main.livenessProbe.handler.httpGet.port
    assert (port.type, port.strVal) == (1, "web"), port
    assert json.loads(read.metadata.managedFields[0].fieldsV1.Raw)["f:spec"], read


def kettles():
    path = "/apis/kitchen.example.com/v1/namespaces/default/kettles"
    made = kitchen_pb2.Kettle()
    made.metadata.name = "made"
    made.spec.replicas = 2
    answer = unwrapped(send("POST", path, wrapped("kitchen.example.com/v1", "Kettle", made)), kitchen_pb2.Kettle())
    assert (answer.spec.replicas, answer.spec.mode) == (2, "Manual"), answer


for part in (maps, pods, kettles):
    part()
    print(f"{part.__name__} work")
