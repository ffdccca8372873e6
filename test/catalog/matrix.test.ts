/**
 * Whether `test/api/kinds/matrix` is complete: every kind, each fact of validation and defaulting, all columns and
 * sub-resources of the catalog have a row there or a reason why not, and every field is set in some object.
 */
import { join } from "node:path"
import { expect, it } from "vitest"
import { type KindPart, loadMatrix, type Part, type Row, type SharedPart } from "../api/harness/matrix.ts"
import { catalogFile, describeCatalog, hasCatalog } from "./catalog.ts"
import { unsetFields } from "./set-fields.ts"

const matrix = loadMatrix(join(import.meta.dirname, "..", "api", "kinds", "matrix"))

interface Fact {
  readonly path: string
  readonly type?: string | null
  readonly rule?: string
  readonly note?: string
  readonly use?: string
  readonly default?: unknown
  readonly when?: string
}

type Facts = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, readonly Fact[]>>>>>>

interface Resource {
  readonly group: string
  readonly kind: string
  readonly resource: string
  readonly versions: readonly { readonly version: string; readonly servedByDefault: boolean }[]
  readonly subresources?: readonly { readonly name: string; readonly verbs: readonly string[] }[]
}

interface Column {
  readonly name: string
  readonly type: string
  readonly priority: number
}

interface Table {
  readonly group: string
  readonly kind: string
  readonly columns: readonly Column[] | "default" | "none"
}

/** Kinds of the catalog that the matrix leaves out, with the reason. */
const absent: ReadonlyMap<string, string> = new Map([
  ["core/v1 ComponentStatus", "it is computed: test/api/kinds/component-status.yaml"],
  ["authentication.orch.io/v1 TokenRequest", "the body of a sub-resource; test/service-account-tokens.test.ts has its rules"],
  ["core/v1 Eviction", "it belongs to a sub-resource: test/api/subresources"],
  ["core/v1 PodLogOptions", "they are a query: test/api/subresources"],
  ["core/v1 Pod/ephemeralcontainers", "test/api/kinds/ephemeral-containers.yaml"],
  ["autoscaling/v1 Scale", "it is a sub-resource: test/api/kinds/scale.yaml"],
  ["apiextensions.orch.io/v1 JSONSchemaProps", "the schemas of definitions have tests of their own: runtime/definitions/check"],
  ["apiextensions.orch.io/v1 CustomResource", "objects of definitions have tests of their own: runtime/definitions/objects"],
])

/** Kinds with default columns in the reference; the catalog lists columns of a printer that is not used. */
const plain: ReadonlySet<string> = new Set(["storage.orch.io/v1 CSIStorageCapacity"])

const defaultColumns: readonly Column[] = [
  { name: "Name", type: "string", priority: 0 },
  { name: "Created At", type: "date", priority: 0 },
]

/** Places of shared types without a host of their own, and why. */
const unhosted: readonly (readonly [use: RegExp, reason: string])[] = [
  [/ (PodTemplateSpec|PodSpec) spec$/, "the template and the spec of a pod"],
  [
    /^batch\/v1 (Job|CronJob) PodTemplateSpec/,
    "a pod of a job does not restart always; the type of the field is that of the other templates",
  ],
  [/ (Condition|LoadBalancerStatus) /, "rows of the kinds whose status holds it"],
  [/ PersistentVolumeClaimSpec /, "in a claim itself and in an ephemeral volume"],
  [/ InitContainer | EphemeralContainer /, "rows of Container and of Pod"],
  [/^autoscaling\/v2 HorizontalPodAutoscaler LabelSelector /, "the reference takes any there, by rows"],
]

describeCatalog("the matrix of kinds", () => {
  const validation = hasCatalog ? catalogFile<Facts>("validation.yaml") : {}
  const parts = new Map([...matrix.kinds, ...matrix.shared].map((part) => [part.name, part] as const))

  it("has every kind that is served", () => {
    const { resources } = catalogFile<{ resources: readonly Resource[] }>("resources.yaml")
    const served = resources.flatMap(({ group, kind, versions }) =>
      versions.filter(({ servedByDefault }) => servedByDefault).map(({ version }) => `${group === "" ? "core" : group}/${version} ${kind}`),
    )
    expect(served.filter((name) => !parts.has(name) && !absent.has(name))).toEqual([])
    expect(matrix.kinds.filter(({ name }) => !served.includes(name)).map(({ name }) => name)).toEqual([])
  })

  it.each(
    Object.entries(validation).flatMap(([group, kinds]) =>
      group === "common" ? [] : Object.keys(kinds).map((kind) => `${group} ${kind}`),
    ),
  )("has a row for each fact of validation: %s", (name) => {
    if (absent.has(name)) return
    const [group = "", kind = ""] = name.split(" ")
    const part = parts.get(name)
    if (part === undefined) return expect(part, `${name} has no part`).toBeDefined()
    const { rules = [], create = [], update = [], status = [] } = validation[group]?.[kind] ?? {}
    expect(missingFacts(part, [...rules, ...create, ...update, ...status])).toEqual([])
  })

  it("puts shared types where the catalog has them", () => {
    const uses = matrix.kinds.flatMap((kind) => {
      const [group = "", name = ""] = kind.name.split(" ")
      const sections = Object.values(validation[group]?.[name] ?? {}).flat()
      return sections.flatMap(({ path, use }) => (use === undefined ? [] : [{ kind: kind.name, path, use }]))
    })
    const missing = uses.filter(({ kind, path, use }) => {
      const hosts = matrix.shared.find(({ name }) => name === `shared ${use}`)?.hosts ?? []
      return !hosts.some((host) => host.kind === kind && isAt(host.path, path))
    })
    const texts = missing.map(({ kind, path, use }) => `${kind} ${use} ${path}`)
    expect(texts.filter((text) => !unhosted.some(([use]) => use.test(text)))).toEqual([])
  })

  it("has each constant default", () => {
    const { shared, ...groups } = catalogFile<Facts & { shared: Readonly<Record<string, readonly Fact[]>> }>("defaults.yaml")
    const missing = [...matrix.kinds, ...matrix.shared].flatMap((part) => {
      const [group = "", kind = ""] = part.name.split(" ")
      const facts = group === "shared" ? shared[kind] : groups[group]?.[kind]?.defaults
      return (facts ?? []).filter((fact) => isConstant(fact) && !hasDefault(part, fact)).map(({ path }) => `${part.name} ${path}`)
    })
    expect(missing).toEqual([])
  })

  it("has all columns", () => {
    const { tables } = catalogFile<{ tables: readonly Table[] }>("tables.yaml")
    const different = matrix.kinds.flatMap((kind) => {
      const group = kind.apiVersion.includes("/") ? kind.apiVersion.split("/")[0] : ""
      const table = tables.find((each) => each.group === group && each.kind === kind.kind)
      const isDefault = table?.columns === "default" || plain.has(kind.name)
      const columns = isDefault ? defaultColumns : table?.columns === "none" ? [] : (table?.columns ?? [])
      const expected = columns.map(
        ({ name, type, priority }) => `${name}${type === "string" ? "" : `/${type}`}${priority === 0 ? "" : "*"}`,
      )
      return expected.join() === kind.columns.join() ? [] : [{ kind: kind.name, expected, found: kind.columns }]
    })
    expect(different).toEqual([])
  })

  it("has all sub-resources", () => {
    const { resources } = catalogFile<{ resources: readonly Resource[] }>("resources.yaml")
    const different = matrix.kinds.flatMap((kind) => {
      const group = kind.apiVersion.includes("/") ? kind.apiVersion.split("/")[0] : ""
      const { subresources = [] } = resources.find((each) => each.group === group && each.resource === kind.resource) ?? {}
      return subresources.filter(({ name, verbs }) => kind.subresources[name] !== verbs.join(" ")).map(({ name }) => `${kind.name} ${name}`)
    })
    expect(different).toEqual([])
  })

  it("sets every field in some object", () => {
    expect(unsetFields(matrix)).toEqual([])
  })
})

/** `<reason> <path>` of facts with fewer rows than the catalog states and no reason, and of reasons without a fact. */
function missingFacts(part: KindPart | SharedPart, facts: readonly Fact[]): string[] {
  const proved = new Map<string, number>()
  const rows: readonly Row[] = "kind" in part ? [...part.refused, ...part.changes, ...(part.status?.refused ?? [])] : part.refused
  for (const { outcome, field, fact, proves } of rows) {
    // The catalog has an index in the paths of some items.
    for (const path of new Set(fact === undefined ? [field, generic(field)] : [fact])) {
      const key = `${outcome === "kept" ? "Invalid" : outcome} ${path}`
      proved.set(key, (proved.get(key) ?? 0) + proves)
    }
  }
  const stated = new Map<string, number>()
  for (const fact of facts.filter(isChecked)) {
    const key = `${fact.type === "Immutable" ? "Invalid" : String(fact.type)} ${fact.path}`
    stated.set(key, (stated.get(key) ?? 0) + 1)
  }
  const pointless = Object.keys(part.unproved).filter((key) => !stated.has(key) && !key.startsWith("Default "))
  const missing = [...stated].flatMap(([key, count]) =>
    key in part.unproved || (proved.get(key) ?? 0) >= count ? [] : [`${key}: ${proved.get(key) ?? 0} of ${count}`],
  )
  return [...missing, ...pointless.map((key) => `${key}: a reason for what the catalog does not state`)]
}

/** Facts without a type say that there is no check; alpha fields are dropped. */
function isChecked({ type, use, note = "", rule = "" }: Fact): boolean {
  return use === undefined && type !== undefined && type !== null && type !== "None" && !isAlpha(`${note} ${rule}`)
}

/** A field behind a gate that is off; annotations have the word in their names. */
function isAlpha(text: string): boolean {
  return /(^|[ (])alpha(?!\.)/.test(text)
}

function generic(path: string): string {
  return path.replace(/\[\d+\]/g, "[*]")
}

/** Whether a path of an object is one of the catalog's, where `[*]` is any item and `*` any fields between. */
function isAt(path: string, pattern: string): boolean {
  const text = pattern
    .replace(/[.[\]]/g, "\\$&")
    .replace(/\\\[\*\\\]/g, "\\[\\d+\\]")
    .replace(/\.\*\\\./g, ".*\\.")
  return new RegExp(`^${text.replace(/\\\.\*\\\./g, "\\..*\\.")}$`).test(path)
}

function isConstant({ default: value, path, when = "", note = "" }: Fact): boolean {
  const isRule = typeof value === "string" && value.startsWith("<-")
  return value !== undefined && !isRule && !/[({=]/.test(path) && !isAlpha(`${when} ${note}`)
}

function hasDefault(part: Part, { path }: Fact): boolean {
  return `Default ${path}` in part.unproved || part.defaults.some((each) => generic(each.path) === path)
}
