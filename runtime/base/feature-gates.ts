/** The gates of `--feature-gates`, with the state that they have without the option. */
export const featureGates = {
  APIResponseCompression: true,
  CRDValidationRatcheting: true,
  ClusterTrustBundle: false,
  CustomResourceFieldSelectors: false,
  StructuredAuthenticationConfiguration: true,
  StructuredAuthorizationConfiguration: true,
  UnauthenticatedHTTP2DOSMitigation: true,
  VolumeAttributesClass: false,
  WatchList: false,
} as const

export type FeatureGate = keyof typeof featureGates

/** The names, sorted. A schema may name one: `optional: {gate: WatchList}`. */
// Its keys are the names.
export const featureGateNames = Object.keys(featureGates) as FeatureGate[]
