/**
 * Approximate cost of work on the project's machine, in microseconds: the unit of `Turns` (turns.ts). Measured with
 * objects of 1 to 3 KB; costs that grow with an object are per byte.
 */

/** Looking up an object and reading what the cache holds of it. */
export const lookWork = 0.3

/**
 * Approximate work of a controller for one object or key: reads, and a write now and then. A store in memory answers
 * within the turn, so that ten thousand keys would be one.
 */
export const keyWork = 300

/** Testing one requirement of a selector. */
export const requirementWork = 0.1

/** Checking and compiling a requirement of a selector, or one of its values. */
export const compileWork = 1

/** Comparing two sort keys. */
export const compareWork = 0.2

/** Extracting labels from stored bytes or JSON, and caching them. */
export const labelsWork = 5

/** Computing and caching the key of a field of a decoded object. */
export const fieldKeyWork = 3

/** Parsing JSON. */
export function parseWork(bytes: number): number {
  return 1 + bytes * 0.006
}

/** Converting a stored value to JSON. */
export function decodeWork(bytes: number): number {
  return 2 + bytes * 0.015
}

/** Obtaining the decoded object from what the cache holds, which is not always JSON. */
export function readWork({ hasJson, sizeBytes }: { readonly hasJson: boolean; readonly sizeBytes: number }): number {
  return (hasJson ? 0 : decodeWork(sizeBytes)) + parseWork(sizeBytes)
}

/** Encoding values as JSON or protobuf. */
export function encodeWork(bytes: number): number {
  return 1 + bytes * 0.008
}

/** Copying memory. */
export function copyWork(bytes: number): number {
  return 0.2 + bytes * 0.0002
}

/** Finding and copying the metadata in JSON: it is at the front, and the search goes byte by byte. */
export function cutWork(bytes: number): number {
  return 2 + Math.min(bytes, 1024) * 0.003
}

/** Indenting JSON. */
export function layOutWork(bytes: number): number {
  return 1 + bytes * 0.008
}

/** Writing values as YAML. */
export function yamlWork(bytes: number): number {
  return 1 + bytes * 0.13
}
