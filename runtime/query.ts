/** Query parameters as the API reads them. Errors name the parameter, the value and what would be right. */
import { badRequest } from "./errors.ts"

/** Present and neither `false` nor `0` (any case): the reference's rule, so `?watch` and `?watch=1` are both true. */
export function booleanParameter(query: URLSearchParams, name: string): boolean | undefined {
  const value = query.get(name)
  if (value === null) return undefined
  return value.toLowerCase() !== "false" && value !== "0"
}

/** Absent or empty: undefined. Throws 400 for anything but a whole number. */
export function integerParameter(query: URLSearchParams, name: string): number | undefined {
  const value = query.get(name)
  if (value === null || value === "") return undefined
  if (!/^[+-]?\d{1,15}$/.test(value)) throw badRequest(`query parameter ${name}: ${JSON.stringify(value)} is not a whole number`)
  return Number(value)
}

/** First value given, "" when absent. */
export function textParameter(query: URLSearchParams, name: string): string {
  return query.get(name) ?? ""
}
