/** The 403 of an admission plugin, about the object of the request. */
import { type ApiError, forbidden, type StatusCause } from "../base/errors.ts"
import type { RequestAttributes } from "./plugin.ts"

/** Called by plugins: `pods "p" is forbidden: why`. Shows `generateName` for an object without a name. */
export function refused(attributes: RequestAttributes, why: string, causes?: readonly StatusCause[]): ApiError {
  const { group, resource } = attributes.resource
  return forbidden({ group, resource, name: nameOf(attributes) }, why, causes === undefined ? {} : { causes })
}

function nameOf({ name, object }: RequestAttributes): string {
  if (name !== "") return name
  const { name: ofObject = "", generateName = "" } = object?.metadata ?? {}
  return ofObject || generateName || "Unknown"
}
