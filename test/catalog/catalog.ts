/** The catalog of the built-in API, next to a checkout (`../shared/catalog`, or ORCH_CATALOG). */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { describe } from "vitest"
import { parse } from "yaml"

const repository = join(import.meta.dirname, "..", "..")
const catalogFolder = resolve(repository, process.env.ORCH_CATALOG ?? "../shared/catalog")
export const hasCatalog = existsSync(catalogFolder)

/**
 * `describe` for suites that need the catalog. A checkout alone does not have it: there the suite is skipped, its name
 * says why, and the summary of `.ci/run` lists it.
 */
export function describeCatalog(name: string, suite: () => void): void {
  describe.skipIf(!hasCatalog)(hasCatalog ? name : `${name} (there is no catalog: set ORCH_CATALOG)`, suite)
}

export interface CatalogField {
  readonly type: string
  readonly n?: number
  readonly protoName?: string
  readonly required?: boolean
  readonly omitempty?: boolean
  readonly pointer?: boolean
  readonly inline?: boolean
  readonly listType?: string
  readonly listMapKeys?: readonly string[]
  readonly mapType?: string
  readonly structType?: string
  readonly patchStrategy?: string
  readonly patchMergeKey?: string
  /** The field is dropped unless this gate is on. */
  readonly featureGate?: string
}

export interface CatalogFile {
  readonly group: string
  readonly version: string
  readonly types: Readonly<Record<string, { readonly fields?: Readonly<Record<string, CatalogField>> }>>
}

/** Names of the files with types; none without a catalog. */
export function typeFiles(): readonly string[] {
  return hasCatalog ? readdirSync(join(catalogFolder, "types")).sort() : []
}

export function typeFile(name: string): CatalogFile {
  return catalogFile<CatalogFile>(join("types", name))
}

/** One file of the catalog, in the form that its head describes. */
export function catalogFile<T>(name: string): T {
  return parse(catalogText(name)) as T // The format of the catalog.
}

export function catalogText(name: string): string {
  return readFileSync(join(catalogFolder, name), "utf8")
}
