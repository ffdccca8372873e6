/**
 * Accessors for decoded pods, shared by checks and cells. A value of another type reads as absent: decoding refuses it
 * anyway.
 */
import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts"

/** The object at a path of field names; undefined when any step is absent. */
export function objectAt(of: JsonValue | undefined, ...names: readonly string[]): JsonObject | undefined {
  let value = of
  for (const name of names) value = isObject(value) ? value[name] : undefined
  return isObject(value) ? value : undefined
}

/** The items of the list field `name`; none when it is absent. */
export function listOf(of: JsonValue | undefined, name: string): readonly JsonObject[] {
  const list = isObject(of) ? of[name] : undefined
  return Array.isArray(list) ? list.filter(isObject) : []
}

/** The text in field `name`; "" when it is absent. */
export function textOf(of: JsonValue | undefined, name: string): string {
  const value = isObject(of) ? of[name] : undefined
  return typeof value === "string" ? value : ""
}

/** The number in field `name`; undefined when it is absent. */
export function numberOf(of: JsonValue | undefined, name: string): number | undefined {
  const value = isObject(of) ? of[name] : undefined
  return typeof value === "number" || typeof value === "bigint" ? Number(value) : undefined
}

export type ContainerList = "containers" | "initContainers" | "ephemeralContainers"

/** A container and its position in the pod spec. */
export interface PlacedContainer {
  readonly container: JsonObject
  readonly list: ContainerList
  /** `initContainers[1]`, relative to the pod spec. */
  readonly path: string
}

/** All containers of a pod spec: the main ones, then init containers, then ephemeral ones. */
export function containersOf(spec: JsonValue | undefined): readonly PlacedContainer[] {
  const lists: readonly ContainerList[] = ["containers", "initContainers", "ephemeralContainers"]
  return lists.flatMap((list) => listOf(spec, list).map((container, index) => ({ container, list, path: `${list}[${index}]` })))
}

/** Whether an init container keeps running beside the main containers. */
export function isSidecar(container: JsonObject): boolean {
  return container["restartPolicy"] === "Always"
}
