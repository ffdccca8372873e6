/** Admission plugins of the reference that this server does not implement. Their names are valid in options. */

/** Plugins that this server lacks, each with the effect that is missing (catalog admission.yaml: order). */
export const absentPlugins: Readonly<Record<string, string>> = {
  AlwaysDeny: "writes are not refused",
  AlwaysPullImages: "pods keep their imagePullPolicy",
  DefaultIngressClass: "Ingresses without a class get none",
  DefaultStorageClass: "claims without a class get none when they are created",
  DefaultTolerationSeconds: "pods get no tolerations of nodes that are not ready or not reachable",
  DenyServiceExternalIPs: "Services may name any external address",
  EventRateLimit: "Events are not limited",
  ExtendedResourceToleration: "pods get no tolerations for the extended resources that they ask for",
  ImagePolicyWebhook: "no web hook is asked about the images of pods",
  LimitPodHardAntiAffinityTopology: "pods may require anti-affinity by any topology",
  LimitRanger: "LimitRanges set no defaults and refuse nothing",
  MutatingAdmissionWebhook: "the web hooks of MutatingWebhookConfigurations are not called",
  NamespaceAutoProvision: "no namespace is made for the first object in it",
  NamespaceExists: "only NamespaceLifecycle looks whether a namespace exists, when an object is created",
  OwnerReferencesPermissionEnforcement: "owner references need no permission on the owner",
  PersistentVolumeClaimResize: "claims may ask for more whatever their StorageClass allows",
  PersistentVolumeLabel: "PersistentVolumes get no labels with the zones of a cloud",
  PodNodeSelector: "the node selectors of namespaces are neither added to pods nor checked",
  PodSecurity: "the pod-security labels of Namespaces have no effect, and pods may be privileged",
  PodTolerationRestriction: "the tolerations of namespaces are neither added to pods nor checked",
  Priority: "pods get no priority from their PriorityClass",
  ResourceQuota: "ResourceQuotas refuse nothing",
  RuntimeClass: "pods get neither overhead nor scheduling from their RuntimeClass",
  ServiceAccount: "pods get neither a service account nor its token, and enforce-mountable-secrets has no effect",
  TaintNodesByCondition: "new nodes get no taint until they are ready",
  ValidatingAdmissionPolicy: "ValidatingAdmissionPolicies are not evaluated",
  ValidatingAdmissionWebhook: "the web hooks of ValidatingWebhookConfigurations are not called",
}

/**
 * Plugins that are always in force because they guard rights, or that do nothing, such as AlwaysAdmit. No option turns
 * them off.
 */
export const permanentPlugins: readonly string[] = [
  "AlwaysAdmit",
  "CertificateApproval",
  "CertificateSigning",
  "CertificateSubjectRestriction",
  "ClusterTrustBundleAttest",
]
