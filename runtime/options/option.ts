/** The type of one row of the option table. */
import type { ValueType } from "./value-types.ts"

/** Headings of `--help`, in this order. */
export const groups = [
  "Serving",
  "Certificates",
  "Authentication and authorization",
  "Audit",
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
  /** Shown in help instead of the default value, for a default that follows from another option. */
  readonly defaultText?: string
  /** One or two full sentences. */
  readonly help: string
  /** The one-letter name, such as `v`. */
  readonly short?: string
  /** Only the program reads it: `startServer` refuses it. */
  readonly programOnly?: true
}

/** Identity function; preserves the value type of each row of the table. */
export function option<T, const Row extends Pick<Option<T>, "programOnly">>(row: Option<T> & Row): Option<T> & Row {
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
