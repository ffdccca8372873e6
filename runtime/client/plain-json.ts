/** Copies a JSON document that a program passes in, before the server reads it. */
import { badRequest } from "../base/errors.ts"
import { documentDepthMax } from "../base/limits.ts"
import { pathText, setField } from "../encoding/json/text.ts"
import type { JsonObject, JsonValue } from "../base/json.ts"

/** A document and its approximate size as text. */
export interface PlainJson {
  readonly value: JsonValue
  readonly bytes: number
}

/**
 * Returns a copy that shares nothing with `document`, without undefined fields. Throws 400 for a value that JSON cannot
 * express: a Date, a function, NaN, a cycle.
 */
export function plainJson(document: object): PlainJson {
  const copy = new Copy()
  return { value: copy.of(document), bytes: copy.bytes }
}

class Copy {
  bytes = 0
  private readonly steps: (string | number)[] = []

  of(value: unknown): JsonValue {
    switch (typeof value) {
      case "string":
        this.bytes += value.length + 2
        return value
      case "number":
        if (!Number.isFinite(value)) throw this.fault(String(value))
        this.bytes += 8
        return value
      case "boolean":
      case "bigint":
        this.bytes += 8
        return value
      case "object":
        return value === null ? null : this.ofObject(value)
      default:
        throw this.fault(value === undefined ? "undefined" : `a ${typeof value}`)
    }
  }

  private ofObject(value: object): JsonValue {
    if (this.steps.length >= documentDepthMax)
      throw badRequest(`the object is nested deeper than ${documentDepthMax} levels, or contains itself`)
    if (Array.isArray(value)) return value.map((item, index) => this.below(index, item))
    const prototype: unknown = Object.getPrototypeOf(value)
    if (prototype !== null && Object.getPrototypeOf(prototype) !== null) throw this.fault(`a ${value.constructor.name}`)
    const copy: JsonObject = {}
    for (const [name, field] of Object.entries(value)) {
      if (field === undefined) continue
      this.bytes += name.length + 4
      setField(copy, name, this.below(name, field))
    }
    return copy
  }

  private below(step: string | number, value: unknown): JsonValue {
    this.steps.push(step)
    const copy = this.of(value)
    this.steps.pop()
    return copy
  }

  private fault(found: string): Error {
    return badRequest(`${this.steps.length === 0 ? "the document" : pathText(this.steps)}: ${found} is no JSON value`)
  }
}
