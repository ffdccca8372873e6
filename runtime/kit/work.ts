/**
 * What work takes on the project's machine, in microseconds, about: what `Turns` (turns.ts) are counted in. Measured with objects of 1 to 3 KB; what is
 * proportional to an object goes by its bytes.
 */

/** To find an object and to ask it for what is at hand. */
export const lookWork = 0.3

/** To judge one requirement of a selector. */
export const requirementWork = 0.1

/** To compare two keys of fields, while a list is put in order. */
export const compareWork = 0.2

/** To read labels out of stored bytes or JSON, and to keep them. */
export const labelsWork = 5

/** To have the key of a field of an object whose values are at hand, and to keep it. */
export const fieldKeyWork = 3

/** From JSON to values. */
export function parseWork(bytes: number): number {
  return 1 + bytes * 0.006
}

/** From a stored value to its JSON. */
export function decodeWork(bytes: number): number {
  return 2 + bytes * 0.015
}

/** To have the values of an object: from what is held of it, which is not always JSON. */
export function readWork({ hasJson, sizeBytes }: { readonly hasJson: boolean; readonly sizeBytes: number }): number {
  return (hasJson ? 0 : decodeWork(sizeBytes)) + parseWork(sizeBytes)
}

/** From values to JSON or to the compact encoding. */
export function encodeWork(bytes: number): number {
  return 1 + bytes * 0.008
}

/** From one place in memory to another. */
export function copyWork(bytes: number): number {
  return 0.2 + bytes * 0.0002
}

/** To find metadata in JSON and to copy it: it stands in front, and is looked through byte by byte. */
export function cutWork(bytes: number): number {
  return 2 + Math.min(bytes, 1024) * 0.003
}

/** From JSON to JSON laid out for people. */
export function layOutWork(bytes: number): number {
  return 1 + bytes * 0.008
}

/** From values to YAML. */
export function yamlWork(bytes: number): number {
  return 1 + bytes * 0.13
}
