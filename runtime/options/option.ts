/** What the table of options says about one of them. */
import type { ValueType } from "./value-types.ts"

/** Headings of `--help`, in the order shown. */
export const groups = [
  "Serving",
  "Certificates",
  "Who may",
  "Store",
  "Services",
  "Other machines",
  "Requests and shutdown",
  "Kinds and features",
  "Logs and files",
] as const

export type Group = (typeof groups)[number]

export interface Option<T> {
  readonly type: ValueType<T>
  readonly group: Group
  readonly default: NoInfer<T>
  /** Instead of the default value in help, where the default follows from another option. */
  readonly defaultText?: string
  /** Our words; a full sentence or two. */
  readonly help: string
  /** One letter: `v`. */
  readonly short?: string
}

/** Called by the table: keeps the value type of each row. */
export function option<T>(row: Option<T>): Option<T> {
  return row
}

/** `secure-port` → `ORCH_SECURE_PORT`. */
export function environmentName(name: string): string {
  return `ORCH_${name.toUpperCase().replaceAll("-", "_")}`
}

/** `secure-port` → `securePort`, the key in a configuration file. */
export function configKey(name: string): string {
  return name.replaceAll(/-([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase())
}
