/** Protobuf in the model of kinds: which types have a message, and the packages and `.proto` files that hold them. */
import type { TypeModel } from "./model.ts"

/** Whether the type has a protobuf message: it has a numbered field, or no fields at all (`emptyDir: {}`). */
export function hasMessage(type: TypeModel): boolean {
  return type.fields.length === 0 || type.fields.some((field) => field.number !== undefined)
}

/** The package of the messages that belong to no group: scalars such as Time, and the envelope. */
export const runtimePackage = "orch.runtime.v1"

/**
 * The protobuf package of a group and version: `core` v1 → `orch.api.core.v1`, `events.orch.io` v1 →
 * `orch.api.events.v1`, a user's `kitchen.example.com` v1 → `com.example.kitchen.v1`.
 */
export function protobufPackage({ group, version }: { readonly group: string; readonly version: string }): string {
  return `${groupPackage(group)}.${identifier(version)}`
}

/** Packages of groups whose first label does not name them, as in kube-apiserver. */
const groupPackages: Readonly<Record<string, string>> = {
  "": "orch.api.core",
  "internal.apiserver.orch.io": "orch.api.apiserverinternal",
}

function groupPackage(group: string): string {
  const known = groupPackages[group]
  if (known !== undefined) return known
  const labels = group.split(".").map(identifier)
  const builtIn = group.endsWith(".orch.io") || labels.length === 1
  return builtIn ? `orch.api.${labels[0] ?? ""}` : labels.toReversed().join(".")
}

/** A label of a group as an identifier: `my-team` → `my_team`, `3d` → `x3d`. */
function identifier(label: string): string {
  const word = label.toLowerCase().replaceAll(/[^a-z0-9_]/g, "_")
  return /^[0-9]/.test(word) ? `x${word}` : word
}

/**
 * The path of a package's file below the folder of all: `orch/api/core/v1/core.proto`. `added`: the file of the types
 * that a user adds to a package that has a file already.
 */
export function protobufFile(packageName: string, added = false): string {
  const parts = packageName.split(".")
  return `${parts.join("/")}/${parts.at(-2) ?? ""}${added ? "_added" : ""}.proto`
}
