/** Removes fields that an applier applied before and no longer applies. */
import type { ApiObject } from "../../base/json.ts"
import type { Stages } from "../../base/turns.ts"
import { difference, type FieldSet, intersection, isEmptySet, union, unionOfAll } from "../ownership/field-set.ts"
import { removeFields, withNamedFieldsAsMembers } from "../ownership/remove.ts"
import { fieldSetOf } from "../ownership/typed-set.ts"
import type { ManagedFieldsEntry } from "./entry.ts"
import { convertVersion, type TypedVersion, type Versions } from "./versions.ts"

export interface Pruning {
  readonly versions: Versions
  /** The live object with the configuration merged into it, in the current version. */
  readonly merged: ApiObject
  /** The entry of the applier before this apply. */
  readonly last: ManagedFieldsEntry
  /** All entries after this apply, the applier's new one included. */
  readonly entries: readonly ManagedFieldsEntry[]
}

/**
 * Removes from `merged` what `last` owned and no manager owns now. Fields below a removed item that were never applied
 * stay where a manager owns them; list items and structs are removed with the last of their applied fields. Called by
 * apply, once per attempt.
 */
export function* pruning(state: Pruning): Stages<ApiObject> {
  const { versions, last, merged } = state
  const then = last.apiVersion === versions.current.apiVersion ? versions.current : versions.find(last.apiVersion)
  if (then === undefined || isEmptySet(last.fields)) return merged
  const owned = ownedIn(state, then.apiVersion)
  // Most applies drop nothing.
  if (isEmptySet(difference(last.fields, owned))) return merged
  yield
  const converted = convertVersion(merged, versions.current, then)
  const pruned = yield* withOwnedItems(state, { then, converted })
  yield
  const kept = yield* withDanglingItems({ then, converted, pruned, last: last.fields })
  return convertVersion(kept, then, versions.current)
}

/** The members of all sets of a version. */
function ownedIn(state: Pruning, apiVersion: string): FieldSet {
  return unionOfAll(state.entries.filter((entry) => entry.apiVersion === apiVersion).map(({ fields }) => fields))
}

/**
 * Removes from `converted` the fields that were applied before, and keeps everything that any manager owns, in any
 * version. The result is in version `then`.
 */
function* withOwnedItems(state: Pruning, from: { then: TypedVersion; converted: ApiObject }): Stages<ApiObject> {
  const { versions, last, entries } = state
  const { then, converted } = from
  const mine = named(then, last.fields)
  yield
  let pruned: ApiObject = removeFields(then.shape, converted, mine)
  let whole = converted
  let at = then
  // The version of `last` is first: conversion may need the fields owned there.
  const others = entries.map((entry) => entry.apiVersion).filter((apiVersion) => apiVersion !== then.apiVersion)
  for (const apiVersion of new Set([then.apiVersion, ...others])) {
    const version = apiVersion === versions.current.apiVersion ? versions.current : versions.find(apiVersion)
    if (version === undefined) continue
    yield
    whole = convertVersion(whole, at, version)
    pruned = convertVersion(pruned, at, version)
    at = version
    const members = yield* membersOf(version, pruned)
    yield
    const kept = union(members, named(version, ownedIn(state, apiVersion)))
    const all = yield* membersOf(version, whole)
    yield
    const gone = difference(all, kept)
    yield
    pruned = removeFields(version.shape, whole, gone)
  }
  return convertVersion(pruned, at, then)
}

/** Removes fields without a manager only where `last` owned them. */
function* withDanglingItems(state: { then: TypedVersion; converted: ApiObject; pruned: ApiObject; last: FieldSet }): Stages<ApiObject> {
  const { then, converted, pruned, last } = state
  const members = yield* membersOf(then, converted)
  const left = yield* membersOf(then, pruned)
  yield
  const gone = difference(members, left)
  yield
  const before = named(then, last)
  yield
  const dangling = intersection(gone, before)
  yield
  return removeFields(then.shape, converted, dangling)
}

function* membersOf(version: TypedVersion, object: ApiObject): Stages<FieldSet> {
  const set = fieldSetOf(version.shape, object)
  yield
  return named(version, set)
}

function named(version: TypedVersion, set: FieldSet): FieldSet {
  return withNamedFieldsAsMembers(version.shape, set)
}
