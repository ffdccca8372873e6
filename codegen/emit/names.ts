/** Names of what is generated for a type. */

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

/** The constant with the limits of a type's own fields. */
export function limitsName(localName: string): string {
  return `${lowerFirst(localName)}Limits`
}

/** The function that applies a type's defaults. */
export function defaultName(localName: string): string {
  return `default${localName}`
}

/** The type that clients may send, where it differs from what the server returns. */
export function inputName(localName: string): string {
  return `${localName}Input`
}

/** `checks/podContainers` → `checks/pod-containers`: files are kebab-case. */
export function kebabCase(name: string): string {
  return name.replaceAll(/([a-z0-9])([A-Z])/g, "$1-$2").toLowerCase()
}
