/**
 * The document of `--authentication-config`: `AuthenticationConfiguration` of `apiserver.config.orch.io`, `v1alpha1`
 * and `v1beta1`, which have the same fields (catalog operations.yaml: authenticationConfiguration). The options
 * `--oidc-*` make the same records.
 */
import type { FieldShape, TypeRef, TypeShape } from "../../schema/shape.ts"

export interface AuthenticationConfiguration {
  readonly jwt?: readonly JwtConfiguration[]
}

/** One issuer of tokens. */
export interface JwtConfiguration {
  readonly issuer: IssuerConfiguration
  readonly claimValidationRules?: readonly ClaimValidationRule[]
  readonly claimMappings: ClaimMappings
  readonly userValidationRules?: readonly UserValidationRule[]
}

export interface IssuerConfiguration {
  readonly url?: string
  readonly discoveryURL?: string
  /** PEM. */
  readonly certificateAuthority?: string
  readonly audiences?: readonly string[]
  readonly audienceMatchPolicy?: string
}

export interface ClaimValidationRule {
  readonly claim?: string
  readonly requiredValue?: string
  readonly expression?: string
  readonly message?: string
}

export interface ClaimMappings {
  readonly username: PrefixedClaimOrExpression
  readonly groups?: PrefixedClaimOrExpression
  readonly uid?: { readonly claim?: string; readonly expression?: string }
  readonly extra?: readonly { readonly key?: string; readonly valueExpression?: string }[]
}

export interface PrefixedClaimOrExpression {
  readonly claim?: string
  readonly prefix?: string
  readonly expression?: string
}

export interface UserValidationRule {
  readonly expression?: string
  readonly message?: string
}

/** The shape of the document: its fields and their types. */
export const authenticationConfigurationShape: TypeShape = {
  name: "apiserver.config.orch.io.v1beta1.AuthenticationConfiguration",
  fields: [text("kind"), text("apiVersion"), { name: "jwt", type: listOf(() => jwtShape) }],
}

const jwtShape = shapeOf("JWTAuthenticator", [
  { name: "issuer", type: { ref: () => issuerShape } },
  { name: "claimValidationRules", type: listOf(() => claimRuleShape) },
  { name: "claimMappings", type: { ref: () => mappingsShape } },
  { name: "userValidationRules", type: listOf(() => userRuleShape) },
])

const issuerShape = shapeOf("Issuer", [
  text("url"),
  text("discoveryURL"),
  text("certificateAuthority"),
  { name: "audiences", type: { list: { scalar: "string" } } },
  text("audienceMatchPolicy"),
])

const claimRuleShape = shapeOf("ClaimValidationRule", [text("claim"), text("requiredValue"), text("expression"), text("message")])

const mappingsShape = shapeOf("ClaimMappings", [
  { name: "username", type: { ref: () => mappingShape } },
  { name: "groups", type: { ref: () => mappingShape } },
  { name: "uid", type: { ref: () => uidShape } },
  { name: "extra", type: listOf(() => extraShape) },
])

const mappingShape = shapeOf("PrefixedClaimOrExpression", [
  text("claim"),
  // An empty prefix means none; an absent one is a fault.
  { ...text("prefix"), pointer: true },
  text("expression"),
])

const uidShape = shapeOf("ClaimOrExpression", [text("claim"), text("expression")])

const extraShape = shapeOf("ExtraMapping", [text("key"), text("valueExpression")])

const userRuleShape = shapeOf("UserValidationRule", [text("expression"), text("message")])

function shapeOf(name: string, fields: readonly FieldShape[]): TypeShape {
  return { name: `apiserver.config.orch.io.v1beta1.${name}`, fields }
}

function text(name: string): FieldShape {
  return { name, type: { scalar: "string" } }
}

function listOf(ref: () => TypeShape): TypeRef {
  return { list: { ref } }
}
