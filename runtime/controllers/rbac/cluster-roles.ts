/**
 * The ClusterRoles that exist from the first start (catalog rbac.yaml: clusterRoles). A user may add to them; what is
 * missing is added again at the next start.
 */
import { allow, type BootstrapRole, paths } from "./policy-words.ts"

export const clusterRoles: readonly BootstrapRole[] = [
  { name: "cluster-admin", rules: [allow("*", "*", "*"), paths("*", "*")] },
  {
    name: "system:discovery",
    rules: [paths("get", "/api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/")],
  },
  { name: "system:monitoring", rules: [paths("get", "/healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz /readyz/*")] },
  {
    name: "system:basic-user",
    rules: [
      allow("create", "authorization.orch.io", "selfsubjectaccessreviews selfsubjectrulesreviews"),
      allow("create", "authentication.orch.io", "selfsubjectreviews"),
    ],
  },
  { name: "system:public-info-viewer", rules: [paths("get", "/healthz /livez /readyz /version /version/")] },
  { name: "admin", aggregates: "admin", rules: [] },
  { name: "edit", aggregateTo: "admin", aggregates: "edit", rules: [] },
  { name: "view", aggregateTo: "edit", aggregates: "view", rules: [] },
  {
    name: "system:aggregate-to-admin",
    aggregateTo: "admin",
    rules: [
      allow("create", "authorization.orch.io", "localsubjectaccessreviews"),
      allow("create delete deletecollection get list patch update watch", "rbac.authorization.orch.io", "rolebindings roles"),
    ],
  },
  {
    name: "system:aggregate-to-edit",
    aggregateTo: "edit",
    rules: [
      allow("get list watch", "core", "pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy"),
      allow("impersonate", "core", "serviceaccounts"),
      allow("create delete deletecollection patch update", "core", "pods pods/attach pods/exec pods/portforward pods/proxy"),
      allow("create", "core", "pods/eviction"),
      allow(
        "create delete deletecollection patch update",
        "core",
        "configmaps events persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy",
      ),
      allow("create", "core", "serviceaccounts/token"),
      allow(
        "create delete deletecollection patch update",
        "apps",
        "daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale statefulsets statefulsets/scale",
      ),
      allow("create delete deletecollection patch update", "autoscaling", "horizontalpodautoscalers"),
      allow("create delete deletecollection patch update", "batch", "cronjobs jobs"),
      allow(
        "create delete deletecollection patch update",
        "extensions",
        "daemonsets deployments deployments/rollback deployments/scale ingresses networkpolicies replicasets replicasets/scale replicationcontrollers/scale",
      ),
      allow("create delete deletecollection patch update", "policy", "poddisruptionbudgets"),
      allow("create delete deletecollection patch update", "networking.orch.io", "ingresses networkpolicies"),
      allow("create delete deletecollection get list patch update watch", "coordination.orch.io", "leases"),
    ],
  },
  {
    name: "system:aggregate-to-view",
    aggregateTo: "view",
    rules: [
      allow(
        "get list watch",
        "core",
        "configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status",
      ),
      allow(
        "get list watch",
        "core",
        "bindings events limitranges namespaces/status pods/log pods/status replicationcontrollers/status resourcequotas resourcequotas/status",
      ),
      allow("get list watch", "core", "namespaces"),
      allow("get list watch", "discovery.orch.io", "endpointslices"),
      allow(
        "get list watch",
        "apps",
        "controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status replicasets replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status",
      ),
      allow("get list watch", "autoscaling", "horizontalpodautoscalers horizontalpodautoscalers/status"),
      allow("get list watch", "batch", "cronjobs cronjobs/status jobs jobs/status"),
      allow(
        "get list watch",
        "extensions",
        "daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ingresses/status networkpolicies replicasets replicasets/scale replicasets/status replicationcontrollers/scale",
      ),
      allow("get list watch", "policy", "poddisruptionbudgets poddisruptionbudgets/status"),
      allow("get list watch", "networking.orch.io", "ingresses ingresses/status networkpolicies"),
    ],
  },
  {
    name: "system:heapster",
    rules: [allow("get list watch", "core", "events namespaces nodes pods"), allow("get list watch", "extensions", "deployments")],
  },
  {
    name: "system:node",
    rules: [
      allow("create", "authentication.orch.io", "tokenreviews"),
      allow("create", "authorization.orch.io", "localsubjectaccessreviews subjectaccessreviews"),
      allow("get list watch", "core", "services"),
      allow("create get list watch", "core", "nodes"),
      allow("patch update", "core", "nodes/status"),
      allow("patch update", "core", "nodes"),
      allow("create patch update", "core", "events"),
      allow("get list watch", "core", "pods"),
      allow("create delete", "core", "pods"),
      allow("patch update", "core", "pods/status"),
      allow("create", "core", "pods/eviction"),
      allow("get list watch", "core", "configmaps secrets"),
      allow("get", "core", "persistentvolumeclaims persistentvolumes"),
      allow("get", "core", "endpoints"),
      allow("create get list watch", "certificates.orch.io", "certificatesigningrequests"),
      allow("create delete get patch update", "coordination.orch.io", "leases"),
      allow("get", "storage.orch.io", "volumeattachments"),
      allow("create", "core", "serviceaccounts/token"),
      allow("get patch update", "core", "persistentvolumeclaims/status"),
      allow("get list watch", "storage.orch.io", "csidrivers"),
      allow("create delete get patch update", "storage.orch.io", "csinodes"),
      allow("get list watch", "node.orch.io", "runtimeclasses"),
    ],
  },
  {
    name: "system:node-problem-detector",
    rules: [
      allow("get", "core", "nodes"),
      allow("patch", "core", "nodes/status"),
      allow("create patch update", "core events.orch.io", "events"),
    ],
  },
  {
    name: "system:node-proxier",
    rules: [
      allow("list watch", "core", "endpoints services"),
      allow("get list watch", "core", "nodes"),
      allow("create patch update", "core events.orch.io", "events"),
      allow("list watch", "discovery.orch.io", "endpointslices"),
    ],
  },
  {
    name: "system:kubelet-api-admin",
    rules: [
      allow("get list watch", "core", "nodes"),
      allow("proxy", "core", "nodes"),
      allow("*", "core", "nodes/log nodes/metrics nodes/proxy nodes/stats"),
    ],
  },
  { name: "system:node-bootstrapper", rules: [allow("create get list watch", "certificates.orch.io", "certificatesigningrequests")] },
  {
    name: "system:auth-delegator",
    rules: [allow("create", "authentication.orch.io", "tokenreviews"), allow("create", "authorization.orch.io", "subjectaccessreviews")],
  },
  { name: "system:kube-aggregator", rules: [allow("get list watch", "core", "endpoints services")] },
  {
    name: "system:kube-controller-manager",
    rules: [
      allow("create patch update", "core events.orch.io", "events"),
      allow("create", "coordination.orch.io", "leases"),
      allow("get update", "coordination.orch.io", "leases", "kube-controller-manager"),
      allow("create", "core", "secrets serviceaccounts"),
      allow("delete", "core", "secrets"),
      allow("get", "core", "configmaps namespaces secrets serviceaccounts"),
      allow("update", "core", "secrets serviceaccounts"),
      allow("create", "authentication.orch.io", "tokenreviews"),
      allow("create", "authorization.orch.io", "subjectaccessreviews"),
      allow("list watch", "*", "*"),
      allow("create", "core", "serviceaccounts/token"),
    ],
  },
  { name: "system:kube-dns", rules: [allow("list watch", "core", "endpoints services")] },
  {
    name: "system:persistent-volume-provisioner",
    rules: [
      allow("create delete get list watch", "core", "persistentvolumes"),
      allow("get list update watch", "core", "persistentvolumeclaims"),
      allow("get list watch", "storage.orch.io", "storageclasses"),
      allow("watch", "core", "events"),
      allow("create patch update", "core events.orch.io", "events"),
    ],
  },
  {
    name: "system:volume-scheduler",
    rules: [
      allow("get list patch update watch", "core", "persistentvolumes"),
      allow("get list watch", "storage.orch.io", "storageclasses"),
      allow("get list patch update watch", "core", "persistentvolumeclaims"),
    ],
  },
  {
    name: "system:certificates.orch.io:certificatesigningrequests:nodeclient",
    rules: [allow("create", "certificates.orch.io", "certificatesigningrequests/nodeclient")],
  },
  {
    name: "system:certificates.orch.io:certificatesigningrequests:selfnodeclient",
    rules: [allow("create", "certificates.orch.io", "certificatesigningrequests/selfnodeclient")],
  },
  {
    name: "system:certificates.orch.io:kube-apiserver-client-approver",
    rules: [allow("approve", "certificates.orch.io", "signers", "orch.io/kube-apiserver-client")],
  },
  {
    name: "system:certificates.orch.io:kube-apiserver-client-kubelet-approver",
    rules: [allow("approve", "certificates.orch.io", "signers", "orch.io/kube-apiserver-client-kubelet")],
  },
  {
    name: "system:certificates.orch.io:kubelet-serving-approver",
    rules: [allow("approve", "certificates.orch.io", "signers", "orch.io/kubelet-serving")],
  },
  {
    name: "system:certificates.orch.io:legacy-unknown-approver",
    rules: [allow("approve", "certificates.orch.io", "signers", "orch.io/legacy-unknown")],
  },
  {
    name: "system:service-account-issuer-discovery",
    rules: [paths("get", "/.well-known/openid-configuration /.well-known/openid-configuration/ /openid/v1/jwks /openid/v1/jwks/")],
  },
  {
    name: "system:kube-scheduler",
    rules: [
      allow("create patch update", "core events.orch.io", "events"),
      allow("create", "coordination.orch.io", "leases"),
      allow("get update", "coordination.orch.io", "leases", "kube-scheduler"),
      allow("get list watch", "core", "nodes"),
      allow("delete get list watch", "core", "pods"),
      allow("create", "core", "bindings pods/binding"),
      allow("patch update", "core", "pods/status"),
      allow("get list watch", "core", "replicationcontrollers services"),
      allow("get list watch", "apps extensions", "replicasets"),
      allow("get list watch", "apps", "statefulsets"),
      allow("get list watch", "policy", "poddisruptionbudgets"),
      allow("get list watch", "core", "persistentvolumeclaims persistentvolumes"),
      allow("create", "authentication.orch.io", "tokenreviews"),
      allow("create", "authorization.orch.io", "subjectaccessreviews"),
      allow("get list watch", "storage.orch.io", "csinodes"),
      allow("get list watch", "core", "namespaces"),
      allow("get list watch", "storage.orch.io", "csidrivers"),
      allow("get list watch", "storage.orch.io", "csistoragecapacities"),
    ],
  },
]
