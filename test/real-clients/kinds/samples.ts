/** One object of every kind for typed clients in any language: those of the store's tests and those of objects.yaml. */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { parse } from "yaml"
import type { JsonObject } from "../../../runtime/base/json.ts"

/** What the programs read. */
export interface Sample {
  readonly apiVersion: string
  readonly kind: string
  /** The program creates it; empty for kinds of the cluster. */
  readonly namespace: string
  readonly object: JsonObject
  /** What is written to the sub-resource `status`. */
  readonly status?: JsonObject
}

type Manifest = JsonObject & Pick<Sample, "apiVersion" | "kind" | "status"> & { readonly metadata?: JsonObject }

/** Stands for the namespace in both files. */
const placeholder = "interop"

/** The samples of one run: what one program creates in them, another one never meets. */
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
