/** Runs the real loader and generator on schema texts, and evaluates the emitted code, in memory. */
import { dirname, join } from "node:path"
import { transformSync } from "esbuild"
import { typeOf } from "../../codegen/emit/context.ts"
import { emit, packageOptions } from "../../codegen/emit/index.ts"
import { readSchemas } from "../../codegen/folder.ts"
import { formatDiagnostic, load } from "../../codegen/load/index.ts"
import * as objectMetaShape from "../../generated/meta/v1/object-meta/shape.ts"
import type { ShapeOf } from "../../model/defaults.ts"
import type { Model } from "../../model/model.ts"
import { shapesOf } from "../../model/shapes.ts"
import * as doorway from "../../runtime/schema/index.ts"
import type { Kind } from "../../runtime/schema/kind.ts"

/** A mistake that is planted between the schemas and the server. */
export interface PlantedMistake {
  /** Changes the model before it is emitted. */
  readonly model?: (model: Model) => Model
  /** Replaces functions that generated code imports. */
  readonly doorway?: Readonly<Record<string, unknown>>
  /** Changes the records of the kinds. */
  readonly kind?: (kind: Kind) => Kind
  /** The server does not compare the shapes that wrote the store with its own. */
  readonly unchecked?: boolean
}

const library = new Map([...readSchemas(join(import.meta.dirname, "..", "..", "schemas"))].filter(([path]) => path.startsWith("meta/")))

const packageModules: Readonly<Record<string, unknown>> = {
  "orch-apiserver/generated/meta/v1/object-meta/shape": objectMetaShape,
}

/** The generator's model and its output. */
export interface GeneratedKinds {
  readonly model: Model
  /** From the unique name of a type to its shape. */
  readonly shapeOf: ShapeOf
  readonly kinds: readonly Kind[]
  /** The text of `numbers.lock.yaml`. */
  readonly numbers: string
}

/** The message has the diagnostics of the generator. */
export class RefusedByGenerator extends Error {}

/**
 * The kinds of these schema files, by name. `numbers`: the lock of an earlier run. Throws RefusedByGenerator with the
 * diagnostics.
 */
export function generatedKinds(
  files: readonly (readonly [string, string])[],
  planted: PlantedMistake = {},
  numbers?: string,
): GeneratedKinds {
  const loaded = load(new Map(files), { library, ...(numbers !== undefined && { numbers }) })
  if ("diagnostics" in loaded)
    throw new RefusedByGenerator(
      loaded.diagnostics.map((one) => `${formatDiagnostic(one, "")} in ${new Map(files).get(one.file)}`).join("\n"),
    )
  const model = planted.model?.(loaded.model) ?? loaded.model
  const paths = files.map(([path]) => path.replace(/\.yaml$/, ""))
  const texts = emit(model, packageOptions(new Set(paths), "schemas"))
  const kinds = evaluate(texts, { ...doorway, ...planted.doorway })
  return {
    model,
    numbers: loaded.numbers,
    shapeOf: shapesOf((name) => typeOf({ model }, name)),
    kinds: kinds.map((kind) => planted.kind?.(kind) ?? kind),
  }
}

function evaluate(texts: ReadonlyMap<string, string>, schema: Readonly<Record<string, unknown>>): readonly Kind[] {
  const modules = new Map<string, Record<string, unknown>>()
  function moduleAt(path: string): Record<string, unknown> {
    const known = modules.get(path)
    if (known !== undefined) return known
    const exports: Record<string, unknown> = {}
    modules.set(path, exports)
    const { code } = transformSync(texts.get(path) ?? "", { loader: "ts", format: "cjs", supported: { "dynamic-import": false } })
    const module = { exports }
    new Function("require", "module", "exports", code)((name: string) => imported(path, name), module, exports)
    modules.set(path, module.exports)
    return module.exports
  }
  function imported(from: string, name: string): unknown {
    if (name.startsWith(".")) return moduleAt(join(dirname(from), name))
    if (name === "orch-apiserver/schema") return schema
    const found = packageModules[name]
    if (found === undefined) throw new Error(`${from} imports ${name}, which this test does not have`)
    return found
  }
  const { kinds } = moduleAt("index.ts")
  if (!Array.isArray(kinds)) throw new Error("the generator emitted no kinds")
  return kinds
}
