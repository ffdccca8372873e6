/** Which fields of which objects were noted already: by identity and name, so that a field of a long path costs no more than another. */
import type { JsonObject } from "./json.ts"

export class Repeats {
  private readonly names = new WeakMap<JsonObject, Set<string>>()

  /** Notes a field; true when it was not noted before. */
  isFirst(object: JsonObject, name: string): boolean {
    const names = this.names.get(object) ?? new Set()
    if (names.has(name)) return false
    this.names.set(object, names.add(name))
    return true
  }
}
