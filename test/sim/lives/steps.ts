/** Traffic about objects with lifecycles, drawn from a seed. */
import type { SeededRandom } from "../world/random.ts"
import type { Place, Resource } from "./stored-objects.ts"

export type Deletable = Extract<Resource, "configmaps" | "services" | "events">
export type ServiceType = "ClusterIP" | "NodePort" | "ExternalName"

export type LifeAct =
  | { readonly act: "namespace"; readonly name: string; readonly remove: boolean }
  | {
      readonly act: "make"
      readonly namespace: string
      /** "": the server generates it. */
      readonly name: string
      readonly tag: string
      readonly label: string
      /** With a finalizer of the clients. */
      readonly held: boolean
      /** Names of owners, existing or deleted, as far as clients have seen them. */
      readonly owners: readonly string[]
      readonly blocks: boolean
    }
  | {
      readonly act: "change"
      readonly namespace: string
      readonly name: string
      readonly how: "merge" | "apply" | "force"
      readonly manager: "one" | "two"
      readonly tag: string
    }
  | { readonly act: "let-go"; readonly namespace: string; readonly name: string }
  | {
      readonly act: "drop"
      readonly resource: Deletable
      readonly namespace: string
      readonly name: string
      readonly policy: "Background" | "Foreground" | "Orphan"
    }
  | { readonly act: "sweep"; readonly resource: Deletable; readonly namespace: string; readonly label: string | undefined }
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
  | { readonly act: "look"; readonly resource: Resource; readonly namespace: string; readonly name: string }
  | { readonly act: "survey"; readonly resource: Resource; readonly namespace: string }

/** Never deleted; the other namespaces are created and deleted. */
export const home = "home"
const passing = ["n1", "n2"] as const
const namespaces: readonly string[] = [home, ...passing]
const things = ["p", "q", "r", "s"] as const
const services = ["v", "w", "x"] as const

/** Whether all changes of an object are made by clients of the simulation, or follow from what they do. */
export function isWatchedOver({ resource, namespace, name }: Place): boolean {
  return namespaces.includes(resource === "namespaces" ? name : namespace)
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
  for (const name of names) for (const [act, weight] of Object.entries(themes[name] ?? {})) weights[act] = (weights[act] ?? 0) + weight
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
