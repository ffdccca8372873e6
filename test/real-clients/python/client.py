"""Uses an API server as Python programs do: typed and dynamic clients, watches, all kinds of patches, and errors.

The argument is a kubeconfig.
"""
import sys

from kubernetes import client, config, dynamic, watch
from kubernetes.client.rest import ApiException


def typed(core, namespace):
    body = client.V1ConfigMap(metadata=client.V1ObjectMeta(name="typed", labels={"app": "one"}), data={"a": "1"})
    made = core.create_namespaced_config_map(namespace, body)
    made.data["b"] = "2"
    replaced = core.replace_namespaced_config_map("typed", namespace, made)
    assert replaced.data == {"a": "1", "b": "2"}, replaced.data
    try:
        core.replace_namespaced_config_map("typed", namespace, client.V1ConfigMap(metadata=made.metadata))
        raise AssertionError("a stale version was taken")
    except ApiException as error:
        assert error.status == 409, error
    merged = core.patch_namespaced_config_map("typed", namespace, {"data": {"a": None}})
    assert merged.data == {"b": "2"}, merged.data
    by_operations = core.patch_namespaced_config_map("typed", namespace, [{"op": "replace", "path": "/data/b", "value": "3"}])
    assert by_operations.data == {"b": "3"}, by_operations.data
    owners = [entry.manager for entry in by_operations.metadata.managed_fields]
    assert owners == ["OpenAPI-Generator"], owners


def watched(core, namespace):
    start = core.list_namespaced_config_map(namespace).metadata.resource_version
    for index in range(5):
        core.create_namespaced_config_map(namespace, client.V1ConfigMap(metadata=client.V1ObjectMeta(name=f"seen-{index}")))
    core.delete_namespaced_config_map("seen-0", namespace)
    told = []
    stream = watch.Watch()
    for event in stream.stream(core.list_namespaced_config_map, namespace, resource_version=start, timeout_seconds=60):
        told.append((event["type"], event["object"].metadata.name))
        if event["type"] == "DELETED":
            stream.stop()
    assert told == [("ADDED", f"seen-{index}") for index in range(5)] + [("DELETED", "seen-0")], told


def paged(core, namespace):
    names, token = [], None
    while True:
        page = core.list_namespaced_config_map(namespace, limit=2, _continue=token)
        names += [item.metadata.name for item in page.items]
        token = page.metadata._continue
        if not token:
            break
    assert names == sorted(names) and "seen-4" in names, names


def applied(api, namespace):
    maps = dynamic.DynamicClient(api).resources.get(api_version="v1", kind="ConfigMap")
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "applied", "namespace": namespace}, "data": {"a": "1"}}
    first = maps.server_side_apply(body=body, name="applied", namespace=namespace, field_manager="one")
    assert first.data.a == "1"
    body["data"]["a"] = "2"
    try:
        maps.server_side_apply(body=body, name="applied", namespace=namespace, field_manager="two")
        raise AssertionError("another manager's field was taken without force")
    except ApiException as error:
        assert error.status == 409, error
    forced = maps.server_side_apply(body=body, name="applied", namespace=namespace, field_manager="two", force_conflicts=True)
    assert forced.data.a == "2"


def refused(core, namespace):
    try:
        core.create_namespaced_config_map(namespace, client.V1ConfigMap(metadata=client.V1ObjectMeta(name="Not A Name")))
        raise AssertionError("a bad name was taken")
    except ApiException as error:
        assert error.status == 422 and "metadata.name" in error.body, error


def main():
    config.load_kube_config(sys.argv[1])
    core, api = client.CoreV1Api(), client.ApiClient()
    namespace = core.create_namespace(client.V1Namespace(metadata=client.V1ObjectMeta(generate_name="python-"))).metadata.name
    for part in (typed, watched, paged, refused):
        part(core, namespace)
        print(part.__name__, "works")
    applied(api, namespace)
    print("applied works")
    core.delete_namespace(namespace)


main()
