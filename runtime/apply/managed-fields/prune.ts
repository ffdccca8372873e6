/** Removal of what an applier applied before and applies no longer. */
import type { ApiObject } from "../../kit/json.ts"
import { difference, type FieldSet, intersection, isEmptySet, union, unionOfAll } from "../ownership/field-set.ts"
import { removeFields, withNamedFieldsAsMembers } from "../ownership/remove.ts"
import { fieldSetOf } from "../ownership/typed-set.ts"
import type { Entry } from "./entry.ts"
import { convertVersion, type TypedVersion, type Versions } from "./versions.ts"

export interface Pruning {
  readonly versions: Versions
  /** The live object with the configuration merged into it, in the current version. */
  readonly merged: ApiObject
  /** What the applier owned before. */
  readonly last: Entry
  /** What everybody owns now, the applier's new set among them. */
  readonly entries: readonly Entry[]
}

/**
 * `merged` without what `last` owned and nobody owns now. What stands below a removed item and was never applied stays where somebody owns
 * it; list items and structs go with the last that was applied of them. Called by apply, once per attempt.
 */
export function prune(pruning: Pruning): ApiObject {
  const { versions, last, merged } = pruning
  const then = last.apiVersion === versions.current.apiVersion ? versions.current : versions.find(last.apiVersion)
  if (then === undefined || isEmptySet(last.fields)) return merged
  const owned = ownedIn(pruning, then.apiVersion)
  // What is applied again is most often all that was: then nothing has to be looked at.
  if (isEmptySet(difference(last.fields, owned))) return merged
  const converted = convertVersion(merged, versions.current, then)
  const pruned = withOwnedItems(pruning, { then, converted })
  const kept = withDanglingItems({ then, converted, pruned, last: last.fields })
  return convertVersion(kept, then, versions.current)
}

/** The members of all sets of a version. */
function ownedIn(pruning: Pruning, apiVersion: string): FieldSet {
  return unionOfAll(pruning.entries.filter((entry) => entry.apiVersion === apiVersion).map(({ fields }) => fields))
}

/** `converted` without what was applied before, but with everything that anybody owns, in whatever version. Answers in `then`. */
function withOwnedItems(pruning: Pruning, state: { then: TypedVersion; converted: ApiObject }): ApiObject {
  const { versions, last, entries } = pruning
  const { then, converted } = state
  let pruned: ApiObject = removeFields(then.shape, converted, named(then, last.fields))
  let whole = converted
  let at = then
  // The version of `last` comes first: conversion may need what is owned there.
  const others = entries.map((entry) => entry.apiVersion).filter((apiVersion) => apiVersion !== then.apiVersion)
  for (const apiVersion of new Set([then.apiVersion, ...others])) {
    const version = apiVersion === versions.current.apiVersion ? versions.current : versions.find(apiVersion)
    if (version === undefined) continue
    whole = convertVersion(whole, at, version)
    pruned = convertVersion(pruned, at, version)
    at = version
    const kept = union(membersOf(version, pruned), named(version, ownedIn(pruning, apiVersion)))
    pruned = removeFields(version.shape, whole, difference(membersOf(version, whole), kept))
  }
  return convertVersion(pruned, at, then)
}

/** What nobody owns goes only where `last` owned it. */
function withDanglingItems(state: { then: TypedVersion; converted: ApiObject; pruned: ApiObject; last: FieldSet }): ApiObject {
  const { then, converted, pruned, last } = state
  const gone = difference(membersOf(then, converted), membersOf(then, pruned))
  return removeFields(then.shape, converted, intersection(gone, named(then, last)))
}

function membersOf(version: TypedVersion, object: ApiObject): FieldSet {
  return named(version, fieldSetOf(version.shape, object))
}

function named(version: TypedVersion, set: FieldSet): FieldSet {
  return withNamedFieldsAsMembers(version.shape, set)
}
