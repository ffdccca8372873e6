"""A kopf operator of ovens, and what its author would try: create, change and delete an oven while it runs.

The argument is the file of the definition. kopf reads the kubeconfig that KUBECONFIG names.
"""
import logging
import sys
import threading
import time

import kopf
import yaml
from kubernetes import client, config, utils
from kubernetes.client.rest import ApiException

OVENS = ("bakery.example.com", "v1", "default", "ovens")
cooled = threading.Event()


@kopf.on.startup()
def configure(settings, **_):
    # The schema of ovens has no place for kopf's own notes in the status.
    settings.persistence.progress_storage = kopf.AnnotationsProgressStorage()


@kopf.on.create("bakery.example.com", "v1", "ovens")
@kopf.on.update("bakery.example.com", "v1", "ovens")
def heat(spec, meta, patch, name, namespace, **_):
    buns = sum(tray["buns"] for tray in spec.get("trays", []))
    menu = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"buns": str(buns)}}
    kopf.adopt(menu)
    core = client.CoreV1Api()
    try:
        core.create_namespaced_config_map(namespace, menu)
    except ApiException as error:
        if error.status != 409:
            raise
        core.patch_namespaced_config_map(name, namespace, menu)
    patch.status["phase"] = "Hot"
    patch.status["observedGeneration"] = meta["generation"]


@kopf.on.delete("bakery.example.com", "v1", "ovens")
def cool(**_):
    cooled.set()


def until(condition):
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            if condition():
                return
        except ApiException as error:
            if error.status != 404:
                raise
        time.sleep(0.02)
    raise AssertionError("that did not happen in time")


def gone(read):
    try:
        read()
    except ApiException as error:
        return error.status == 404
    return False


def main():
    logging.disable()
    config.load_kube_config()
    with open(sys.argv[1]) as text:
        utils.create_from_dict(client.ApiClient(), yaml.safe_load(text))
    ready, stop = threading.Event(), threading.Event()
    operator = threading.Thread(
        target=kopf.run, kwargs={"standalone": True, "namespaces": ["default"], "ready_flag": ready, "stop_flag": stop}
    )
    operator.start()
    try:
        ready.wait()
        customs, core = client.CustomObjectsApi(), client.CoreV1Api()
        body = {"apiVersion": "bakery.example.com/v1", "kind": "Oven", "metadata": {"name": "one"}, "spec": {"degrees": 200}}
        until(lambda: customs.create_namespaced_custom_object(*OVENS, body))
        read = lambda: customs.get_namespaced_custom_object(*OVENS, "one")
        menu = lambda: core.read_namespaced_config_map("one", "default")
        until(lambda: read().get("status", {}).get("observedGeneration") == 1 and menu().data == {"buns": "0"})
        assert read()["metadata"]["finalizers"], read()
        print("creation works")
        customs.patch_namespaced_custom_object(*OVENS, "one", {"spec": {"trays": [{"name": "top", "buns": 6}]}})
        until(lambda: read()["status"]["observedGeneration"] == 2 and menu().data == {"buns": "6"})
        print("change works")
        customs.delete_namespaced_custom_object(*OVENS, "one")
        until(lambda: gone(read) and gone(menu))
        assert cooled.is_set()
        print("deletion works")
    finally:
        stop.set()
        operator.join()


main()
