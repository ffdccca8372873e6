/** Which fields of which objects were noted already: by identity and name, so that a field of a long path costs no more than another. */
import type { JsonObject } from "./json.ts"

export class Repeats {
  /** Made with the first field: most documents have none to note, and a reader is made for each document. */
  private names: Map<JsonObject, Set<string>> | undefined

  /** Notes a field; true when it was not noted before. */
  isFirst(object: JsonObject, name: string): boolean {
    this.names ??= new Map()
    const names = this.names.get(object) ?? new Set()
    if (names.has(name)) return false
    this.names.set(object, names.add(name))
    return true
  }
}
