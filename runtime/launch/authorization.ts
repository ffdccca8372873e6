/** Reads the options of authorization and their files: at the start, and when the files change. */
import { statSync } from "node:fs"
import type { Logger } from "pino"
import { errorText } from "../base/error-text.ts"
import { textOfFileFault } from "../base/file-text.ts"
import { type AbacPolicies, type AbacPolicy, parseAbacPolicies } from "../authz/abac.ts"
import type { AuthorizerSetup, ConfiguredAuthorization, Mode } from "../authz/authorizers.ts"
import { type AuthorizationConfiguration, authorizationConfigurationShape } from "../authz/configuration.ts"
import { type AuthorizerRecord, validateAuthorizationConfiguration, type WebhookRecord } from "../authz/validate-configuration.ts"
import type { Clock } from "../base/clock.ts"
import { yamlFileBytesMax } from "../base/file-limits.ts"
import { type Vendor, vendorProfile } from "../base/vendor.ts"
import { WatchedFiles } from "../base/watched-files.ts"
import { inClusterHook } from "../hooks/in-cluster.ts"
import { type HookFile, readHookFile } from "../hooks/kubeconfig.ts"
import type { AccessMetrics } from "../observability/access-metrics.ts"
import { authorizationModes } from "../options/authorization-options.ts"
import { type Options, optionTable } from "../options/table.ts"
import { takenUp, unusableChange } from "./changed-file.ts"
import { type ConfigurationKind, ConfigurationError, decodeConfiguration, validated } from "./configuration-file.ts"
import { rareFaults } from "./hook-file.ts"
import { StartError } from "../base/start-error.ts"

export interface AuthorizationSetup {
  readonly options: Options
  readonly clock: Clock
  readonly log: Pick<Logger, "error" | "info" | "warn">
  readonly metrics: AccessMetrics
}

/**
 * Called once per server. Throws StartError for a file that cannot be used, and for options that contradict each other.
 */
export function configureAuthorization(how: AuthorizationSetup): ConfiguredAuthorization {
  const { options } = how
  const path = options["authorization-config"]
  if (path === "") checkModes(options)
  else checkConfigured(options)
  const policies = openPolicies(how)
  try {
    return path === "" ? new Authorizers(how, policies, recordsOfOptions(options)) : openConfiguration(how, policies, path)
  } catch (error) {
    policies?.stop()
    throw error
  }
}

/** The types of the authorizers in their order, from `--authorization-mode` or the configuration in its place. */
export function modesOf({ authorizers }: ConfiguredAuthorization): readonly Mode[] {
  return [...new Set(authorizers.map(({ type }) => type))]
}

const documentKind: ConfigurationKind = {
  kind: "AuthorizationConfiguration",
  versions: ["apiserver.config.orch.io/v1beta1", "apiserver.config.orch.io/v1alpha1"],
  shape: authorizationConfigurationShape,
}

function openConfiguration(how: AuthorizationSetup, policies: WatchedFiles<readonly AbacPolicy[]> | undefined, path: string): Authorizers {
  const { clock, log, metrics, options } = how
  const vendor = vendorProfile(options.vendor)
  const read = ([text = ""]: readonly string[]): readonly AuthorizerRecord<Mode>[] => recordsIn(text, vendor)
  const fault = (error: unknown): void => {
    metrics.reloadsOf("authorization").reloaded("failure")
    log.error({ error: errorText(error) }, unusableChange("authorization-config", path))
  }
  try {
    const file = new WatchedFiles({ paths: [path], bytesMax: yamlFileBytesMax, clock, read, onFault: fault })
    const authorizers = stoppingOnError(file, () => new Authorizers(how, policies, file.current))
    authorizers.follow(file, (change) => {
      try {
        change()
        metrics.reloadsOf("authorization").reloaded("success")
        log.info({ authorizers: authorizers.authorizers.map(({ name }) => name) }, takenUp("authorization-config"))
      } catch (error) {
        fault(error)
      }
    })
    return authorizers
  } catch (error) {
    throw new StartError(`--authorization-config: ${textOfFileFault(path, error)}`)
  }
}

function stoppingOnError<Made>(file: { stop(): void }, make: () => Made): Made {
  try {
    return make()
  } catch (error) {
    file.stop()
    throw error
  }
}

/** Throws ConfigurationError. */
function recordsIn(text: string, vendor: Vendor): readonly AuthorizerRecord<Mode>[] {
  // The reference accepts an empty file as a document of the kind.
  const document: AuthorizationConfiguration = text.trim() === "" ? {} : decodeConfiguration(text, documentKind, vendor)
  return validated((failures) => validateAuthorizationConfiguration(document, { failures, modes: authorizationModes, fileFault }))
}

/** The reference's error for a missing kubeconfig. */
function fileFault(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) return `error loading file: stat ${path}: no such file or directory`
  return found.isFile() ? undefined : "must be a regular file"
}

/** The records that `--authorization-mode` and the options of the modes describe. */
function recordsOfOptions(options: Options): readonly AuthorizerRecord<Mode>[] {
  return options["authorization-mode"].map((type) =>
    type === "Webhook" ? { type, name: "default", webhook: webhookOfOptions(options) } : { type, name: type.toLowerCase() },
  )
}

function webhookOfOptions(options: Options): WebhookRecord {
  return {
    authorizedMs: options["authorization-webhook-cache-authorized-ttl"],
    unauthorizedMs: options["authorization-webhook-cache-unauthorized-ttl"],
    timeoutMs: 30_000,
    version: options["authorization-webhook-version"],
    failurePolicy: "NoOpinion",
    kubeConfigFile: options["authorization-webhook-config-file"],
    matchConditions: [],
  }
}

/** The authorizers in force, with the files of their web hooks. */
class Authorizers implements ConfiguredAuthorization {
  private setups: readonly OpenedSetup[]
  private readonly listeners: (() => void)[] = []
  private file: { stop(): void } | undefined
  /** Types in force at the start. */
  private readonly atStart: ReadonlySet<Mode>

  constructor(
    private readonly how: AuthorizationSetup,
    readonly policies: (AbacPolicies & { stop(): void }) | undefined,
    records: readonly AuthorizerRecord<Mode>[],
  ) {
    this.atStart = new Set(records.map(({ type }) => type))
    // `--authorization-mode` was compared with the option before.
    if (this.atStart.has("ABAC") !== (policies !== undefined))
      throw new ConfigurationError(
        policies === undefined
          ? "the authorizer ABAC needs --authorization-policy-file"
          : "--authorization-policy-file has no effect without an authorizer of type ABAC; add one or leave the option out",
      )
    this.setups = openHooks(how, records)
  }

  get authorizers(): readonly AuthorizerSetup[] {
    return this.setups
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener)
  }

  /** Calls `settle` with a function for each change, which throws when it cannot be applied. */
  follow(file: WatchedFiles<readonly AuthorizerRecord<Mode>[]>, settle: (change: () => void) => void): void {
    this.file = file
    file.onChange((records) => settle(() => this.change(records)))
  }

  stop(): void {
    this.file?.stop()
    this.policies?.stop()
    closeHooks(this.setups)
  }

  private change(records: readonly AuthorizerRecord<Mode>[]): void {
    for (const [index, { type }] of records.entries()) {
      if (this.atStart.has(type) || !preparedModes.has(type)) continue
      throw new ConfigurationError(`authorizers[${index}].type: ${type} was not there when the server started; restart it to use ${type}`)
    }
    const before = this.setups
    this.setups = openHooks(this.how, records)
    for (const listener of this.listeners) listener()
    closeHooks(before)
  }
}

/**
 * Types that a server prepares at its start: it follows their objects and files, or turns anonymous requests off. The
 * others can be added while it runs.
 */
const preparedModes: ReadonlySet<Mode> = new Set(authorizationModes.filter((mode) => mode !== "AlwaysDeny" && mode !== "Webhook"))

interface OpenedSetup extends AuthorizerSetup {
  readonly hook?: HookFile
}

function openHooks(how: AuthorizationSetup, records: readonly AuthorizerRecord<Mode>[]): readonly OpenedSetup[] {
  const opened: OpenedSetup[] = []
  try {
    for (const record of records)
      opened.push(record.webhook === undefined ? record : { ...record, hook: openHook(how, record.name, record.webhook) })
    return opened
  } catch (error) {
    closeHooks(opened)
    throw error
  }
}

function openHook({ clock, log, options }: AuthorizationSetup, name: string, { kubeConfigFile: path }: WebhookRecord): HookFile {
  const onFault = rareFaults(`the files of the authorization web hook ${name} cannot be read`, { clock, log })
  if (path === undefined) return inClusterHook({ vendor: vendorProfile(options.vendor), env: process.env, clock, onFault })
  const onChange = (): void => log.info({ path }, `the changed kubeconfig of the authorization web hook ${name} was taken up`)
  try {
    return readHookFile({ path, clock, onFault, onChange })
  } catch (error) {
    if (options["authorization-config"] === "") throw new StartError(`--authorization-webhook-config-file: ${textOfFileFault(path, error)}`)
    throw new ConfigurationError(`error loading config file ${JSON.stringify(path)}: ${errorText(error)}`)
  }
}

function closeHooks(setups: readonly OpenedSetup[]): void {
  for (const { hook } of setups) hook?.stop()
}

/** Undefined without `--authorization-policy-file`. */
function openPolicies({ clock, log, options }: AuthorizationSetup): WatchedFiles<readonly AbacPolicy[]> | undefined {
  const path = options["authorization-policy-file"]
  if (path === "") return undefined
  const vendor = vendorProfile(options.vendor)
  try {
    return new WatchedFiles({
      paths: [path],
      clock,
      read: ([text = ""]) => parseAbacPolicies(text, vendor),
      onFault: (error) => log.error({ error: errorText(error) }, unusableChange("authorization-policy-file", path)),
    })
  } catch (error) {
    throw new StartError(`--authorization-policy-file: ${errorText(error)}`)
  }
}

/** The mode that an option belongs to. */
const fileOptions = { "authorization-policy-file": "ABAC", "authorization-webhook-config-file": "Webhook" } as const

function checkModes(options: Options): void {
  const modes = options["authorization-mode"]
  if (modes.length === 0) throw new StartError("--authorization-mode names no mode; AlwaysAllow is the default")
  const twice = modes.find((mode, index) => modes.indexOf(mode) !== index)
  if (twice !== undefined) throw new StartError(`--authorization-mode names ${twice} twice; name each mode once`)
  for (const [name, mode] of Object.entries(fileOptions)) {
    const isGiven = options[name as keyof typeof fileOptions] !== "" // The keys of the record.
    if (modes.includes(mode) && !isGiven) throw new StartError(`--authorization-mode=${mode} needs --${name}`)
    if (!modes.includes(mode) && isGiven)
      throw new StartError(`--${name} has no effect without --authorization-mode=${mode}; add the mode or leave it out`)
  }
}

/** Options that the configuration replaces. A given list is never the default one. */
const replacedOptions = [
  "authorization-mode",
  "authorization-webhook-config-file",
  "authorization-webhook-version",
  "authorization-webhook-cache-authorized-ttl",
  "authorization-webhook-cache-unauthorized-ttl",
] as const

function checkConfigured(options: Options): void {
  if (options["feature-gates"].StructuredAuthorizationConfiguration === false)
    throw new StartError("--authorization-config needs --feature-gates=StructuredAuthorizationConfiguration=true")
  const given = replacedOptions.find((name) => options[name] !== optionTable[name].default)
  if (given !== undefined)
    throw new StartError(`--authorization-config and --${given} exclude each other: write into the file what the option says`)
}
