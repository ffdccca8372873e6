"""Creates, reads, lists, patches and deletes the object of each kind with the classes of its model.

The arguments are a kubeconfig and the file of the samples. Prints a line for each kind whose life went well, and one for
each kind that the library does not have.
"""
import json
import re
import sys
from concurrent.futures import ThreadPoolExecutor

from kubernetes import client, config
from kubernetes.client.rest import ApiException
from kubernetes.utils import parse_quantity

config.load_kube_config(sys.argv[1])
API = client.ApiClient()
CORE = client.CoreV1Api(API)


class Answer:
    """What the library's decoder takes: a body of JSON."""

    def __init__(self, value):
        self.data = json.dumps(value)


def words(name):
    """PersistentVolume as the methods have it: persistent_volume."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def group_of(api_version):
    """The words for a group and version: those of rbac.authorization.k8s.io/v1 are RbacAuthorization and V1."""
    group, _, version = api_version.rpartition("/")
    words_of_group = group.removesuffix(".k8s.io").split(".") if group else ["core"]
    return "".join(word.capitalize() for word in words_of_group), version.capitalize()


def model_of(group, version, kind):
    """Kinds that several groups have are called after theirs."""
    for name in (version + kind, group + version + kind):
        if hasattr(client, name):
            return name
    return None


def canonical(value):
    """Times as the server writes them, and quantities by their value; the library changes both."""
    if isinstance(value, str) and value.endswith("+00:00"):
        return value.removesuffix("+00:00") + "Z"
    try:
        return parse_quantity(str(value))
    except ValueError:
        return value


def missing(got, sent, path=""):
    """The first field that was sent and is not there; empty ones are absent."""
    if isinstance(sent, dict):
        for name, value in sent.items():
            fault = missing((got or {}).get(name), value, f"{path}.{name}")
            if fault:
                return fault
    elif isinstance(sent, list):
        if len(got or []) != len(sent):
            return f"{path}: {sent}, got {got}"
        for index, value in enumerate(sent):
            fault = missing(got[index], value, f"{path}[{index}]")
            if fault:
                return fault
    elif sent is not None and got != sent and canonical(got) != canonical(sent):
        return f"{path}: {sent}, got {got}"
    return None


def holds(answer, sent):
    sent = {name: value for name, value in sent.items() if name != "stringData"}
    # Its answer is the rules alone.
    if sent.get("kind") == "SelfSubjectRulesReview":
        del sent["spec"]
    fault = missing(API.sanitize_for_serialization(answer), sent)
    assert fault is None, f"sent and not answered: {fault}"


def life(sample):
    group, version = group_of(sample["apiVersion"])
    kind, namespace = sample["kind"], sample["namespace"]
    model, apis = model_of(group, version, kind), getattr(client, f"{group}{version}Api", None)
    if model is None or apis is None:
        return "there is no model"
    place = [namespace] if namespace else []
    if namespace:
        CORE.create_namespace(client.V1Namespace(metadata=client.V1ObjectMeta(name=namespace)))

    def method(verb, part=""):
        return getattr(apis(API), f"{verb}_{'namespaced_' if namespace else ''}{words(kind)}{part}", None)

    body = API.deserialize(Answer({**sample["object"], "status": sample.get("status")}), model)
    holds(body, sample["object"])
    # The status is written through its sub-resource alone.
    sent = API.sanitize_for_serialization(body)
    reported = sent.pop("status", None)
    made = method("create")(*place, body)
    if method("read") is None:
        holds(made, sent)
        return "is answered"
    holds(made, sent)
    at = [made.metadata.name] + place
    holds(method("read")(*at), sent)
    change = {"metadata": {"annotations": {"example.com/patched": "yes"}, "finalizers": None}}
    holds(method("patch")(*at, change), {**sent, **change})
    if "status" in sample:
        holds(method("patch", "_status")(*at, {"status": reported}), {"status": reported})
    assert made.metadata.name in [one.metadata.name for one in method("list")(*place).items]
    method("delete")(*at, grace_period_seconds=0, propagation_policy="Background")
    try:
        # Controllers have the last word on namespaces and definitions.
        assert method("read")(*at).metadata.deletion_timestamp is not None, "it is not deleted"
    except ApiException as error:
        assert error.status == 404, error
    if namespace:
        CORE.delete_namespace(namespace)
    return "lives"


def report(sample):
    try:
        return f"{sample['apiVersion']} {sample['kind']}: {life(sample)}", None
    except Exception as error:
        return None, f"{sample['apiVersion']} {sample['kind']}: {type(error).__name__} {error}"


with open(sys.argv[2]) as file:
    SAMPLES = json.load(file)
with ThreadPoolExecutor(8) as pool:
    REPORTS = list(pool.map(report, SAMPLES))
for line, _ in REPORTS:
    if line:
        print(line)
FAULTS = [fault for _, fault in REPORTS if fault]
sys.exit("\n".join(FAULTS) if FAULTS else 0)
