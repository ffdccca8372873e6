/** Calls admission plugins in order. A synchronous plugin costs no await. */
import type { Clock } from "../base/clock.ts"
import { ApiError, timeout } from "../base/errors.ts"
import { UndecodableError } from "../storage/cache.ts"
import { StoreError } from "../storage/store.ts"
import type { AdmissionPlugin, OpenAttributes, Operation } from "./plugin.ts"

interface Moments {
  readonly mutating: readonly Mutating[]
  readonly validating: readonly Validating[]
}

type Mutating = AdmissionPlugin & Required<Pick<AdmissionPlugin, "mutate">>
type Validating = AdmissionPlugin & Required<Pick<AdmissionPlugin, "validate">>

/** Limits plugins where the request has no deadline: connections, and writes of the server itself. */
export interface AdmissionTime {
  readonly clock: Clock
  readonly timeoutMs: number
}

export class AdmissionChain {
  private readonly moments: Readonly<Record<Operation, Moments>>

  constructor(
    plugins: readonly AdmissionPlugin[],
    private readonly time: AdmissionTime,
  ) {
    this.moments = {
      CREATE: momentsOf(plugins, "CREATE"),
      UPDATE: momentsOf(plugins, "UPDATE"),
      DELETE: momentsOf(plugins, "DELETE"),
      CONNECT: momentsOf(plugins, "CONNECT"),
    }
  }

  /** Whether `mutate` calls any plugin for the operation. */
  mutates(operation: Operation): boolean {
    return this.moments[operation].mutating.length > 0
  }

  /** Whether `validate` calls any plugin for the operation. */
  validates(operation: Operation): boolean {
    return this.moments[operation].validating.length > 0
  }

  /**
   * Runs the mutating plugins. Returns true if one of them has replaced the object; the new one is in
   * `attributes.object`. Rethrows the error of the first plugin that refuses.
   */
  mutate(attributes: OpenAttributes): boolean | Promise<boolean> {
    return this.mutateFrom(0, false, attributes)
  }

  /**
   * Runs the validating plugins. Returns a promise only if a plugin is asynchronous. Rethrows the error of the first
   * plugin that refuses.
   */
  validate(attributes: OpenAttributes): undefined | Promise<undefined> {
    return this.validateFrom(0, attributes)
  }

  private mutateFrom(start: number, before: boolean, attributes: OpenAttributes): boolean | Promise<boolean> {
    const { mutating } = this.moments[attributes.operation]
    let changed = before
    for (let at = start; at < mutating.length; at++) {
      const plugin = mutating[at]
      if (plugin === undefined) break
      const made = calling(plugin, () => plugin.mutate(attributes))
      if (made instanceof Promise) {
        return this.within(plugin, made, attributes).then((object) =>
          this.mutateFrom(at + 1, took(attributes, object) || changed, attributes),
        )
      }
      if (took(attributes, made)) changed = true
    }
    return changed
  }

  private validateFrom(start: number, attributes: OpenAttributes): undefined | Promise<undefined> {
    const { validating } = this.moments[attributes.operation]
    for (let at = start; at < validating.length; at++) {
      const plugin = validating[at]
      if (plugin === undefined) break
      const judged = calling(plugin, () => plugin.validate(attributes))
      if (judged instanceof Promise) {
        return this.within(plugin, judged, attributes).then(() => this.validateFrom(at + 1, attributes))
      }
    }
    return undefined
  }

  /** Settles with the plugin's work, or rejects at the request's deadline. Later results of the plugin are ignored. */
  private within<Result>(plugin: AdmissionPlugin, work: Promise<Result>, { expiry }: OpenAttributes): Promise<Result> {
    return new Promise((resolve, reject) => {
      const { clock, timeoutMs } = this.time
      const expire = (): void => reject(expiry?.reason ?? timeout(`the admission plugin ${plugin.name} did not answer in time`, 1))
      if (expiry?.aborted === true) expire()
      expiry?.addEventListener("abort", expire)
      const cancel = expiry === undefined ? clock.after(timeoutMs, expire) : () => expiry.removeEventListener("abort", expire)
      work.then(
        (result) => {
          cancel()
          resolve(result)
        },
        (error: unknown) => {
          cancel()
          reject(faultOf(plugin, error))
        },
      )
    })
  }
}

function momentsOf(plugins: readonly AdmissionPlugin[], operation: Operation): Moments {
  const asked = plugins.filter(({ operations }) => operations.includes(operation))
  return {
    mutating: asked.filter((plugin): plugin is Mutating => plugin.mutate !== undefined),
    validating: asked.filter((plugin): plugin is Validating => plugin.validate !== undefined),
  }
}

/** Takes the object that a plugin returned, if it is a new one. A deletion has no object to replace. */
function took(attributes: OpenAttributes, made: OpenAttributes["object"]): boolean {
  if (made === undefined || attributes.object === undefined || made === attributes.object) return false
  attributes.object = made
  return true
}

function calling<Result>(plugin: AdmissionPlugin, call: () => Result): Result {
  try {
    return call()
  } catch (error) {
    throw faultOf(plugin, error)
  }
}

/** Passes on refusals and store errors. Wraps any other error, so that the log names the plugin. */
function faultOf(plugin: AdmissionPlugin, error: unknown): unknown {
  if (error instanceof ApiError || error instanceof StoreError || error instanceof UndecodableError) return error
  return new Error(`the admission plugin ${plugin.name} failed`, { cause: error })
}
