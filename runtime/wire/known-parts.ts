/**
 * Parts of a body that this process has decoded or written before, and need not read again: a settled value
 * (`encoding/settled-texts.ts`), and the managed fields of the object that the body replaces, which clients send back.
 */
import { type ApiObject, isObject, type JsonObject } from "../base/json.ts"
import { managedFieldsText } from "../encoding/json/field-set-text.ts"
import { isPlaceholder, type Place, startsWith, withPlaceholders } from "../encoding/json/placeholders.ts"
import type { SettledTexts } from "../encoding/settled-texts.ts"

export interface KnownParts {
  /** The text of the document with placeholders for the parts. */
  readonly rest: string
  readonly isSettled: boolean
  /**
   * Called with the document that `rest` was parsed to: puts the settled value into it, and takes the managed fields
   * out. Returns false if one of the parts is a field of that name elsewhere in the document.
   */
  readonly putBack: (document: JsonObject) => boolean
  /** Called with the object made from the document: puts the managed fields into it. */
  readonly putManagers: (object: ApiObject) => void
}

interface KnownFrom {
  readonly settled?: SettledTexts | undefined
  readonly stored?: ApiObject | undefined
}

/** Finds the known parts of a body. Undefined: there are none. */
export function knownParts(body: Buffer, { settled, stored }: KnownFrom): KnownParts | undefined {
  const value = settled?.find(body, stored)
  const place = placeOfManagers(body, stored)
  const managers = place !== undefined && value !== undefined && overlap(place, value) ? undefined : place
  const places = [managers, value].filter((part) => part !== undefined).sort((one, other) => one.from - other.from)
  if (places.length === 0) return undefined
  return {
    rest: withPlaceholders(body, places),
    isSettled: value !== undefined,
    putBack(document) {
      if (settled !== undefined && value !== undefined) {
        if (!isPlaceholder(document[settled.field])) return false
        document[settled.field] = value.value
      }
      if (managers === undefined) return true
      const { metadata } = document
      if (!isObject(metadata) || !isPlaceholder(metadata.managedFields)) return false
      metadata.managedFields = undefined
      return true
    },
    putManagers(object) {
      const managedFields = stored?.metadata?.managedFields
      if (managers !== undefined && managedFields !== undefined && object.metadata !== undefined)
        object.metadata.managedFields = managedFields
    },
  }
}

function overlap(one: Place, other: Place): boolean {
  return one.from < other.to && other.from < one.to
}

const opening = '"managedFields":'
/** Shorter ones are parsed as fast as they are compared. */
const charactersMin = 512

function placeOfManagers(body: Buffer, stored: ApiObject | undefined): Place | undefined {
  const managedFields = stored?.metadata?.managedFields
  if (managedFields === undefined) return undefined
  const text = managedFieldsText(managedFields)
  const at = text.length < charactersMin ? -1 : body.indexOf(opening)
  if (at < 0) return undefined
  const bytes = Buffer.from(text)
  const from = at + opening.length
  return startsWith(body, from, bytes) ? { from, to: from + bytes.length } : undefined
}
