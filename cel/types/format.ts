import type { CelType } from "./type.ts"

/** A type as messages write it: `list(int)`, `map(string, dyn)`, `timestamp`. */
export function formatType(type: CelType): string {
  switch (type.kind) {
    case "any":
      return "any"
    case "duration":
      return "duration"
    case "timestamp":
      return "timestamp"
    case "error":
      return "!error!"
    case "null":
      return "null"
  }
  if (type.parameters.length === 0) return type.name
  return `${type.name}(${type.parameters.map(formatType).join(", ")})`
}

/** The arguments of a call: `(int, string)`, or `string.(int)` with a target. */
export function formatSignature(args: readonly CelType[], member: boolean): string {
  const [target, ...rest] = args
  if (!member || target === undefined) return `(${args.map(formatType).join(", ")})`
  return `${formatType(target)}.(${rest.map(formatType).join(", ")})`
}

/** The same type to the last parameter. With `byName`, parameters of types must have the same name too. */
export function sameType(one: CelType, other: CelType, byName = true): boolean {
  if (one === other) return true
  if (one.kind !== other.kind || one.parameters.length !== other.parameters.length) return false
  if ((byName || one.kind !== "param") && one.name !== other.name) return false
  return one.parameters.every((parameter, index) => {
    const match = other.parameters[index]
    return match !== undefined && sameType(parameter, match, byName)
  })
}
