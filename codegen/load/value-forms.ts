/** Value forms that several keywords of the dialect share. */
import type { ValueForm } from "./keyword.ts"

export const text: ValueForm = { form: "text" }
export const boolean: ValueForm = { form: "boolean" }
export const path: ValueForm = { form: "path" }
export const paths: ValueForm = { form: "list", of: path }
export const expression: ValueForm = { form: "expression" }
export const identifier: ValueForm = { form: "identifier" }
export const identifiers: ValueForm = { form: "list", of: identifier }
export const fieldName: ValueForm = { form: "fieldName" }
export const fieldNames: ValueForm = { form: "list", of: fieldName }
/** A word that is only written to turn something on. */
export const yes: ValueForm = { form: "word", words: [true] }

/** One of these words. */
export function word(...words: readonly (string | boolean)[]): ValueForm {
  return { form: "word", words }
}
