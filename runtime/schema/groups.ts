/** Groups of fields of which one is set. */
import type { JsonObject } from "../base/json.ts"
import { addFailure, type FailureForm } from "./reported.ts"
import { type CheckContext, field, type TypeValidator } from "./validate.ts"

/** How failures of `oneOf` are reported when a second field is set, and when none is. */
export interface GroupForms {
  readonly second?: FailureForm
  readonly required?: FailureForm
}

/** A field of a group. `validate`: of its value; `shown`: the path by which failures name it, its name by default. */
interface GroupMember {
  readonly name: string
  readonly validate?: TypeValidator
  readonly shown?: string
}

/** Fields of which one is set. */
export interface Group {
  readonly members: readonly GroupMember[]
  readonly required: boolean
  readonly forms: GroupForms
}

/** Makes a group of the names of fields, and of fields whose values have a validator. */
export function group(members: readonly (string | GroupMember)[], required: boolean, forms: GroupForms = {}): Group {
  return { members: members.map((member) => (typeof member === "string" ? { name: member } : member)), required, forms }
}

/**
 * At most one of the fields may be set: its value is validated, and each further one is Forbidden, whatever it holds.
 * With `required`, none at all is Required at this path.
 */
export function oneOf(self: JsonObject, context: CheckContext, { members, required, forms }: Group): void {
  let first: string | undefined
  for (const { name, validate, shown } of members) {
    const value = self[name]
    if (value === undefined || value === null || value === "") continue
    if (first === undefined) {
      first = name
      if (validate !== undefined) field(self, name, context, validate, shown)
    } else addFailure(context, forms.second, { type: "Forbidden", path: name, value, detail: `may not be set together with ${first}` })
  }
  if (!required || first !== undefined) return
  const names = members.map(({ name }) => name).join(", ")
  addFailure(context, forms.required, { type: "Required", path: ".", detail: `must specify one of: ${names}` })
}
