/**
 * Checks an AuthorizationConfiguration and compiles its match conditions. Rules, field paths and texts are as in
 * kube-apiserver 1.30; like the reference's, field paths of a web hook lack `webhook`.
 */
import { formatDuration, parseDuration } from "../base/duration.ts"
import type { Failures } from "../base/failure.ts"
import { type AccessExpression, compileCondition } from "../policies/access-expressions.ts"
import { dnsSubdomainFaults } from "../schema/names.ts"
import type { AuthorizationConfiguration, AuthorizerConfiguration, WebhookConfiguration } from "./configuration.ts"

/** Match conditions of one web hook; more is an error. The reference's number. */
const conditionsMax = 64
/** Nanoseconds that one call of a web hook may take at most; the reference's number. */
const timeoutMax = 30_000_000_000n

/** Decision when a web hook fails: no opinion, or deny. */
export type FailurePolicy = "NoOpinion" | "Deny"

export interface WebhookRecord {
  readonly authorizedMs: number
  readonly unauthorizedMs: number
  readonly timeoutMs: number
  readonly version: "v1" | "v1beta1"
  readonly failurePolicy: FailurePolicy
  /** Undefined: the in-cluster address of the API server. */
  readonly kubeConfigFile: string | undefined
  readonly matchConditions: readonly AccessExpression[]
}

/** An authorizer as the server uses it. */
export interface AuthorizerRecord<Mode extends string = string> {
  readonly type: Mode
  readonly name: string
  /** For the type Webhook. */
  readonly webhook?: WebhookRecord
}

export interface AuthorizationContext<Mode extends string> {
  /** Collects the faults. */
  readonly failures: Failures
  /** The valid types. All but Webhook may be used once. */
  readonly modes: readonly Mode[]
  /** The fault of a kubeconfig file; undefined for a regular file. */
  readonly fileFault: (path: string) => string | undefined
}

/** Returns the valid parts, in the order of the document. The caller uses none of them if there are failures. */
export function validateAuthorizationConfiguration<Mode extends string>(
  { authorizers = [] }: AuthorizationConfiguration,
  context: AuthorizationContext<Mode>,
): readonly AuthorizerRecord<Mode>[] {
  const { failures, modes } = context
  if (authorizers.length === 0)
    failures.add({ type: "Required", field: "authorizers", detail: "at least one authorization mode must be defined" })
  const types = new Set<string>()
  const names = new Set<string>()
  return authorizers.flatMap((authorizer, index): AuthorizerRecord<Mode>[] => {
    const at = `authorizers[${index}]`
    const { type = "", name = "" } = authorizer
    const known = modes.find((mode) => mode === type)
    if (known === undefined) {
      if (type === "") failures.add({ type: "Required", field: `${at}.type`, detail: "" })
      else failures.add({ type: "NotSupported", field: `${at}.type`, value: type, detail: "", supported: [...modes].sort() })
      return []
    }
    if (types.has(type) && type !== "Webhook") {
      failures.add({ type: "Duplicate", field: `${at}.type`, value: type, detail: "" })
      return []
    }
    types.add(type)
    checkName(failures, names, { field: `${at}.name`, name })
    const webhook = webhookOf(authorizer, context, at)
    return [{ type: known, name, ...(webhook !== undefined && { webhook }) }]
  })
}

function checkName(failures: Failures, names: Set<string>, { field, name }: { readonly field: string; readonly name: string }): void {
  const faults = dnsSubdomainFaults(name)
  if (name === "") failures.add({ type: "Required", field, detail: "" })
  else if (names.has(name)) failures.add({ type: "Duplicate", field, value: name, detail: "" })
  else if (faults.length > 0)
    failures.add({ type: "Invalid", field, value: name, detail: `authorizer name is invalid: ${faults.join(", ")}` })
  names.add(name)
}

function webhookOf(
  { type, webhook }: AuthorizerConfiguration,
  { failures, fileFault }: AuthorizationContext<string>,
  at: string,
): WebhookRecord | undefined {
  const field = `${at}.webhook`
  if (type !== "Webhook") {
    if (webhook !== undefined)
      failures.add({ type: "Invalid", field, value: "non-null", detail: "may only be specified when type=Webhook" })
    return undefined
  }
  if (webhook !== undefined) return new WebhookCheck(failures, fileFault, at).record(webhook)
  failures.add({ type: "Required", field, detail: "required when type=Webhook" })
  return undefined
}

class WebhookCheck {
  constructor(
    private readonly failures: Failures,
    private readonly fileFault: (path: string) => string | undefined,
    private readonly at: string,
  ) {}

  record(webhook: WebhookConfiguration): WebhookRecord {
    const timeoutMs = this.duration("timeout", webhook.timeout, { fault: "must be > 0s and <= 30s", max: timeoutMax })
    const authorizedMs = this.duration("authorizedTTL", webhook.authorizedTTL, { absent: "5m", fault: "must be > 0s" })
    const unauthorizedMs = this.duration("unauthorizedTTL", webhook.unauthorizedTTL, { absent: "30s", fault: "must be > 0s" })
    const version = this.oneOf("subjectAccessReviewVersion", webhook.subjectAccessReviewVersion, ["v1", "v1beta1"])
    this.conditionVersion(webhook)
    const failurePolicy = this.oneOf("failurePolicy", webhook.failurePolicy, ["NoOpinion", "Deny"])
    const kubeConfigFile = this.connection(webhook.connectionInfo)
    const matchConditions = this.conditions(webhook.matchConditions ?? [])
    return { timeoutMs, authorizedMs, unauthorizedMs, version, failurePolicy, kubeConfigFile, matchConditions }
  }

  private duration(
    name: string,
    text: string,
    { absent, fault, max }: { readonly absent?: string; readonly fault: string; readonly max?: bigint },
  ): number {
    const given = parseDuration(text)
    const value = given === 0n && absent !== undefined ? parseDuration(absent) : given
    if (value === 0n) this.required(name, "")
    else if (value < 0n || (max !== undefined && value > max)) this.invalid(name, formatDuration(value), fault)
    return Number(value / 1_000_000n)
  }

  /** Returns the first of `words` in place of an invalid value. */
  private oneOf<Word extends string>(name: string, value = "", words: readonly [Word, ...Word[]]): Word {
    const known = words.find((word) => word === value)
    if (known !== undefined) return known
    if (value === "") this.required(name, "")
    else this.unsupported(name, value, words)
    return words[0]
  }

  private conditionVersion({ matchConditionSubjectAccessReviewVersion: version = "", matchConditions = [] }: WebhookConfiguration): void {
    const name = "matchConditionSubjectAccessReviewVersion"
    if (version === "" && matchConditions.length > 0) this.required(name, "required if match conditions are specified")
    else if (version !== "" && version !== "v1") this.unsupported(name, version, ["v1"])
  }

  private connection({ type = "", kubeConfigFile }: WebhookConfiguration["connectionInfo"]): string | undefined {
    const name = "connectionInfo.kubeConfigFile"
    if (type === "InClusterConfig") {
      if (kubeConfigFile !== undefined) this.invalid(name, kubeConfigFile, "can only be set when type=KubeConfigFile")
      return undefined
    }
    if (type !== "KubeConfigFile") {
      if (type === "") this.required("connectionInfo.type", "")
      else this.unsupported("connectionInfo.type", type, ["InClusterConfig", "KubeConfigFile"])
      return undefined
    }
    if (kubeConfigFile === undefined || kubeConfigFile === "") {
      this.required(name, "")
      return undefined
    }
    const fault = kubeConfigFile.startsWith("/") ? this.fileFault(kubeConfigFile) : "must be an absolute path"
    if (fault !== undefined) this.invalid(name, kubeConfigFile, fault)
    return kubeConfigFile
  }

  private conditions(conditions: NonNullable<WebhookConfiguration["matchConditions"]>): readonly AccessExpression[] {
    if (conditions.length > conditionsMax) {
      const detail = `must have at most ${conditionsMax} items`
      this.failures.add({ type: "TooMany", field: `${this.at}.matchConditions`, value: conditions.length, detail })
      return []
    }
    const seen = new Set<string>()
    return conditions.flatMap(({ expression = "" }, index) => {
      const name = `matchConditions[${index}].expression`
      const field = `${this.at}.${name}`
      if (expression.trim() === "") this.required(name, "")
      else if (seen.has(expression)) this.failures.add({ type: "Duplicate", field, value: expression, detail: "" })
      else {
        seen.add(expression)
        const compiled = compileCondition("request", expression)
        if (!("fault" in compiled)) return [compiled]
        const type = compiled.internal === true ? "InternalError" : "Invalid"
        this.failures.add({ type, field, value: expression, detail: compiled.fault })
      }
      return []
    })
  }

  private required(name: string, detail: string): void {
    this.failures.add({ type: "Required", field: `${this.at}.${name}`, detail })
  }

  private invalid(name: string, value: string, detail: string): void {
    this.failures.add({ type: "Invalid", field: `${this.at}.${name}`, value, detail })
  }

  private unsupported(name: string, value: string, supported: readonly string[]): void {
    this.failures.add({ type: "NotSupported", field: `${this.at}.${name}`, value, detail: "", supported })
  }
}
