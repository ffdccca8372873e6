/**
 * The document of `--authorization-config`: `AuthorizationConfiguration` of `apiserver.config.orch.io`, `v1alpha1` and
 * `v1beta1`, which have the same fields (catalog operations.yaml: authorizationConfiguration). `--authorization-mode`
 * and the options of the modes make the same records.
 */
import type { FieldShape, TypeShape } from "../schema/shape.ts"

export interface AuthorizationConfiguration {
  readonly authorizers?: readonly AuthorizerConfiguration[]
}

export interface AuthorizerConfiguration {
  readonly type?: string
  /** Used in metrics. */
  readonly name?: string
  readonly webhook?: WebhookConfiguration
}

export interface WebhookConfiguration {
  /** How long allowed decisions are cached; as `30s`. */
  readonly authorizedTTL: string
  /** How long denied decisions are cached. */
  readonly unauthorizedTTL: string
  /** Limit of one call. */
  readonly timeout: string
  readonly subjectAccessReviewVersion?: string
  readonly matchConditionSubjectAccessReviewVersion?: string
  readonly failurePolicy?: string
  readonly connectionInfo: { readonly type?: string; readonly kubeConfigFile?: string }
  readonly matchConditions?: readonly { readonly expression?: string }[]
}

/** The shape of the document: its fields and their types. */
export const authorizationConfigurationShape: TypeShape = shapeOf("AuthorizationConfiguration", [
  text("kind"),
  text("apiVersion"),
  { name: "authorizers", type: { list: { ref: () => authorizerShape } } },
])

const authorizerShape = shapeOf("AuthorizerConfiguration", [
  text("type"),
  text("name"),
  { name: "webhook", type: { ref: () => webhookShape }, pointer: true },
])

const webhookShape = shapeOf("WebhookConfiguration", [
  duration("authorizedTTL"),
  duration("unauthorizedTTL"),
  duration("timeout"),
  text("subjectAccessReviewVersion"),
  text("matchConditionSubjectAccessReviewVersion"),
  text("failurePolicy"),
  { name: "connectionInfo", type: { ref: () => connectionShape } },
  { name: "matchConditions", type: { list: { ref: () => conditionShape } } },
])

const connectionShape = shapeOf("WebhookConnectionInfo", [text("type"), { ...text("kubeConfigFile"), pointer: true }])

const conditionShape = shapeOf("WebhookMatchCondition", [text("expression")])

function shapeOf(name: string, fields: readonly FieldShape[]): TypeShape {
  return { name: `apiserver.config.orch.io.v1beta1.${name}`, fields }
}

function text(name: string): FieldShape {
  return { name, type: { scalar: "string" } }
}

function duration(name: string): FieldShape {
  return { name, type: { scalar: "Duration" } }
}
