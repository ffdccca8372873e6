/**
 * One function for each sort of TypeScript that a schema may name. Each returns what it is given and only adds types:
 * the type argument is the generated type of the value, so that misspelt fields do not compile. A file exports the
 * result under the camelCase form of its own name: `checks/queue-limits.ts` exports `queueLimits`.
 *
 * A function that returns an object needs its return type written out, `(converted, here): Queue => ({...})`: without
 * it, TypeScript accepts misspelt optional fields of a returned literal.
 */
import type { Behaviour, BehaviourDeps, BehaviourFactory, SubresourceBehaviour, SubresourceBehaviourFactory } from "./behaviour.ts"
import type { ApiObject } from "../base/json.ts"
import type { Cell } from "./cells.ts"
import type { Conversion } from "./convert.ts"
import type { Check, Warning } from "./validate.ts"

/**
 * `behaviours/queue-lifecycle.ts`: hooks of an object's life, named by `behaviours: [queueLifecycle]`. Takes the hooks,
 * or a function that makes them from `BehaviourDeps`; it is called once, at the start.
 */
export function defineBehaviour<T extends object = ApiObject>(
  hooks: Behaviour<T> | ((deps: BehaviourDeps) => Behaviour<T>),
): BehaviourFactory<T> {
  return typeof hooks === "function" ? hooks : () => hooks
}

/**
 * The same as `defineBehaviour`.
 * @alias
 */
export const defineHandlers = defineBehaviour

/**
 * `behaviours/queue-drain.ts`: a sub-resource, named by `subresources: {drain: {behaviour: queueDrain}}`. `Body` is the
 * type of the request's body, `Parent` the kind. Takes the functions, or a function that makes them, called once.
 */
export function defineSubresource<Body extends object = ApiObject, Parent extends object = Body>(
  functions: SubresourceBehaviour<Body, Parent> | ((deps: BehaviourDeps) => SubresourceBehaviour<Body, Parent>),
): SubresourceBehaviourFactory<Body, Parent> {
  return typeof functions === "function" ? functions : () => functions
}

/** `behaviours/checks/queue-limits.ts`: a validator of one type, named by `checks: [queueLimits]`. */
export function defineCheck<T>(check: Check<T>): Check<T> {
  return check
}

/** `behaviours/cells/queue-state.ts`: a cell of the kind's Table, named by `behaviour("queueState")` in a column. */
export function defineCell<T extends object = ApiObject>(cell: Cell<T>): Cell<T> {
  return cell
}

/** `behaviours/conversions/queue-levels.ts`: named by `conversion: {behaviour: queueLevels}` of the version `Here`. */
export function defineConversion<Here extends object, Stored extends object>(
  conversion: Conversion<Here, Stored>,
): Conversion<Here, Stored> {
  return conversion
}

/**
 * `behaviours/warnings/queue-names.ts`: named by `warnings: [{check: queueNames, at: spec}]`. `T` is the type of the
 * value at `at`; of the kind itself without `at`.
 */
export function defineWarning<T extends object = ApiObject>(warning: Warning<T>): Warning<T> {
  return warning
}
