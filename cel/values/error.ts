import { ErrorValue, type Result } from "./value.ts"

/** An error with a text for users. */
export function errorOf(message: string): ErrorValue {
  return new ErrorValue(message)
}

const noOverload = new ErrorValue("no such overload")

/** What an operation answers to values it is not made for. Without a name: the text has no more than that. */
export function noSuchOverload(name?: string): ErrorValue {
  return name === undefined ? noOverload : new ErrorValue(`no such overload: ${name}`)
}

export function isError(value: Result): value is ErrorValue {
  return value instanceof ErrorValue
}
