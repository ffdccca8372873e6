/** Names of declarations that are generated for a type. */
import { upperFirst } from "../../model/names.ts"

/** `PodSpec` → `podSpec`, `HTTPGetAction` → `httpGetAction`, `CSIDriver` → `csiDriver`. */
export function lowerFirst(name: string): string {
  const capitals = /^[A-Z]+/.exec(name)?.[0].length ?? 0
  const lowered = capitals <= 1 || capitals === name.length ? capitals : capitals - 1
  return name.slice(0, lowered).toLowerCase() + name.slice(lowered)
}

/** Words that no constant of a module may have as its name. */
const reserved: ReadonlySet<string> = new Set(
  (
    "arguments await break case catch class const continue debugger default delete do else enum eval export extends false finally for " +
    "function if implements import in instanceof interface let new null package private protected public return static super switch " +
    "this throw true try typeof var void while with yield"
  ).split(" "),
)

/** The constant of a kind's record: `pod`, and `functionKind` for a kind whose name is a word of the language. */
export function kindName(kind: string): string {
  const name = lowerFirst(kind)
  return reserved.has(name) ? `${name}Kind` : name
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

/** The constant of a group of fields of a type, of which one is set. */
export function groupName(localName: string, index: number): string {
  return `${lowerFirst(localName)}Group${index === 0 ? "" : index + 1}`
}

/** The function that applies a type's defaults. */
export function defaultName(localName: string): string {
  return `default${localName}`
}

/**
 * The word of each group in code: its first label, or all of it where two groups have one first label. `""` → `core`,
 * `kitchen.example.com` → `kitchen`, else `kitchenExampleCom`.
 */
export function groupWords(groups: readonly string[]): ReadonlyMap<string, string> {
  const all = new Set(groups)
  const short = (group: string): string => (group === "" ? "core" : camelCase(group.split(".", 1)))
  const isTaken = (group: string): boolean => [...all].some((other) => other !== group && short(other) === short(group))
  return new Map([...all].map((group) => [group, isTaken(group) && group !== "" ? camelCase(group.split(".")) : short(group)]))
}

function camelCase(labels: readonly string[]): string {
  return labels
    .flatMap((label) => label.split("-"))
    .map((part, index) => (index === 0 ? part : upperFirst(part)))
    .join("")
}

/** The type of objects that clients send, where it differs from the returned type. */
export function inputName(localName: string): string {
  return `${localName}Input`
}

/** `checks/podContainers` → `checks/pod-containers`: files are kebab-case. */
export function kebabCase(name: string): string {
  return name.replaceAll(/([a-z0-9])([A-Z])/g, "$1-$2").toLowerCase()
}
