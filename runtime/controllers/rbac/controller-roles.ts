/**
 * What controllers may do (catalog rbac.yaml: controllerClusterRoles): for each a ClusterRole `system:controller:NAME`,
 * bound to the service account NAME of the system namespace.
 */
import { allow, type BootstrapRole } from "./policy-words.ts"

export const controllerRoles: readonly BootstrapRole[] = [
  {
    name: "attachdetach-controller",
    rules: [
      allow("list watch", "core", "persistentvolumeclaims persistentvolumes"),
      allow("get list watch", "core", "nodes"),
      allow("patch update", "core", "nodes/status"),
      allow("list watch", "core", "pods"),
      allow("create patch update", "core events.orch.io", "events"),
      allow("create delete get list watch", "storage.orch.io", "volumeattachments"),
      allow("get list watch", "storage.orch.io", "csidrivers"),
      allow("get list watch", "storage.orch.io", "csinodes"),
    ],
  },
  {
    name: "clusterrole-aggregation-controller",
    rules: [allow("escalate get list patch update watch", "rbac.authorization.orch.io", "clusterroles")],
  },
  {
    name: "cronjob-controller",
    rules: [
      allow("get list update watch", "batch", "cronjobs"),
      allow("create delete get list patch update watch", "batch", "jobs"),
      allow("update", "batch", "cronjobs/status"),
      allow("update", "batch", "cronjobs/finalizers"),
      allow("delete list", "core", "pods"),
      allow("create patch update", "core events.orch.io", "events"),
    ],
  },
  {
    name: "daemon-set-controller",
    rules: [
      allow("get list watch", "apps extensions", "daemonsets"),
      allow("update", "apps extensions", "daemonsets/status"),
      allow("update", "apps extensions", "daemonsets/finalizers"),
      allow("list watch", "core", "nodes"),
      allow("create delete list patch watch", "core", "pods"),
      allow("create", "core", "pods/binding"),
      allow("create delete get list patch update watch", "apps", "controllerrevisions"),
      allow("create patch update", "core events.orch.io", "events"),
    ],
  },
  {
    name: "deployment-controller",
    rules: [
      allow("get list update watch", "apps extensions", "deployments"),
      allow("update", "apps extensions", "deployments/status"),
      allow("update", "apps extensions", "deployments/finalizers"),
      allow("create delete get list patch update watch", "apps extensions", "replicasets"),
      allow("get list update watch", "core", "pods"),
      allow("create patch update", "core events.orch.io", "events"),
    ],
  },
  {
    name: "disruption-controller",
    rules: [
      allow("get list watch", "apps extensions", "deployments"),
      allow("get list watch", "apps extensions", "replicasets"),
      allow("get list watch", "core", "replicationcontrollers"),
      allow("get list watch", "policy", "poddisruptionbudgets"),
      allow("get list watch", "apps", "statefulsets"),
      allow("update", "policy", "poddisruptionbudgets/status"),
      allow("get", "*", "*/scale"),
      allow("create patch update", "core events.orch.io", "events"),
      allow("patch update", "core", "pods/status"),
    ],
  },
  {
    name: "endpoint-controller",
    rules: [
      allow("get list watch", "core", "pods services"),
      allow("create delete get list update", "core", "endpoints"),
      allow("create", "core", "endpoints/restricted"),
      allow("create patch update", "core events.orch.io", "events"),
    ],
  },
  {
    name: "endpointslice-controller",
    rules: [
      allow("get list watch", "core", "nodes pods services"),
      allow("update", "core", "services/finalizers"),
      allow("create delete get list update", "discovery.orch.io", "endpointslices"),
      allow("create patch update", "core events.orch.io", "events"),
    ],
  },
  {
    name: "endpointslicemirroring-controller",
    rules: [
      allow("get list watch", "core", "endpoints services"),
      allow("update", "core", "services/finalizers"),
      allow("update", "core", "endpoints/finalizers"),
      allow("create delete get list update", "discovery.orch.io", "endpointslices"),
      allow("create patch update", "core events.orch.io", "events"),
    ],
  },
  {
    name: "expand-controller",
    rules: [
      allow("get list patch update watch", "core", "persistentvolumes"),
      allow("patch update", "core", "persistentvolumeclaims/status"),
      allow("get list watch", "core", "persistentvolumeclaims"),
      allow("get list watch", "storage.orch.io", "storageclasses"),
      allow("get", "core", "endpoints services"),
      allow("get", "core", "secrets"),
      allow("create patch update", "core events.orch.io", "events"),
    ],
  },
  {
    name: "ephemeral-volume-controller",
    rules: [
      allow("get list watch", "core", "pods"),
      allow("update", "core", "pods/finalizers"),
      allow("create get list watch", "core", "persistentvolumeclaims"),
      allow("create patch update", "core events.orch.io", "events"),
    ],
  },
  {
    name: "generic-garbage-collector",
    rules: [allow("delete get list patch update watch", "*", "*"), allow("create patch update", "core events.orch.io", "events")],
  },
  {
    name: "horizontal-pod-autoscaler",
    rules: [
      allow("get list watch", "autoscaling", "horizontalpodautoscalers"),
      allow("update", "autoscaling", "horizontalpodautoscalers/status"),
      allow("get update", "*", "*/scale"),
      allow("list", "core", "pods"),
      allow("list", "metrics.orch.io", "pods"),
      allow("get list", "custom.metrics.orch.io", "*"),
      allow("get list", "external.metrics.orch.io", "*"),
      allow("create patch update", "core events.orch.io", "events"),
    ],
  },
  {
    name: "job-controller",
    rules: [
      allow("get list patch update watch", "batch", "jobs"),
      allow("update", "batch", "jobs/status"),
      allow("update", "batch", "jobs/finalizers"),
      allow("create delete list patch watch", "core", "pods"),
      allow("create patch update", "core events.orch.io", "events"),
    ],
  },
  {
    name: "namespace-controller",
    rules: [
      allow("delete get list watch", "core", "namespaces"),
      allow("update", "core", "namespaces/finalize namespaces/status"),
      allow("delete deletecollection get list", "*", "*"),
    ],
  },
  {
    name: "node-controller",
    rules: [
      allow("delete get list patch update", "core", "nodes"),
      allow("patch update", "core", "nodes/status"),
      allow("patch update", "core", "pods/status"),
      allow("delete list", "core", "pods"),
      allow("create patch update", "core events.orch.io", "events"),
      allow("get", "core", "pods"),
    ],
  },
  {
    name: "persistent-volume-binder",
    rules: [
      allow("create delete get list update watch", "core", "persistentvolumes"),
      allow("update", "core", "persistentvolumes/status"),
      allow("get list update watch", "core", "persistentvolumeclaims"),
      allow("update", "core", "persistentvolumeclaims/status"),
      allow("create delete get list watch", "core", "pods"),
      allow("get list watch", "storage.orch.io", "storageclasses"),
      allow("create delete get update", "core", "endpoints"),
      allow("create delete get", "core", "services"),
      allow("get", "core", "secrets"),
      allow("get list", "core", "nodes"),
      allow("watch", "core", "events"),
      allow("create patch update", "core events.orch.io", "events"),
    ],
  },
  {
    name: "pod-garbage-collector",
    rules: [allow("delete list watch", "core", "pods"), allow("get list", "core", "nodes"), allow("patch", "core", "pods/status")],
  },
  {
    name: "replicaset-controller",
    rules: [
      allow("get list update watch", "apps extensions", "replicasets"),
      allow("update", "apps extensions", "replicasets/status"),
      allow("update", "apps extensions", "replicasets/finalizers"),
      allow("create delete list patch watch", "core", "pods"),
      allow("create patch update", "core events.orch.io", "events"),
    ],
  },
  {
    name: "replication-controller",
    rules: [
      allow("get list update watch", "core", "replicationcontrollers"),
      allow("update", "core", "replicationcontrollers/status"),
      allow("update", "core", "replicationcontrollers/finalizers"),
      allow("create delete list patch watch", "core", "pods"),
      allow("create patch update", "core events.orch.io", "events"),
    ],
  },
  {
    name: "resourcequota-controller",
    rules: [
      allow("list watch", "*", "*"),
      allow("update", "core", "resourcequotas/status"),
      allow("create patch update", "core events.orch.io", "events"),
    ],
  },
  {
    name: "route-controller",
    rules: [
      allow("list watch", "core", "nodes"),
      allow("patch", "core", "nodes/status"),
      allow("create patch update", "core events.orch.io", "events"),
    ],
  },
  {
    name: "service-account-controller",
    rules: [allow("create", "core", "serviceaccounts"), allow("create patch update", "core events.orch.io", "events")],
  },
  {
    name: "service-controller",
    rules: [
      allow("get list watch", "core", "services"),
      allow("patch update", "core", "services/status"),
      allow("list watch", "core", "nodes"),
      allow("create patch update", "core events.orch.io", "events"),
    ],
  },
  {
    name: "statefulset-controller",
    rules: [
      allow("list watch", "core", "pods"),
      allow("get list watch", "apps", "statefulsets"),
      allow("update", "apps", "statefulsets/status"),
      allow("update", "apps", "statefulsets/finalizers"),
      allow("create delete get patch update", "core", "pods"),
      allow("create delete get list patch update watch", "apps", "controllerrevisions"),
      allow("create get list watch", "core", "persistentvolumeclaims"),
      allow("create patch update", "core events.orch.io", "events"),
      allow("delete update", "core", "persistentvolumeclaims"),
      allow("update", "core", "pods/finalizers"),
    ],
  },
  {
    name: "ttl-controller",
    rules: [allow("list patch update watch", "core", "nodes"), allow("create patch update", "core events.orch.io", "events")],
  },
  {
    name: "certificate-controller",
    rules: [
      allow("delete get list watch", "certificates.orch.io", "certificatesigningrequests"),
      allow("update", "certificates.orch.io", "certificatesigningrequests/approval certificatesigningrequests/status"),
      allow("approve", "certificates.orch.io", "signers", "orch.io/kube-apiserver-client-kubelet"),
      allow(
        "sign",
        "certificates.orch.io",
        "signers",
        "orch.io/kube-apiserver-client orch.io/kube-apiserver-client-kubelet orch.io/kubelet-serving orch.io/legacy-unknown",
      ),
      allow("create", "authorization.orch.io", "subjectaccessreviews"),
      allow("create patch update", "core events.orch.io", "events"),
    ],
  },
  {
    name: "pvc-protection-controller",
    rules: [
      allow("get list update watch", "core", "persistentvolumeclaims"),
      allow("get list watch", "core", "pods"),
      allow("create patch update", "core events.orch.io", "events"),
    ],
  },
  {
    name: "pv-protection-controller",
    rules: [allow("get list update watch", "core", "persistentvolumes"), allow("create patch update", "core events.orch.io", "events")],
  },
  {
    name: "ttl-after-finished-controller",
    rules: [allow("delete get list watch", "batch", "jobs"), allow("create patch update", "core events.orch.io", "events")],
  },
  {
    name: "root-ca-cert-publisher",
    rules: [allow("create update", "core", "configmaps"), allow("create patch update", "core events.orch.io", "events")],
  },
  {
    name: "validatingadmissionpolicy-status-controller",
    rules: [
      allow("get list watch", "admissionregistration.orch.io", "validatingadmissionpolicies"),
      allow("get patch update", "admissionregistration.orch.io", "validatingadmissionpolicies/status"),
      allow("create patch update", "core events.orch.io", "events"),
    ],
  },
  {
    name: "legacy-service-account-token-cleaner",
    rules: [
      allow("get", "core", "configmaps", "kube-apiserver-legacy-service-account-token-tracking"),
      allow("delete patch", "core", "secrets"),
    ],
  },
]
