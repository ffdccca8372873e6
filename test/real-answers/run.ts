/** Sends the recorded cases to a server, and compares its answers with the real server's. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startServerProcess } from "../../bench/support/server-process.ts"
import { differences, type Difference } from "./compare.ts"
import type { Facts } from "./compared.ts"
import { type Group, isCompared, type Profile } from "./recorded.ts"
import { type Asked, openSender, type Sender } from "./send.ts"
import { steady } from "./steady.ts"

/** A difference of one step of a case. */
export interface Found extends Difference {
  readonly id: string
  readonly step: number
}

/** `same` of `total` facts: a step is one fact; a document that is compared in parts has as many facts as parts. */
export interface Outcome {
  readonly found: readonly Found[]
  readonly total: number
  readonly same: number
  /** Requests that should have stored objects for the cases, and were refused. */
  readonly refusedSetups: readonly string[]
}

/** The plugins that run by default, without NamespaceLifecycle. */
export const defaultPlugins = [
  ...["LimitRanger", "ServiceAccount", "TaintNodesByCondition", "PodSecurity", "Priority", "DefaultTolerationSeconds"],
  ...["DefaultStorageClass", "StorageObjectInUseProtection", "PersistentVolumeClaimResize", "RuntimeClass"],
  ...["DefaultIngressClass", "MutatingAdmissionWebhook", "ValidatingAdmissionPolicy", "ValidatingAdmissionWebhook", "ResourceQuota"],
]

/** The user of the recordings. */
const token = "judge-token"

/** Writes the file with the token of an administrator. */
export function writeTokens(folder: string): { readonly tokenFile: string; readonly token: string } {
  const tokenFile = join(folder, "tokens.csv")
  writeFileSync(tokenFile, `${token},judge,1,system:masters\n`, { mode: 0o600 })
  return { tokenFile, token }
}

/** Options of a server like the recorded one. `default` turns on the plugins of the recorded server that exist here. */
export function optionsFor(profile: Profile, tokenFile: string): string[] {
  return [
    "--vendor=kubernetes",
    "--authorization-mode=Node,RBAC",
    "--controllers=api",
    "--service-cluster-ip-range=10.0.0.0/24",
    `--token-auth-file=${tokenFile}`,
    profile === "bare"
      ? `--disable-admission-plugins=${defaultPlugins.join(",")}`
      : "--enable-admission-plugins=StorageObjectInUseProtection",
  ]
}

/** Runs `work` with a fresh server of the built program. */
export async function withServer<T>(profile: Profile, work: (server: Asked) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "real-answers-"))
  const { tokenFile } = writeTokens(folder)
  const server = await startServerProcess({ options: optionsFor(profile, tokenFile) })
  try {
    return await work({ port: server.port, authority: server.authority, token })
  } finally {
    await server.stop()
    rmSync(folder, { recursive: true })
  }
}

/** Groups that are sent at the same time. */
const senders = 2

/** Sends all cases of the groups; the server must be fresh. `answers`: the recorded ones. */
export async function compareGroups(
  server: Asked,
  groups: readonly Group[],
  answers: Readonly<Record<string, readonly Facts[]>>,
): Promise<Outcome> {
  const outcomes: Outcome[] = []
  const take = async (waiting: Group[]): Promise<void> => {
    const sender = openSender(server)
    for (let group = waiting.shift(); group !== undefined; group = waiting.shift())
      outcomes.push(await compareGroup(sender, group, answers))
    sender.close()
  }
  await take(groups.filter(({ first }) => first === true))
  // The longest first, so that no long group runs alone at the end.
  const others = groups.filter(({ first }) => first !== true).sort((a, b) => b.cases.length - a.cases.length)
  await Promise.all(Array.from({ length: senders }, () => take(others)))
  const sum = (of: (one: Outcome) => number): number => outcomes.reduce((total, one) => total + of(one), 0)
  return {
    found: outcomes.flatMap(({ found }) => found),
    total: sum((one) => one.total),
    same: sum((one) => one.same),
    refusedSetups: outcomes.flatMap(({ refusedSetups }) => refusedSetups),
  }
}

/**
 * Sends both profiles: all cases to a bare server, and the cases whose answers differ to one with the default plugins.
 */
export async function compareProfiles(
  groups: readonly Group[],
  answersOf: (profile: Profile) => Readonly<Record<string, readonly Facts[]>>,
): Promise<Outcome> {
  const bare = await withServer("bare", (server) => compareGroups(server, groups, answersOf("bare")))
  const others = answersOf("default")
  const concerned = groups.map((group) => ({ ...group, cases: group.cases.filter(({ id, always }) => always === true || id in others) }))
  const those = concerned.filter(({ cases }) => cases.some(({ id }) => id in others))
  const withPlugins = await withServer("default", (server) => compareGroups(server, those, others))
  const named = withPlugins.found.map((one) => ({ ...one, id: `${one.id} (default plugins)` }))
  return {
    found: [...bare.found, ...named],
    total: bare.total + withPlugins.total,
    same: bare.same + withPlugins.same,
    refusedSetups: [...bare.refusedSetups, ...withPlugins.refusedSetups],
  }
}

async function compareGroup(sender: Sender, group: Group, answers: Readonly<Record<string, readonly Facts[]>>): Promise<Outcome> {
  const refusedSetups: string[] = []
  for (const step of group.setup ?? []) {
    const { code } = await sender.send(step, group.bases)
    if (code >= 400 && code !== 409) refusedSetups.push(`${group.group}: ${step.m} ${step.p} is ${code}`)
  }
  const found: Found[] = []
  let total = 0
  let wrong = 0
  for (const one of group.cases) {
    const ours: Facts[] = []
    for (const step of one.steps) ours.push(await sender.send(step, group.bases))
    const real = answers[one.id]
    if (real === undefined || !isCompared(one)) continue
    for (const [step, facts] of real.entries()) {
      const differing = differencesOfStep(facts, ours[step], one.id)
      const parts = differing.filter(({ part }) => part !== undefined).length
      const facets = Math.max(1, Object.keys(facts.split ?? {}).length)
      total += facets
      wrong += Math.min(facets, parts + (differing.length > parts ? 1 : 0))
      found.push(...differing.map((difference) => ({ ...difference, id: one.id, step })))
    }
  }
  return { found, total, same: total - wrong, refusedSetups }
}

function differencesOfStep(real: Facts, ours: Facts | undefined, id: string): Difference[] {
  if (ours === undefined) return [{ class: "no answer", real: real.code, ours: undefined }]
  return differences(steady(real, id), steady(ours, id))
}
