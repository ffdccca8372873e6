/** The bindings and the roles of namespaces that exist from the first start (catalog rbac.yaml). */
import { account, allow, type BootstrapBinding, type BootstrapRole, group, user } from "./policy-words.ts"

/** ClusterRoleBindings of a ClusterRole of the same name. */
export const clusterRoleBindings: readonly BootstrapBinding[] = [
  { name: "cluster-admin", subjects: [group("system:masters")] },
  { name: "system:monitoring", subjects: [group("system:monitoring")] },
  { name: "system:discovery", subjects: [group("system:authenticated")] },
  { name: "system:basic-user", subjects: [group("system:authenticated")] },
  { name: "system:public-info-viewer", subjects: [group("system:authenticated"), group("system:unauthenticated")] },
  { name: "system:node-proxier", subjects: [user("system:kube-proxy")] },
  { name: "system:kube-controller-manager", subjects: [user("system:kube-controller-manager")] },
  { name: "system:kube-dns", subjects: [account("kube-dns")] },
  { name: "system:kube-scheduler", subjects: [user("system:kube-scheduler")] },
  { name: "system:volume-scheduler", subjects: [user("system:kube-scheduler")] },
  { name: "system:node", subjects: [] },
  { name: "system:service-account-issuer-discovery", subjects: [group("system:serviceaccounts")] },
]

interface InNamespace {
  readonly namespace: string
}

export const roles: readonly (BootstrapRole & InNamespace)[] = [
  {
    namespace: "orch-system",
    name: "extension-apiserver-authentication-reader",
    rules: [allow("get list watch", "core", "configmaps", "extension-apiserver-authentication")],
  },
  { namespace: "orch-system", name: "system:controller:bootstrap-signer", rules: [allow("get list watch", "core", "secrets")] },
  { namespace: "orch-system", name: "system:controller:cloud-provider", rules: [allow("create get list watch", "core", "configmaps")] },
  {
    namespace: "orch-system",
    name: "system:controller:token-cleaner",
    rules: [allow("delete get list watch", "core", "secrets"), allow("create patch update", "core events.orch.io", "events")],
  },
  {
    namespace: "orch-system",
    name: "system::leader-locking-kube-controller-manager",
    rules: [allow("watch", "core", "configmaps"), allow("get update", "core", "configmaps", "kube-controller-manager")],
  },
  {
    namespace: "orch-system",
    name: "system::leader-locking-kube-scheduler",
    rules: [allow("watch", "core", "configmaps"), allow("get update", "core", "configmaps", "kube-scheduler")],
  },
  {
    namespace: "orch-public",
    name: "system:controller:bootstrap-signer",
    rules: [
      allow("get list watch", "core", "configmaps"),
      allow("update", "core", "configmaps", "cluster-info"),
      allow("create patch update", "core events.orch.io", "events"),
    ],
  },
]

export const roleBindings: readonly (BootstrapBinding & InNamespace)[] = [
  {
    namespace: "orch-system",
    name: "system::extension-apiserver-authentication-reader",
    role: "extension-apiserver-authentication-reader",
    subjects: [user("system:kube-controller-manager"), user("system:kube-scheduler")],
  },
  {
    namespace: "orch-system",
    name: "system::leader-locking-kube-controller-manager",
    subjects: [user("system:kube-controller-manager"), account("kube-controller-manager")],
  },
  {
    namespace: "orch-system",
    name: "system::leader-locking-kube-scheduler",
    subjects: [user("system:kube-scheduler"), account("kube-scheduler")],
  },
  { namespace: "orch-system", name: "system:controller:bootstrap-signer", subjects: [account("bootstrap-signer")] },
  { namespace: "orch-system", name: "system:controller:cloud-provider", subjects: [account("cloud-provider")] },
  { namespace: "orch-system", name: "system:controller:token-cleaner", subjects: [account("token-cleaner")] },
  { namespace: "orch-public", name: "system:controller:bootstrap-signer", subjects: [account("bootstrap-signer")] },
]
