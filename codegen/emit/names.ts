/** Names of what is generated for a type. */

export { upperFirst } from "../../model/names.ts"

/** `PodSpec` → `podSpec`, `HTTPGetAction` → `httpGetAction`, `CSIDriver` → `csiDriver`. */
export function lowerFirst(name: string): string {
  const capitals = /^[A-Z]+/.exec(name)?.[0].length ?? 0
  const lowered = capitals <= 1 || capitals === name.length ? capitals : capitals - 1
  return name.slice(0, lowered).toLowerCase() + name.slice(lowered)
}

/** The constant of a type's shape. */
export function shapeName(localName: string): string {
  return `${lowerFirst(localName)}Shape`
}

/** The function that validates a type. */
export function validateName(localName: string): string {
  return `validate${localName}`
}

/** The compiled constraint check of a type. */
export function constraintsName(localName: string): string {
  return `check${localName}`
}

/** The function that applies a type's defaults. */
export function defaultName(localName: string): string {
  return `default${localName}`
}
