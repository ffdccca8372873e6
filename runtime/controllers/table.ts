/**
 * The controllers that change objects, by the names that `--controllers` takes. To add one, add a file beside this one
 * and a row here. Only one server of a store runs them.
 */
import { StartError } from "../base/start-error.ts"
import type { Options } from "../options/table.ts"
import { startCertificateSigner } from "./certificates/certificate-signer.ts"
import type { Signing } from "./certificates/signers.ts"
import { startCertificateRequestCleaner } from "./certificate-request-cleaner.ts"
import { startClusterRoleAggregation } from "./cluster-role-aggregation.ts"
import type { ControllerDeps, Controller } from "./controller.ts"
import { startDefinitionController } from "./definitions/definition-controller.ts"
import { startEndpointSliceController } from "./endpoints/endpoint-slice-controller.ts"
import { startEndpointSliceMirroring } from "./endpoints/endpoint-slice-mirroring.ts"
import { startEndpointsController } from "./endpoints/endpoints-controller.ts"
import { startGarbageCollector } from "./garbage/garbage-collector.ts"
import { startRangeRepair } from "./ip-repair.ts"
import { startJobCleaner } from "./job-cleaner.ts"
import { startNamespaceController } from "./namespace/namespace-controller.ts"
import { startQuotaController } from "./quota/quota-controller.ts"
import { startRootCaPublisher } from "./root-ca-publisher.ts"
import { startServiceAccountController } from "./service-account-controller.ts"
import { startBootstrapSigner } from "./tokens/bootstrap-signer.ts"
import { startTokenCleaner } from "./tokens/token-cleaner.ts"

/** Inputs for starting controllers. */
export interface ControllerInputs {
  readonly deps: ControllerDeps
  readonly options: Options
  /** PEM of the certificate that programs in the cluster must trust. Absent: none is published. */
  readonly rootCa?: string
  /** Keys that sign certificates. Absent: none are signed. */
  readonly signing?: Signing
  /** Resolves when the roles and bindings of the bootstrap policy exist, if this server makes them. */
  readonly policyMade: Promise<void>
}

export interface ControllerRow {
  /** The name in kube-controller-manager 1.30, or of the kube-apiserver hook that starts it. */
  readonly name: string
  /** The older name in kube-controller-manager. */
  readonly alias?: string
  /** `api`: required by the API itself. `manager`: also run by a controller manager beside the server. */
  readonly set: "api" | "manager"
  /** Resolves when the controller may start. Absent: at once. */
  readonly after?: (inputs: ControllerInputs) => Promise<void>
  readonly start: (inputs: ControllerInputs) => Controller
}

const rows: readonly ControllerRow[] = [
  { name: "namespace-controller", alias: "namespace", set: "api", start: ({ deps }) => startNamespaceController(deps) },
  {
    name: "garbage-collector-controller",
    alias: "garbagecollector",
    set: "api",
    start: ({ deps, options }) => startGarbageCollector(deps, { workers: options["concurrent-gc-syncs"] }),
  },
  { name: "start-apiextensions-controllers", set: "api", start: ({ deps }) => startDefinitionController(deps) },
  { name: "start-service-ip-repair-controllers", set: "api", start: ({ deps }) => startRangeRepair(deps) },
  {
    name: "serviceaccount-controller",
    alias: "serviceaccount",
    set: "manager",
    start: ({ deps }) => startServiceAccountController(deps),
  },
  {
    name: "root-ca-certificate-publisher-controller",
    alias: "root-ca-cert-publisher",
    set: "manager",
    start: ({ deps, rootCa }) => startRootCaPublisher(deps, rootCa),
  },
  {
    name: "clusterrole-aggregation-controller",
    alias: "clusterrole-aggregation",
    set: "manager",
    // A start is complete when the rules of aggregated roles exist.
    after: ({ policyMade }) => policyMade,
    start: ({ deps }) => startClusterRoleAggregation(deps),
  },
  { name: "endpoints-controller", alias: "endpoint", set: "manager", start: ({ deps }) => startEndpointsController(deps) },
  {
    name: "endpointslice-controller",
    alias: "endpointslice",
    set: "manager",
    start: ({ deps }) => startEndpointSliceController(deps),
  },
  {
    name: "endpointslice-mirroring-controller",
    alias: "endpointslicemirroring",
    set: "manager",
    start: ({ deps }) => startEndpointSliceMirroring(deps),
  },
  {
    name: "resourcequota-controller",
    alias: "resourcequota",
    set: "manager",
    start: ({ deps }) => startQuotaController(deps),
  },
  { name: "ttl-after-finished-controller", alias: "ttl-after-finished", set: "manager", start: ({ deps }) => startJobCleaner(deps) },
  { name: "bootstrap-signer-controller", alias: "bootstrapsigner", set: "manager", start: ({ deps }) => startBootstrapSigner(deps) },
  { name: "token-cleaner-controller", alias: "tokencleaner", set: "manager", start: ({ deps }) => startTokenCleaner(deps) },
  {
    name: "certificatesigningrequest-cleaner-controller",
    alias: "csrcleaner",
    set: "manager",
    start: ({ deps }) => startCertificateRequestCleaner(deps),
  },
  {
    name: "certificatesigningrequest-signing-controller",
    alias: "csrsigning",
    set: "manager",
    start: ({ deps, signing }) => startCertificateSigner(deps, signing),
  },
]

type ControllerChoice = Pick<Options, "controllers" | "enable-garbage-collector">

/**
 * The controllers that `--controllers` names, in the order of the table: `*` all, `api` that set, `name` a single one,
 * `-name` all but this one. Called at start. Throws StartError for an unknown name, for a name that is both wanted and
 * unwanted, and for a list of unwanted names only.
 */
export function chooseControllers(options: ControllerChoice): readonly ControllerRow[] {
  const given = options.controllers
  const without = new Set(given.filter((word) => word.startsWith("-")).map((word) => nameOf(word.slice(1), word)))
  const words = given.filter((word) => !word.startsWith("-"))
  const sets = words.filter((word) => word === "*" || word === "api")
  const named = new Set(words.filter((word) => word !== "*" && word !== "api").map((word) => nameOf(word, word)))
  const both = [...named].filter((name) => without.has(name))
  if (both.length > 0) throw new StartError(`--controllers names ${both.join(", ")} with and without a minus`)
  if (words.length === 0 && without.size > 0)
    throw new StartError(`--controllers says only what does not run; begin with api or *: --controllers=api,${given.join(",")}`)
  const isWanted = (row: ControllerRow): boolean => named.has(row.name) || sets.includes("*") || (row.set === "api" && sets.includes("api"))
  const chosen = rows.filter((row) => isWanted(row) && !without.has(row.name))
  return options["enable-garbage-collector"] ? chosen : chosen.filter(({ name }) => name !== "garbage-collector-controller")
}

function nameOf(word: string, given: string): string {
  const row = rows.find(({ name, alias }) => name === word || alias === word)
  if (row !== undefined) return row.name
  throw new StartError(
    `--controllers: ${given} is not known; it takes *, api, and with or without a minus ${rows.map(({ name }) => name).join(", ")}`,
  )
}
