/** Maps the imports of emitted files: the doorway, behaviours, and types that were generated elsewhere. */
import { posix } from "node:path"
import { kebabCase } from "./names.ts"
import type { Model } from "../../model/model.ts"
import { otherVersions } from "../../model/openapi/meta-kinds.ts"
import type { GroupVersion } from "../../model/openapi/names.ts"

/** The parts of a schema file's folder. */
export type Part = "types" | "shape" | "defaults" | "validate" | "columns" | "convert" | "resource" | "handlers"

export interface EmitOptions {
  /** Paths of the schema files to write (`core/v1/pod`); others in the model are only imported. */
  readonly emitted: ReadonlySet<string>
  /**
   * Whether the OpenAPI documents publish the limits of the types of a schema file (docs/OPENAPI.md). The reference
   * publishes none for the built-in kinds.
   */
  readonly publishesLimits: (file: string) => boolean
  /**
   * Whether definitions that several documents of version 3 have are written once, to `openapi/definitions.json`: the
   * package is half a megabyte smaller. Absent: every document is complete.
   */
  readonly sharesDefinitions?: true
  /** Group versions without a schema that documents name; see `OpenApiSource.otherVersions`. */
  readonly otherVersions?: readonly GroupVersion[]
  /** The first part of the schema path on line 1 of each file: `schemas`. */
  readonly schemaFolder: string
  /** Returns the module specifier of the doorway for a file at this path below out. */
  readonly doorwayImport: (fromFile: string) => string
  /** Whether a behaviour of this name is the user's own. Absent: the kinds are built in. */
  readonly ownBehaviour?: (name: string) => boolean
  /** Returns the module of a behaviour: `checks/podContainers`, `cells/podStatus`, `conversions/events`. */
  readonly behaviourImport: (fromFile: string, name: string) => string
  /**
   * Returns the module with `part` of schema file `toFile` (`core/v1/shared/pod-spec`), relative to `fromFile`
   * (`core/v1/pod/shape.ts`).
   */
  readonly importPath: (fromFile: string, toFile: string, part: Part) => string
}

/** Options for this repository: emits everything into `generated/`, beside `runtime/`. */
export function repositoryOptions(model: Model): EmitOptions {
  const relative = (fromFile: string, to: string): string => {
    const path = posix.relative(posix.dirname(posix.join("generated", fromFile)), to)
    return path.startsWith(".") ? path : `./${path}`
  }
  return {
    emitted: new Set(model.files.map((file) => file.path)),
    publishesLimits: () => false,
    otherVersions,
    sharesDefinitions: true,
    schemaFolder: "schemas",
    doorwayImport: (fromFile) => relative(fromFile, "runtime/schema/index.ts"),
    behaviourImport: (fromFile, name) => relative(fromFile, `runtime/behaviours/${kebabCase(name)}.ts`),
    importPath: (fromFile, toFile, part) => relative(fromFile, `generated/${toFile}/${part}.ts`),
  }
}

/** `ownBehaviour` is as in `EmitOptions`; default: every one. */
export interface PackageNames extends Pick<EmitOptions, "ownBehaviour"> {
  /** The module specifier of this package in generated code. */
  readonly packageName?: string
}

/**
 * Options for a user's schema folder. Files outside `emitted` are this package's library types, the doorway is the
 * package's export, and behaviours are in `behaviours/` beside the out folder.
 */
export function packageOptions(
  emitted: ReadonlySet<string>,
  schemaFolder: string,
  { packageName = "orch-apiserver", ownBehaviour = () => true }: PackageNames = {},
): EmitOptions {
  const relative = (fromFile: string, to: string): string => {
    const path = posix.relative(posix.dirname(fromFile), to)
    return path.startsWith(".") ? path : `./${path}`
  }
  return {
    emitted,
    publishesLimits: (file) => emitted.has(file),
    schemaFolder,
    ownBehaviour,
    doorwayImport: () => `${packageName}/schema`,
    behaviourImport: (fromFile, name) => relative(fromFile, `../behaviours/${kebabCase(name)}.ts`),
    importPath: (fromFile, toFile, part) =>
      emitted.has(toFile) ? relative(fromFile, `${toFile}/${part}.ts`) : `${packageName}/generated/${toFile}/${part}`,
  }
}
