"""Uses a definition and its objects as Python programs do: CustomObjectsApi, the dynamic client, watches.

The arguments are a kubeconfig and the file of the definition.
"""
import sys

import yaml
from kubernetes import client, config, dynamic, utils, watch
from kubernetes.client.rest import ApiException

GROUP, VERSION, PLURAL, NAMESPACE = "bakery.example.com", "v1", "ovens", "default"
OVENS = (GROUP, VERSION, NAMESPACE, PLURAL)


def oven(name, **spec):
    return {"apiVersion": f"{GROUP}/{VERSION}", "kind": "Oven", "metadata": {"name": name}, "spec": {"degrees": 200, **spec}}


def refused(status, call, *arguments, **options):
    try:
        call(*arguments, **options)
    except ApiException as error:
        assert error.status == status, error
        return error.body if isinstance(error.body, str) else error.body.decode()
    raise AssertionError("that should have been refused")


def definition(api, file):
    definitions = client.ApiextensionsV1Api(api)
    with open(file) as text:
        body = yaml.safe_load(text)
    utils.create_from_dict(api, body)
    name = body["metadata"]["name"]
    stream = watch.Watch()
    for event in stream.stream(definitions.list_custom_resource_definition, field_selector=f"metadata.name={name}", timeout_seconds=60):
        conditions = event["object"].status.conditions or []
        if any(one.type == "Established" and one.status == "True" for one in conditions):
            stream.stop()
    read = definitions.read_custom_resource_definition(name)
    spec = read.spec.versions[0].schema.open_apiv3_schema.properties["spec"]
    assert spec.properties["door"].x_kubernetes_int_or_string, spec
    assert spec.x_kubernetes_validations[1].message == "the model of an oven stays", spec


def objects(api):
    customs = client.CustomObjectsApi(api)
    made = customs.create_namespaced_custom_object(*OVENS, oven("one"))
    assert made["spec"] == {"degrees": 200, "replicas": 1, "size": "Small"}, made
    made["spec"]["door"] = "40%"
    replaced = customs.replace_namespaced_custom_object(*OVENS, "one", made)
    assert replaced["metadata"]["generation"] == 2, replaced
    refused(409, customs.replace_namespaced_custom_object, *OVENS, "one", made)
    merged = customs.patch_namespaced_custom_object(*OVENS, "one", {"spec": {"door": None}})
    assert "door" not in merged["spec"], merged
    reported = customs.patch_namespaced_custom_object_status(*OVENS, "one", {"status": {"phase": "Hot"}, "spec": {"degrees": 30}})
    assert (reported["status"]["phase"], reported["spec"]["degrees"]) == ("Hot", 200), reported
    scaled = customs.patch_namespaced_custom_object_scale(*OVENS, "one", {"spec": {"replicas": 4}})
    assert scaled["spec"]["replicas"] == 4, scaled
    said = refused(422, customs.create_namespaced_custom_object, *OVENS, oven("hot", degrees=290))
    assert "an oven of size Small does not get that hot" in said, said
    listed = customs.list_cluster_custom_object(GROUP, VERSION, PLURAL, label_selector="!none")
    assert [one["metadata"]["name"] for one in listed["items"]] == ["one"], listed


def watched(api):
    customs = client.CustomObjectsApi(api)
    start = customs.list_namespaced_custom_object(*OVENS)["metadata"]["resourceVersion"]
    for index in range(3):
        customs.create_namespaced_custom_object(*OVENS, oven(f"seen-{index}"))
    customs.delete_namespaced_custom_object(*OVENS, "seen-0")
    told = []
    stream = watch.Watch()
    for event in stream.stream(customs.list_namespaced_custom_object, *OVENS, resource_version=start, timeout_seconds=60):
        told.append((event["type"], event["object"]["metadata"]["name"]))
        if event["type"] == "DELETED":
            stream.stop()
    assert told == [("ADDED", f"seen-{index}") for index in range(3)] + [("DELETED", "seen-0")], told


def found(api):
    ovens = dynamic.DynamicClient(api).resources.get(api_version=f"{GROUP}/{VERSION}", kind="Oven")
    assert (ovens.name, ovens.namespaced, ovens.short_names) == (PLURAL, True, ["ov"]), ovens
    for manager in ("top", "bottom"):
        body = oven("applied", trays=[{"name": manager}])
        ovens.server_side_apply(body=body, name="applied", namespace=NAMESPACE, field_manager=manager)
    applied = ovens.get(name="applied", namespace=NAMESPACE)
    assert [tray.name for tray in applied.spec.trays] == ["top", "bottom"], applied
    operations = [{"op": "remove", "path": "/spec/trays/0"}]
    ovens.patch(body=operations, name="applied", namespace=NAMESPACE, content_type="application/json-patch+json")
    assert [tray.name for tray in ovens.get(name="applied", namespace=NAMESPACE).spec.trays] == ["bottom"]
    ovens.status.patch(body={"status": {"phase": "Warm"}}, name="applied", namespace=NAMESPACE, content_type="application/merge-patch+json")
    assert ovens.get(name="applied", namespace=NAMESPACE).status.phase == "Warm"


def main():
    config.load_kube_config(sys.argv[1])
    api = client.ApiClient()
    definition(api, sys.argv[2])
    print("definition works")
    for part in (objects, watched, found):
        part(api)
        print(part.__name__, "works")


main()
