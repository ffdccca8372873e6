/**
 * Sets the condition Available of each APIService: whether it can be reached. An APIService without a service is this
 * server's own. For the others, checks the requirements for proxying a request: the Service, its port, and an address
 * behind it. Reasons and messages are as in kube-aggregator.
 */
import type { APIService } from "../../../generated/apiregistration.orch.io/v1/api-service/types.ts"
import type { Endpoints } from "../../../generated/core/v1/endpoints/types.ts"
import type { Service } from "../../../generated/core/v1/service/types.ts"
import { serverUser } from "../../admission/server-identity.ts"
import { localAvailability } from "../../behaviours/local-api-service.ts"
import { timeText } from "../../base/time.ts"
import type { CachedObject } from "../../storage/cache.ts"
import type { ControllerDeps } from "../controller.ts"
import { type KeyedController, keyOf, type Keys, startKeyedController } from "../keyed-controller.ts"
import { orGone, orUndefined } from "../refusals.ts"

const defaultPort = 443

type Condition = NonNullable<APIService["status"]["conditions"]>[number]
type Found = Pick<Condition, "status" | "reason" | "message">

/** Called once by each server. */
export function startApiServiceAvailability(deps: ControllerDeps): KeyedController {
  const dependents = new Dependents()
  const touch = (object: CachedObject, keys: Keys): void => {
    if (dependents.isEmpty) return
    for (const name of dependents.of(keyOf(object))) keys.add(name)
  }
  const controller = startKeyedController(deps, {
    queue: "AvailableConditionController",
    fault: "the condition of an APIService could not be written; tried again later",
    watched: [
      {
        kind: { group: "apiregistration.orch.io", version: "v1", resource: "apiservices" },
        changed(object, keys, event) {
          const name = object.field("metadata.name")
          if (event?.type === "DELETED") dependents.forget(name)
          else keys.add(name)
        },
      },
      { kind: { group: "", version: "v1", resource: "services" }, changed: touch },
      { kind: { group: "", version: "v1", resource: "endpoints" }, changed: touch },
    ],
    work: (name) => report(deps, dependents, name),
  })
  return { ...controller, made: controller.idle() }
}

/** The APIServices by the Service that they name, as `namespace/name`. */
class Dependents {
  private readonly byService = new Map<string, Set<string>>()
  private readonly services = new Map<string, string>()

  get isEmpty(): boolean {
    return this.byService.size === 0
  }

  of(service: string): Iterable<string> {
    return this.byService.get(service) ?? []
  }

  note(name: string, service: string): void {
    if (this.services.get(name) === service) return
    this.forget(name)
    this.services.set(name, service)
    const all = this.byService.get(service) ?? new Set()
    this.byService.set(service, all.add(name))
  }

  forget(name: string): void {
    const service = this.services.get(name)
    if (service === undefined) return
    this.services.delete(name)
    const all = this.byService.get(service)
    all?.delete(name)
    if (all?.size === 0) this.byService.delete(service)
  }
}

async function report(deps: ControllerDeps, dependents: Dependents, name: string): Promise<void> {
  const { apiservices } = deps.api(serverUser).apiregistration.v1
  const object = await orUndefined(apiservices.get(name))
  if (object === undefined) return dependents.forget(name)
  const { service } = object.spec
  if (service === undefined) dependents.forget(name)
  else dependents.note(name, `${service.namespace ?? ""}/${service.name ?? ""}`)
  const { conditions = [] } = object.status
  const before = conditions.find(({ type }) => type === "Available")
  const found = await availabilityOf(deps, object.spec.service)
  if (before !== undefined && before.status === found.status && before.reason === found.reason && before.message === found.message) return
  const keptTime = before?.status === found.status ? before.lastTransitionTime : undefined
  const next: Condition = { type: "Available", ...found, lastTransitionTime: keptTime ?? timeText(deps.clock.nowMs()) }
  const others = conditions.filter(({ type }) => type !== "Available")
  await orGone(apiservices.status.update({ ...object, status: { ...object.status, conditions: [...others, next] } }))
}

async function availabilityOf({ api }: ControllerDeps, service: APIService["spec"]["service"]): Promise<Found> {
  if (service === undefined) return localAvailability
  const { namespace = "", name = "", port = defaultPort } = service
  const place = `service/${name} in "${namespace}"`
  const { endpoints, services } = api(serverUser).core.v1
  const found = await orUndefined(services.get(namespace, name))
  if (found === undefined) return unavailable("ServiceNotFound", `${place} is not present`)
  if (found.spec.type === "ExternalName") return unreached
  const open = portOf(found, port)
  if (open === undefined) return unavailable("ServicePortError", `${place} is not listening on port ${port}`)
  const behind = await orUndefined(endpoints.get(namespace, name))
  if (behind === undefined) return unavailable("EndpointsNotFound", `cannot find endpoints for ${place}`)
  const portName = open.name ?? ""
  if (hasAddress(behind, portName)) return unreached
  return unavailable("MissingEndpoints", `endpoints for ${place} have no addresses with port name "${portName}"`)
}

function unavailable(reason: string, message: string): Found {
  return { status: "False", reason, message }
}

/** The reference's reason for a server that does not answer. */
const unreached = unavailable("FailedDiscoveryCheck", "this server passes no requests on to other API servers")

function portOf({ spec }: Service, port: number): { readonly name?: string } | undefined {
  return spec.ports?.find((one) => one.port === port)
}

function hasAddress({ subsets }: Endpoints, portName: string): boolean {
  return (subsets ?? []).some(
    ({ addresses = [], ports = [] }) =>
      addresses !== null && addresses.length > 0 && (ports ?? []).some(({ name = "" }) => name === portName),
  )
}
