/**
 * Field numbers of the compact encoding. A number that the schema states is taken; every other field gets the one in
 * the lock, or the lowest that its type has never used. Changes that would give a number a second meaning are faults.
 */
import type { FieldModel } from "../../model/model.ts"
import type { TypeDeclaration } from "./declare.ts"
import type { Fault } from "./diagnostic.ts"
import type { FieldDeclaration } from "./fields.ts"
import { type Acceptance, type LockedField, type LockedType, lockFile, type NumberLock } from "./numbers-lock.ts"
import type { TypeTable } from "./type-table.ts"
import { shownType } from "./type-text.ts"
import { fitsCompact, isReadable, leafName, type WireChange } from "./wire-types.ts"

export interface Locks {
  /** Of the schemas that are generated. */
  readonly own: NumberLock
  /** Of the built-in schemas beside them; read only when one of their fields states no number. */
  readonly library: () => NumberLock
  /** Why faults about numbers are to be accepted; they are then recorded in the lock. */
  readonly accept?: string
}

/** Protobuf keeps these for itself. */
const protobufOwn = { first: 19_000, last: 19_999 }

/** One type while its numbers are found. */
interface Numbering {
  readonly type: TypeDeclaration
  readonly fields: readonly FieldDeclaration[]
  readonly before: LockedType
  readonly numbers: Map<string, number>
  /** Returns the lowest number that the type neither has nor had, and takes it. */
  readonly freeNumber: () => number
  readonly accepted: Acceptance[]
}

/**
 * Called once per run, after all fields are declared and before they are read: writes the numbers into `table`. Reports
 * faults in the files of the types. Returns the lock to write.
 */
export function numberFields(table: TypeTable, locks: Locks): NumberLock {
  const known: Known = { table, locks, renamed: renamedTypes(table, locks.own), messages: messageTypes(table) }
  const all = [...table.declarations.values()].map((type) => numbering(type, known))
  const byName = new Map(all.map((one) => [one.type.name, one]))
  const change: WireChange = {
    before: (name) => {
      const locked = locks.own.get(name)
      if (locked !== undefined) return [...locked.fields, ...locked.removed]
      const declared = byName.get(name)
      return declared === undefined || declared.type.own ? undefined : lockedFields(declared)
    },
    after: (name) => {
      const declared = byName.get(name)
      return declared && [...lockedFields(declared), ...removedFields(declared)]
    },
  }
  for (const one of all) {
    if (one.type.own) {
      checkStated(one)
      for (const field of one.fields) checkNumber(one, field, { messages: known.messages, change, accept: locks.accept })
      if (!table.preservesUnknown(one.type.name)) warnOfGoneFields(one)
    }
    const numbered = one.fields.map((field) => withNumber(field, one.numbers.get(field.model.name)))
    table.fields.set(one.type.name, numbered)
  }
  return lockOf(all, locks.own)
}

function withNumber(field: FieldDeclaration, number: number | undefined): FieldDeclaration {
  return number === undefined || field.model.number === number ? field : { ...field, model: { ...field.model, number } }
}

const noLock: NumberLock = new Map()
const nothing: LockedType = { fields: [], removed: [], accepted: [] }

/** Facts about all types, found before their numbers. */
interface Known {
  readonly table: TypeTable
  readonly locks: Locks
  /** From the new name to the old one. */
  readonly renamed: ReadonlyMap<string, string>
  readonly messages: ReadonlySet<string>
}

function numbering(type: TypeDeclaration, { table, locks, renamed, messages }: Known): Numbering {
  const fields = table.fields.get(type.name) ?? []
  const open = fields.some((field) => statedNumber(type, field.model) === undefined && isNumbered(type, field, messages))
  const lock = type.own ? locks.own : open ? locks.library() : noLock
  const before = lock.get(type.name) ?? lock.get(renamed.get(type.name) ?? "") ?? nothing
  const numbers = new Map<string, number>()
  for (const { model } of fields) {
    const number = statedNumber(type, model)
    if (number !== undefined) numbers.set(model.name, number)
  }
  const stated = new Set(numbers.values())
  const freeNumber = freeNumbers([...stated, ...[...before.fields, ...before.removed].map(({ number }) => number)])
  for (const field of fields) {
    const { model } = field
    if (numbers.has(model.name) || !isNumbered(type, field, messages)) continue
    const wire = shownType(model.type)
    const held =
      before.fields.find(({ name }) => name === model.name) ??
      before.removed.findLast((field) => field.name === model.name && field.wire === wire)
    numbers.set(model.name, held === undefined || stated.has(held.number) ? freeNumber() : held.number)
  }
  return { type, fields, before, numbers, freeNumber, accepted: [...(lock.get(type.name)?.accepted ?? [])] }
}

/** Every stored object has its metadata under number 1, which the server reads without decoding the rest. */
function statedNumber(type: TypeDeclaration, model: FieldModel): number | undefined {
  return model.number ?? (type.isKind && model.name === "metadata" ? 1 : undefined)
}

/**
 * The types that have a message: types with a field that may have a number, and types without any field. The other
 * types are only JSON, and so are the fields that refer to them.
 */
function messageTypes(table: TypeTable): ReadonlySet<string> {
  const messages = new Set(table.declarations.keys())
  for (let size = -1; size !== messages.size; ) {
    size = messages.size
    for (const [name, type] of table.declarations) {
      const fields = table.fields.get(name) ?? []
      if (fields.length > 0 && !fields.some((field) => isNumbered(type, field, messages))) messages.delete(name)
    }
  }
  return messages
}

/** `kind` and `apiVersion` of an object are in its envelope. */
function isNumbered(type: TypeDeclaration, { model, block }: FieldDeclaration, messages: ReadonlySet<string>): boolean {
  if (type.isKind && (model.name === "kind" || model.name === "apiVersion")) return false
  return block.text("number") !== "none" && model.nullable !== true && fitsCompact(model.type) && refersToMessage(model, messages)
}

function refersToMessage(model: FieldModel, messages: ReadonlySet<string>): boolean {
  const leaf = leafName(shownType(model.type))
  return leaf === undefined || messages.has(leaf)
}

function freeNumbers(numbers: readonly number[]): () => number {
  const taken = new Set(numbers)
  let next = 1
  return () => {
    while (taken.has(next) || next === protobufOwn.first) next = next === protobufOwn.first ? protobufOwn.last + 1 : next + 1
    taken.add(next)
    return next
  }
}

function lockedFields({ fields, numbers }: Numbering): LockedField[] {
  return fields.flatMap(({ model }) => {
    const number = numbers.get(model.name)
    return number === undefined ? [] : [{ name: model.name, number, wire: shownType(model.type) }]
  })
}

function removedFields({ before, numbers }: Numbering): LockedField[] {
  const used = new Set(numbers.values())
  return [...before.fields, ...before.removed].filter(({ number }) => !used.has(number))
}

/**
 * Types that took the place of another one: the lock does not know them, and a field that referred to a type that is
 * gone refers to them. They continue its numbers.
 */
function renamedTypes(table: TypeTable, lock: NumberLock): ReadonlyMap<string, string> {
  const renamed = new Map<string, string>()
  for (let before = -1; before < renamed.size; ) {
    before = renamed.size
    for (const type of table.declarations.values()) {
      const locked = lock.get(type.name) ?? lock.get(renamed.get(type.name) ?? "")
      if (!type.own || locked === undefined) continue
      for (const { model } of table.fields.get(type.name) ?? []) {
        const now = leafName(shownType(model.type))
        const was = leafName(locked.fields.find(({ name }) => name === model.name)?.wire ?? "string")
        if (now === undefined || was === undefined || lock.has(now) || table.declarations.has(was) || renamed.has(now)) continue
        if (table.declarations.get(now)?.own === true) renamed.set(now, was)
      }
    }
  }
  return renamed
}

interface CheckOptions {
  readonly messages: ReadonlySet<string>
  readonly change: WireChange
  readonly accept: string | undefined
}

const wayOut = 'gen --accept "reason" if no stored object and no client has the old form'

/** Compares a field with the lock. Records an accepted change, and keeps its old number reserved. */
function checkNumber(one: Numbering, field: FieldDeclaration, options: CheckOptions): void {
  const { before, numbers } = one
  const { name } = field.model
  const number = numbers.get(name)
  const held = before.fields.find((locked) => locked.name === name)
  const owner = number === undefined ? undefined : [...before.fields, ...before.removed].find((locked) => locked.number === number)
  if (checkMessage(one, field, options.messages)) return
  const place = field.block.has("number") ? field.block.start("number") : field.nameStart
  if (held !== undefined && number === undefined) return noNumber(one, { field, held, accept: options.accept })
  // Only a stated number can differ from the lock: any other follows it.
  if (held !== undefined && number !== held.number && field.model.number !== undefined)
    return refuse(one, place, options.accept, {
      found: `the number ${number} for ${name} of ${one.type.localName}, which has ${held.number} in ${lockFile}`,
      expected: `number: ${held.number}, or ${wayOut}`,
      change: `${name}: number ${held.number} became ${number}`,
    })
  if (owner !== undefined && owner.name !== name)
    return refuse(one, place, options.accept, {
      found: `the number ${number} for ${name} of ${one.type.localName}, which ${lockFile} keeps for ${ownerTitle(one, owner)}`,
      expected: `no number, so that gen takes a free one, or ${wayOut}`,
      change: `${name}: number ${number}, which was ${owner.name} ${owner.wire}`,
    })
  if (owner !== undefined) checkWire(one, field, owner, options)
}

function ownerTitle({ fields }: Numbering, owner: LockedField): string {
  return fields.some(({ model }) => model.name === owner.name) ? owner.name : `the removed ${owner.name}`
}

function noNumber(
  one: Numbering,
  { field, held, accept }: { field: FieldDeclaration; held: LockedField; accept: string | undefined },
): void {
  const { block, model } = field
  const word = block.text("number") === "none" ? "number" : model.nullable === true ? "nullable" : "type"
  const instead = {
    number: "no number: none",
    nullable: "no nullable: true, a new field that has it",
    type: `${held.wire}, a new field for the new type`,
  }
  refuse(one, block.start(word), accept, {
    found: `${model.name} of ${one.type.localName} without a number, which has ${held.number} ${held.wire} in ${lockFile}`,
    expected: `${instead[word]}, or ${wayOut}`,
    change: `${model.name}: number ${held.number} ${held.wire} went`,
  })
}

function checkWire(one: Numbering, field: FieldDeclaration, owner: LockedField, { change, accept }: CheckOptions): void {
  const { name, type } = field.model
  const wire = shownType(type)
  if (isReadable(owner.wire, wire, change)) return
  refuse(one, field.block.start("type"), accept, {
    found: `the type ${wire} for ${name} of ${one.type.localName}, whose number ${owner.number} is ${owner.wire} in ${lockFile}`,
    expected: `${owner.wire}, a new field for the new type, or ${wayOut}`,
    change: `${name}: ${owner.number} ${owner.wire} became ${wire}`,
  })
  if (accept === undefined || field.model.number !== undefined) return
  one.numbers.set(name, one.freeNumber())
}

function refuse(
  one: Numbering,
  start: number,
  accept: string | undefined,
  { change, ...fault }: Fault & { readonly change: string },
): void {
  if (accept === undefined) one.type.source.report(start, fault)
  else one.accepted.push({ change, reason: accept })
}

/** Reports a stated number of a field whose type has no message. Returns whether it did. */
function checkMessage(one: Numbering, { model, block }: FieldDeclaration, messages: ReadonlySet<string>): boolean {
  if (model.number === undefined || refersToMessage(model, messages)) return false
  one.type.source.report(block.start("number"), {
    found: `a number for ${model.name}, whose type ${shownType(model.type)} has no field with a number`,
    expected: "number: none, or a number in that type",
  })
  return true
}

/**
 * Warns of the fields that the type had when its lock was written. A new field of the same type is most often the old
 * one with another name. Once the lock is written, it keeps such a field among the removed ones.
 */
function warnOfGoneFields({ type, fields, before }: Numbering): void {
  const names = new Set(fields.map(({ model }) => model.name))
  const known = new Set([...before.fields, ...before.removed].map(({ name }) => name))
  const added = fields.filter(({ model }) => !known.has(model.name))
  for (const { name, number, wire } of before.fields) {
    if (names.has(name)) continue
    const renamed = added.find(({ model }) => shownType(model.type) === wire)
    const isNow = renamed === undefined ? "removed" : `removed or renamed to ${renamed.model.name}`
    type.source.warn(renamed?.nameStart ?? type.nameStart, {
      found: `${name} of ${type.localName} was ${isNow}: objects that are stored with it lose it; its number ${number} stays reserved`,
      expected: `${name} beside ${renamed === undefined ? "the other fields" : "the new name"} while such objects exist, or a new version with conversion.rename`,
    })
  }
}

/** Stated numbers among themselves. */
function checkStated({ type, fields }: Numbering): void {
  const owners = new Map<number, string>()
  for (const { model, block } of fields) {
    const number = statedNumber(type, model)
    if (number === undefined) continue
    const owner = owners.get(number)
    if (owner !== undefined)
      type.source.report(block.start("number"), {
        found: `the field number ${number} a second time in ${type.localName}`,
        expected: `another number: ${owner} has it`,
      })
    if (number >= protobufOwn.first && number <= protobufOwn.last)
      type.source.report(block.start("number"), {
        found: `the field number ${number}`,
        expected: `a number outside ${protobufOwn.first} to ${protobufOwn.last}, which the compact encoding reserves`,
      })
    owners.set(number, model.name)
  }
}

/** The present numbers, and the numbers of every field and type of the old lock. */
function lockOf(all: readonly Numbering[], before: NumberLock): NumberLock {
  const lock = new Map<string, LockedType>()
  for (const [name, { fields, removed, accepted }] of before) lock.set(name, { fields: [], removed: [...fields, ...removed], accepted })
  for (const one of all) {
    if (!one.type.own) continue
    lock.set(one.type.name, { fields: lockedFields(one), removed: removedFields(one), accepted: one.accepted })
  }
  return lock
}
