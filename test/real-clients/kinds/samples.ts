/** One object of every kind for typed clients in any language: the objects of the store's tests and of objects.yaml. */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { parse } from "yaml"
import type { JsonObject } from "../../../runtime/base/json.ts"

/** An object as the programs read it. */
export interface Sample {
  readonly apiVersion: string
  readonly kind: string
  /** The program creates this namespace; empty for cluster-scoped kinds. */
  readonly namespace: string
  readonly object: JsonObject
  /** Content to write to the sub-resource `status`. */
  readonly status?: JsonObject
}

type Manifest = JsonObject & Pick<Sample, "apiVersion" | "kind" | "status"> & { readonly metadata?: JsonObject }

/** Stands for the namespace in both files. */
const placeholder = "interop"

/** The samples of one run: another program never meets the objects that one program creates. */
export function samplesFor(run: string): readonly Sample[] {
  const stored: readonly { create: Manifest; status?: JsonObject }[] = parse(textOf("../store/objects.yaml"))
  const others: readonly Manifest[] = parse(textOf("objects.yaml"), { merge: true })
  const all = [
    ...stored.map(({ create, status }) => ({ object: create, status })),
    ...others.map(({ status, ...object }) => ({ object, status })),
  ]
  return all.map(({ object, status }, index) => {
    const namespace = `${run}-${index}`
    const renamed: Pick<Sample, "object" | "status"> = JSON.parse(
      JSON.stringify({ object, status }).replaceAll(JSON.stringify(placeholder), JSON.stringify(namespace)),
    )
    const { apiVersion, kind, metadata } = object
    return { apiVersion, kind, namespace: metadata?.["namespace"] === undefined ? "" : namespace, ...renamed }
  })
}

function textOf(file: string): string {
  return readFileSync(fileURLToPath(new URL(file, import.meta.url)), "utf8")
}
