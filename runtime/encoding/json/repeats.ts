/** A set of fields, identified by object and name, so that a field with a long path costs no more than another. */
import type { JsonObject } from "../../base/json.ts"

export class SeenFields {
  /** Created with the first field: most documents have none to record, and each document has its own parser. */
  private names: Map<JsonObject, Set<string>> | undefined

  /** Records a field; true when it was not recorded before. */
  isFirst(object: JsonObject, name: string): boolean {
    this.names ??= new Map()
    const names = this.names.get(object) ?? new Set()
    if (names.has(name)) return false
    this.names.set(object, names.add(name))
    return true
  }
}
