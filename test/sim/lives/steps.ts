/** Traffic about objects with lifecycles, drawn from a seed. */
import type { SeededRandom } from "../world/random.ts"
import { type CustomResource, customResources, type CustomVersion, customVersions, type DefinitionShape } from "./definitions.ts"
import type { Place, Resource } from "./stored-objects.ts"

export type Deletable = Extract<Resource, "configmaps" | "services" | "events" | CustomResource>
export type ServiceType = "ClusterIP" | "NodePort" | "ExternalName"

export type LifeAct =
  | { readonly act: "namespace"; readonly name: string; readonly remove: boolean }
  | ({
      readonly act: "make"
      readonly namespace: string
      /** "": the server generates it. */
      readonly name: string
      readonly tag: string
      readonly label: string
      /** With a finalizer of the clients. */
      readonly held: boolean
      /**
       * Names of owners, existing or deleted, as far as clients have seen them; `widgets/p` names an owner of another
       * kind than ConfigMap.
       */
      readonly owners: readonly string[]
      readonly blocks: boolean
    } & Custom)
  | ({
      readonly act: "change"
      readonly namespace: string
      readonly name: string
      readonly how: "merge" | "apply" | "force"
      readonly manager: "one" | "two"
      readonly tag: string
    } & Custom)
  | ({ readonly act: "let-go"; readonly namespace: string; readonly name: string } & Custom)
  | {
      readonly act: "drop"
      readonly resource: Deletable
      readonly namespace: string
      readonly name: string
      readonly policy: "Background" | "Foreground" | "Orphan"
      readonly version?: CustomVersion
    }
  | {
      readonly act: "sweep"
      readonly resource: Deletable
      readonly namespace: string
      readonly label: string | undefined
      readonly version?: CustomVersion
    }
  /** Creates a definition, or changes the existing one. */
  | { readonly act: "define" | "redefine"; readonly resource: CustomResource; readonly shape: DefinitionShape }
  /** `force`: removes its finalizers as well, so that its objects may be left in the store. */
  | { readonly act: "undefine"; readonly resource: CustomResource; readonly force?: true }
  | ({ readonly act: "set-status"; readonly namespace: string; readonly name: string; readonly tag: string } & OfCustom)
  | ({
      readonly act: "set-scale"
      readonly namespace: string
      readonly name: string
      readonly how: "merge" | "apply"
      readonly replicas: number
    } & OfCustom)
  /** A watch of custom objects; `slot` ends its predecessor. */
  | {
      readonly act: "follow"
      readonly slot: number
      readonly resource: CustomResource
      readonly version: CustomVersion
      readonly namespace: string
      readonly from: "state" | "resume" | "known"
    }
  | {
      readonly act: "serve" | "retype"
      readonly namespace: string
      readonly name: string
      readonly type: ServiceType
      /** Absent: any. */
      readonly address?: string
      readonly nodePort?: number
    }
  | { readonly act: "happen"; readonly namespace: string; readonly name: string; readonly label: string }
  | { readonly act: "run-for"; readonly candidate: "x" | "y" }
  | {
      readonly act: "look"
      readonly resource: Resource
      readonly namespace: string
      readonly name: string
      readonly version?: CustomVersion
    }
  | { readonly act: "survey"; readonly resource: Resource; readonly namespace: string; readonly version?: CustomVersion }

/** Of a custom object; absent for a ConfigMap. */
interface Custom {
  readonly resource?: CustomResource
  readonly version?: CustomVersion
}

interface OfCustom {
  readonly resource: CustomResource
  readonly version: CustomVersion
}

/** Never deleted; the other namespaces are created and deleted. */
export const home = "home"
const passing = ["n1", "n2"] as const
const namespaces: readonly string[] = [home, ...passing]
const things = ["p", "q", "r", "s"] as const
const services = ["v", "w", "x"] as const

/** Whether all changes of an object come from clients of the simulation, or follow from their acts. */
export function isWatchedOver({ resource, namespace, name }: Place): boolean {
  return resource === "customresourcedefinitions" || namespaces.includes(resource === "namespaces" ? name : namespace)
}

/** Themes of a plan beside ConfigMaps, with the weight of each act. */
const themes: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  namespaces: { namespace: 30, make: 40, serve: 8, happen: 5, "drop configmaps": 5, "sweep configmaps": 4, "let-go": 8 },
  holds: { make: 30, "drop configmaps": 30, "let-go": 25, change: 15, "sweep configmaps": 5 },
  owners: { make: 45, "drop configmaps": 30, "let-go": 8, change: 4 },
  services: { serve: 45, retype: 20, "drop services": 25, "sweep services": 4 },
  events: { happen: 40, age: 12, "drop events": 10, "sweep events": 3 },
  clocks: { happen: 40, age: 12, "set-clock": 10 },
  elections: { "run-for": 40, soon: 20 },
  patches: { make: 12, change: 45, "drop configmaps": 8 },
  definitions: {
    ...{ define: 12, redefine: 14, undefine: 6, "make custom": 40, "change custom": 18, "drop custom": 8 },
    ...{ "sweep custom": 2, "let-go custom": 8, follow: 20, "look custom": 12, "survey custom": 12 },
    ...{ "set-status": 8, "set-scale": 8, "undefine by force": 2 },
  },
  kinds: {
    ...{ define: 14, redefine: 4, undefine: 8, "undefine by force": 3, "make custom": 30, "make owned": 30 },
    ...{ "drop custom": 10, "let-go custom": 8, soon: 4 },
  },
}
/** Drawn for planted mistakes only, since other themes have the same acts. */
const rareThemes: typeof themes = {
  leftovers: { define: 14, "undefine by force": 10, "make custom": 25, "make owned": 40, "drop custom": 4, soon: 4 },
}
const themeNames = Object.keys(themes)
/** Reads belong to every theme. */
const reads = { look: 14, survey: 10 }
const themesAtOnce = 3

/** Draws some of the themes. Called once per plan. */
export function drawThemes(random: SeededRandom): readonly string[] {
  return Array.from({ length: themesAtOnce }, () => themeNames[random.integer(themeNames.length)] ?? "")
}

/** The acts of these themes, with their weights. */
export function actsOf(names: readonly string[]): Readonly<Record<string, number>> {
  const weights: Record<string, number> = { ...reads }
  for (const name of names)
    for (const [act, weight] of Object.entries(themes[name] ?? rareThemes[name] ?? {})) weights[act] = (weights[act] ?? 0) + weight
  return weights
}

/** An act of a client, time to pass, or a step of a clock. `act` is a name from the weights. */
export function drawLife(
  random: SeededRandom,
  act: string,
  tag: string,
): LifeAct | { readonly pass: number } | { readonly setClockBy: number } {
  const namespace = random.pick([home, home, home, ...passing])
  const name = random.pick(things)
  const label = random.pick(["in", "out", ""])
  const ofKind = drawCustom(random, act, { namespace, name, tag, label })
  if (ofKind !== undefined) return ofKind
  switch (act) {
    case "namespace":
      return { act, name: random.pick(passing), remove: random.chance(0.45) }
    case "make":
      return drawMake(random, { namespace, tag, label })
    case "change":
      return {
        act,
        namespace,
        name,
        how: random.pick(["merge", "apply", "apply", "force"]),
        manager: random.pick(["one", "two"]),
        tag: random.pick([tag, "same"]),
      }
    case "let-go":
      return { act, namespace, name }
    case "serve":
    case "retype":
      return drawService(random, { act, namespace })
    case "happen":
      return { act, namespace, name, label }
    case "run-for":
      return { act, candidate: random.pick(["x", "y"]) }
    case "age":
      return { pass: random.pick([600_000, 1_300_000, 3_000_000]) }
    case "set-clock":
      return { setClockBy: random.pick([-3_600_000, -600_000, 600_000, 3_600_000]) }
    case "soon":
      return { pass: random.pick([1000, 4000, 9000, 16_000]) }
    case "look":
    case "survey":
      return drawRead(random, { act, namespace })
    default:
      return drawDeletion(random, { act, namespace, label })
  }
}

function drawMake(random: SeededRandom, from: { namespace: string; tag: string; label: string }): LifeAct {
  return {
    act: "make",
    ...from,
    name: random.chance(0.15) ? "" : random.pick(things),
    held: random.chance(0.25),
    owners: random.chance(0.6) ? things.filter(() => random.chance(0.35)) : [],
    blocks: random.chance(0.6),
  }
}

/** Definitions that are created, changed and deleted, and their objects. Undefined: the act is about something else. */
function drawCustom(
  random: SeededRandom,
  act: string,
  { namespace: anywhere, name, tag, label }: { namespace: string; name: string; tag: string; label: string },
): LifeAct | undefined {
  const namespace = random.chance(0.8) ? home : anywhere
  const resource = customResources[random.chance(0.65) ? 0 : 1]
  const version = random.pick(customVersions)
  switch (act) {
    case "define":
    case "redefine":
      return { act, resource, shape: drawShape(random, tag) }
    case "undefine":
      return { act, resource }
    case "undefine by force":
      return { act: "undefine", resource, force: true }
    case "set-status":
      return { act, resource, version, namespace, name, tag }
    case "set-scale":
      return { act, resource, version, namespace, name, how: random.pick(["merge", "apply"]), replicas: random.integer(1000) }
    case "follow":
      return { act, slot: random.integer(4), resource, version, namespace, from: random.pick(["state", "resume", "known"]) }
    case "make custom": {
      const owners = random.chance(0.3) ? ownersOf(random) : []
      return { act: "make", resource, version, namespace, tag, label, name, held: random.chance(0.15), owners, blocks: random.chance(0.6) }
    }
    case "make owned":
      return { act: "make", namespace, tag, label, name, held: false, owners: ownersOf(random), blocks: random.chance(0.6) }
    case "change custom": {
      const how = random.pick(["merge", "merge", "apply", "force"] as const)
      return { act: "change", resource, version, namespace, name, how, manager: random.pick(["one", "two"]), tag }
    }
    case "let-go custom":
      return { act: "let-go", resource, version, namespace, name }
    case "look custom":
      return { act: "look", resource, version, namespace, name }
    case "survey custom":
      return { act: "survey", resource, version, namespace }
    case "sweep custom":
      return { act: "sweep", resource, version, namespace, label: label === "" ? undefined : label }
    case "drop custom":
      return { act: "drop", resource, version, namespace, name, policy: random.pick(["Background", "Foreground", "Orphan"]) }
    default:
      return undefined
  }
}

/** At least one version is served, so that clients can remove their finalizers. */
export function drawShape(random: SeededRandom, tag: string): DefinitionShape {
  return { mark: tag, storage: random.pick(customVersions), served: random.pick([customVersions, customVersions, ["v1"], ["v2"]]) }
}

/** Owners of several kinds. */
function ownersOf(random: SeededRandom): readonly string[] {
  const all = [...things, ...customResources.flatMap((resource) => things.map((thing) => `${resource}/${thing}`))]
  return all.filter(() => random.chance(0.15))
}

/** Few addresses and ports are requested explicitly, so that requests collide often. */
function drawService(random: SeededRandom, { act, namespace }: { act: "serve" | "retype"; namespace: string }): LifeAct {
  const type = random.pick<ServiceType>(["ClusterIP", "NodePort", "NodePort", "ExternalName"])
  return {
    act,
    namespace,
    name: random.pick(services),
    type,
    ...(act === "serve" && type !== "ExternalName" && random.chance(0.3) && { address: `10.0.0.${20 + random.integer(3)}` }),
    ...(type === "NodePort" && random.chance(0.4) && { nodePort: 30_010 + random.integer(3) }),
  }
}

/** `act` ends with the name of the resource. */
function drawDeletion(random: SeededRandom, { act, namespace, label }: { act: string; namespace: string; label: string }): LifeAct {
  const resource: Deletable = act.endsWith("services") ? "services" : act.endsWith("events") ? "events" : "configmaps"
  if (act.startsWith("sweep")) return { act: "sweep", resource, namespace, label: label === "" ? undefined : label }
  const name = random.pick(resource === "services" ? services : things)
  return { act: "drop", resource, namespace, name, policy: random.pick(["Background", "Foreground", "Orphan"]) }
}

function drawRead(random: SeededRandom, { act, namespace }: { act: "look" | "survey"; namespace: string }): LifeAct {
  const resource = random.pick<Resource>(["configmaps", "configmaps", "services", "events", "namespaces"])
  const inNone = resource === "namespaces"
  if (act === "survey") return { act, resource, namespace: inNone ? "" : namespace }
  const name = random.pick(inNone ? passing : resource === "services" ? services : things)
  return { act, resource, namespace: inNone ? "" : namespace, name }
}
