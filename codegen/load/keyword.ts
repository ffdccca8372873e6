/** An entry of the dialect's tables: one keyword. */

/** A mapping of a schema file that has keywords of its own. */
export type KeywordPlace =
  | "kind"
  | "shared"
  | "names"
  | "storage"
  | "deprecation"
  | "optional"
  | "conversion"
  | "selectable"
  | "column"
  | "completed"
  | "status"
  | "scale"
  | "subresource"
  | "create"
  | "update"
  | "delete"
  | "warning"
  | "type"
  | "field"
  | "reference"
  | "constraints"
  | "failure"
  | "rule"
  | "defaultRule"
  | "oneOf"

/** The form of a keyword's value. `either` takes the first form that fits the node's shape. */
export type ValueForm =
  | {
      readonly form:
        | "text"
        | "boolean"
        | "number"
        | "constant"
        | "path"
        | "reportedPath"
        | "expression"
        | "template"
        | "type"
        | "fieldName"
        | "kindReference"
        | "identifier"
        | "formatName"
    }
  | { readonly form: "integer"; readonly minimum: number; readonly maximum: number }
  | { readonly form: "word"; readonly words: readonly (string | boolean)[] }
  | { readonly form: "block"; readonly place: KeywordPlace }
  | { readonly form: "list"; readonly of: ValueForm }
  | { readonly form: "map"; readonly of: ValueForm; readonly named?: Readonly<Record<string, KeywordPlace>> }
  | { readonly form: "either"; readonly of: readonly ValueForm[] }

export interface Keyword {
  readonly word: string
  readonly places: readonly KeywordPlace[]
  readonly value: ValueForm
  /** An error when absent, unless the block has the other word. */
  readonly required?: boolean | { readonly unless: string }
  readonly doc: string
  /** YAML that shows it in use. */
  readonly example: string
}
