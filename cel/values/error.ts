import { ErrorValue, type Result } from "./value.ts"

/** An error with a text for users. */
export function errorOf(message: string): ErrorValue {
  return new ErrorValue(message)
}

const noOverload = new ErrorValue("no such overload")

/** The error of an operation for values of wrong types. Without a name, the message ends there. */
export function noSuchOverload(name?: string): ErrorValue {
  return name === undefined ? noOverload : new ErrorValue(`no such overload: ${name}`)
}

export function isError(value: Result): value is ErrorValue {
  return value instanceof ErrorValue
}
