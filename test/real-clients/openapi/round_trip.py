"""Uses the client that openapi-python-client generated: round_trip.py URL TOKEN CA"""
import ssl
import sys

from orch_apiserver_client import AuthenticatedClient
from orch_apiserver_client.api.kitchen_example_com_v_1 import (
    create_kitchen_example_com_v1_namespaced_cup as create,
    delete_kitchen_example_com_v1_namespaced_cup as delete,
    list_kitchen_example_com_v1_namespaced_cup as list_,
    patch_kitchen_example_com_v1_namespaced_cup as patch,
    read_kitchen_example_com_v1_namespaced_cup as read,
)
from orch_apiserver_client.models import (
    ComExampleKitchenV1Cup as Cup,
    ComExampleKitchenV1CupSpec as CupSpec,
    ComExampleKitchenV1CupSpecMode as Mode,
    ComExampleKitchenV1CupSpecState as State,
    ComExampleKitchenV1Handle as Handle,
    IoK8SApimachineryPkgApisMetaV1ObjectMeta as ObjectMeta,
    IoK8SApimachineryPkgApisMetaV1Patch as Patch,
)

url, token, authority = sys.argv[1:]
client = AuthenticatedClient(base_url=url, token=token, verify_ssl=ssl.create_default_context(cafile=authority))
spec = CupSpec(litres=2, label="tea", handles=[Handle(name="left")], slot="upper", tags=["a", "b"], wishes=[], shelf=2, grid=[[1, 2], [3]], seal=None)
made = create.sync("default", client=client, body=Cup(metadata=ObjectMeta(name="typed"), spec=spec))
assert (made.spec.state, made.spec.wishes, made.spec.grid, made.spec.seal) == (State.VALUE_0, None, [[1, 2], [3]], None), made
assert made.spec.mode == Mode.MANUAL and made.metadata.uid, made

change = Patch.from_dict({"spec": {"litres": 5, "slot": 3}})
assert patch.sync("default", "typed", client=client, body=change).spec.litres == 5
found = read.sync("default", "typed", client=client)
assert (found.spec.slot, found.spec.handles[0].name, found.spec.tags) == (3, "left", ["a", "b"]), found
assert [one.metadata.name for one in list_.sync("default", client=client).items] == ["typed"]

refused = create.sync_detailed("default", client=client, body=Cup(spec=CupSpec(litres=99, label="", handles=[], wishes=[])))
assert refused.status_code == 422, refused
assert delete.sync_detailed("default", "typed", client=client).status_code == 200
print("works")
