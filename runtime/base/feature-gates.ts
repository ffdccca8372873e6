/** The gates of `--feature-gates`, with their state without the option. */
export const featureGates = {
  APIResponseCompression: true,
  CRDValidationRatcheting: true,
  ClusterTrustBundle: false,
  ClusterTrustBundleProjection: false,
  CrossNamespaceVolumeDataSource: false,
  CustomResourceFieldSelectors: false,
  DynamicResourceAllocation: false,
  InPlacePodVerticalScaling: false,
  MatchLabelKeysInPodAffinity: false,
  MaxUnavailableStatefulSet: false,
  ProcMountType: false,
  RecoverVolumeExpansionFailure: false,
  RecursiveReadOnlyMounts: false,
  StructuredAuthenticationConfiguration: true,
  StructuredAuthorizationConfiguration: true,
  UnauthenticatedHTTP2DOSMitigation: true,
  UserNamespacesSupport: false,
  VolumeAttributesClass: false,
  WatchList: false,
} as const

export type FeatureGate = keyof typeof featureGates

/** The names, sorted. A schema may name one: `optional: {gate: WatchList}`. */
// Its keys are the names.
export const featureGateNames = Object.keys(featureGates) as FeatureGate[]

/** The gate of a field; `removed`: the feature is gone, and no gate brings it back. */
export type FieldGate = FeatureGate | "removed"
