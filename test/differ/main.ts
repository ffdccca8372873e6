/**
 * `npm run differ`: sends random requests to a real kube-apiserver and to this one, and prints the smallest input of
 * each class of difference that `test/real-answers` does not list.
 */
import { writeFileSync } from "node:fs"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { startReference } from "../../bench/support/reference-server.ts"
import type { JsonObject } from "../../runtime/base/json.ts"
import { createHttpClient } from "../support/http-client.ts"
import type { Difference } from "../real-answers/compare.ts"
import type { Facts } from "../real-answers/compared.ts"
import { readLedger, readReasons, reasonOf, open } from "../real-answers/ledger.ts"
import { type Group, recordedGroups, type Step } from "../real-answers/recorded.ts"
import { defaultPlugins, withServer, writeTokens } from "../real-answers/run.ts"
import { type Asked, openSender } from "../real-answers/send.ts"
import { shortText } from "../real-answers/values.ts"
import { classOf, type FoundClass, hunt } from "./hunt.ts"
import { kindsOf } from "./kinds.ts"
import type { Probe } from "./probe.ts"

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "2" },
    /** Default: a new one each time. */
    seed: { type: "string" },
    /** A real server that runs on 127.0.0.1. Default: one that the program run.sh of ORCH_REFERENCE_REAL starts. */
    real: { type: "string" },
    "real-token": { type: "string", default: "reference-token" },
    /** One of our servers that runs on 127.0.0.1. Default: the built program. */
    ours: { type: "string" },
    token: { type: "string", default: "" },
    /** Only these groups of the recorded cases: `Pod,Service`. */
    kinds: { type: "string" },
    /** Writes the findings as recorded cases; `npm run real-answers -- --add FILE` takes them. */
    record: { type: "string" },
    /** Also classes that are listed. */
    all: { type: "boolean", default: false },
  },
})

const seed = Number(values.seed ?? Date.now() % 1_000_000_000)
process.exitCode = await withReal((real) => withOurs((ours) => compare(real, ours)))

async function withReal<T>(work: (server: Asked) => Promise<T>): Promise<T> {
  if (values.real !== undefined) return work({ port: Number(new URL(values.real).port), token: values["real-token"] })
  const program = process.env["ORCH_REFERENCE_REAL"]
  if (program === undefined) throw new Error("--real names no server, and ORCH_REFERENCE_REAL names no folder of run.sh")
  const folder = mkdtempSync(join(tmpdir(), "differ-"))
  const { tokenFile, token } = writeTokens(folder)
  const options = [`--token-auth-file=${tokenFile}`, `--disable-admission-plugins=${defaultPlugins.join(",")}`]
  const server = await startReference(program, options, token)
  try {
    return await work(server)
  } finally {
    await server.stop()
    rmSync(folder, { recursive: true })
  }
}

async function withOurs<T>(work: (server: Asked) => Promise<T>): Promise<T> {
  if (values.ours !== undefined) return work({ port: Number(new URL(values.ours).port), token: values.token })
  return withServer("bare", work)
}

async function compare(real: Asked, ours: Asked): Promise<number> {
  const client = createHttpClient({ protocol: "http1", ...real })
  const get = async (path: string): Promise<JsonObject> => {
    const headers = { authorization: `Bearer ${real.token}`, accept: "application/json" }
    return JSON.parse((await client.send({ method: "GET", path, headers })).body.toString("utf8"))
  }
  const kinds = await kindsOf(recordedGroups(), values.kinds?.split(","), get)
  const senders = { real: openSender(real), ours: openSender(ours) }
  try {
    for (const kind of kinds) for (const step of kind.setup) await Promise.all([senders.real.send(step, {}), senders.ours.send(step, {})])
    console.log(`from seed ${seed}, ${kinds.length} kinds`)
    const untilMs = performance.now() + Number(values.minutes) * 60_000
    const { requests, classes } = await hunt({
      seed,
      kinds,
      servers: { real: (step) => senders.real.send(step, {}), ours: (step) => senders.ours.send(step, {}) },
      goesOn: () => performance.now() < untilMs,
      isKnown: values.all ? () => false : knownClasses(),
      found: (one) => console.log(describe(one)),
    })
    if (values.record !== undefined) writeFileSync(values.record, JSON.stringify(recording([...classes.values()]), undefined, 1))
    console.log(`${classes.size} classes in ${requests} requests; --seed ${seed} repeats them`)
    for (const kind of kinds) await remove(kind.stored?.path, [senders.real, senders.ours])
    return classes.size === 0 ? 0 : 1
  } finally {
    client.close()
    senders.real.close()
    senders.ours.close()
  }
}

async function remove(path: string | undefined, senders: readonly ReturnType<typeof openSender>[]): Promise<void> {
  if (path !== undefined)
    await Promise.all(
      senders.map((sender) => sender.send({ m: "DELETE", p: `${path}?gracePeriodSeconds=0&propagationPolicy=Background` }, {})),
    )
}

/**
 * Classes that the recorded cases show and that are still to be mended, and intended differences. A reason covers every
 * difference that it describes, whatever its class.
 */
function knownClasses(): (difference: Difference, kind: string) => boolean {
  const reasons = readReasons()
  const listed = new Set(
    [...readLedger()].flatMap(([key, reason]) => {
      if (reason !== open || key.includes("(default plugins)")) return []
      const [, , name = "", place = ""] = key.split("\t")
      return [classOf({ class: name, real: undefined, ours: undefined, part: place })]
    }),
  )
  return (difference, kind) =>
    // Both refuse the object, and the real server stops at an earlier fault. Alone, the value would show another code.
    difference.class === "causes: more" ||
    listed.has(classOf(difference)) ||
    reasonOf({ ...difference, id: `${kind}/random`, step: 0 }, reasons) !== open
}

function recording(found: readonly FoundClass[]): { groups: Group[]; answers: Record<string, readonly Facts[]> } {
  const names = [...new Set(found.map(({ probe }) => probe.kind))]
  const idOf = (one: FoundClass): string => `${one.probe.kind}/random/${one.probe.operation} ${one.name}`
  const groups = names.map((group) => ({
    group,
    cases: found.filter(({ probe }) => probe.kind === group).map((one) => ({ id: idOf(one), steps: recordedSteps(one.probe) })),
  }))
  const recorded = JSON.stringify({
    groups,
    answers: Object.fromEntries(found.map((one) => [idOf(one), [...one.answers, ...one.ended]])),
  })
  return JSON.parse(recorded.replace(/(?<![a-z])differ-/g, "rd-"))
}

/** The steps of a probe, and its final steps, which remove the objects that it made. */
function recordedSteps({ steps, end = [] }: Probe): readonly Step[] {
  return [...steps, ...end]
}

function describe({ name, probe, difference }: FoundClass): string {
  return [
    `${name}  (${probe.kind} ${probe.operation})`,
    ...probe.steps.map(({ m, p, ct, b }) => `    ${m} ${p}${ct === undefined ? "" : ` ${ct}`} ${shortText(b, 1500)}`),
    `    real ${shortText(difference.real)}`,
    `    ours ${shortText(difference.ours)}`,
  ].join("\n")
}
