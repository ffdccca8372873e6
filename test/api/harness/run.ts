/** Runs the steps of one scenario against one server. */
import { setImmediate } from "node:timers/promises"
import { gunzipSync } from "node:zlib"
import { expect } from "vitest"
import type { HttpAnswer, HttpClient, HttpRequest } from "../../support/http-client.ts"
import type { InProcess } from "../../support/in-process.ts"
import { parseDuration } from "../../../runtime/base/duration.ts"
import { type VendorName, vendorProfile } from "../../../runtime/base/vendor.ts"
import { judgeAnswer, type Answer } from "./answer.ts"
import { decodeBody } from "./encoding.ts"
import { differences, shown } from "./matchers.ts"
import { requestOf } from "./request.ts"
import { isFields, type Scenario, type Step, stepOf } from "./scenario.ts"
import { filled, filledText, valueAt, type Variables } from "./variables.ts"
import { WatchStream } from "./watch-stream.ts"

/** The server that a scenario runs against. */
export interface Target {
  readonly at: InProcess
  readonly client: HttpClient
  readonly vendor: VendorName
  /** The scenario's own namespace; it exists. */
  readonly namespace: string
}

/** Called once per scenario and target. Throws an Error with the step, the expected and the actual answer. */
export async function runScenario(scenario: Scenario, target: Target): Promise<void> {
  const run = new Run(target)
  try {
    for (const [index, step] of scenario.steps.entries()) await run.step(step, `${scenario.name} step ${index + 1}`)
  } finally {
    run.end()
  }
}

/** A step with a wrong answer. It happened in no place of the code, so it has no stack. */
class ScenarioFailure extends Error {
  override readonly stack: string

  constructor(message: string) {
    super(message)
    this.stack = message
  }
}

class Run {
  private readonly variables: Variables
  private readonly watches = new Map<string, WatchStream>()

  constructor(private readonly target: Target) {
    const { namespace, client, vendor, at } = target
    const { group, groupDomain, domain, compactMediaType, namespace: nameOf, word } = vendorProfile(vendor)
    this.variables = new Map<string, unknown>([
      ["ns", namespace],
      ["N", `/api/v1/namespaces/${namespace}`],
      ["protocol", client.protocol],
      ["token", at.token],
      ["vendor", word],
      ["meta", group("meta.orch.io")],
      ["events", group("events.orch.io")],
      ["coordination", group("coordination.orch.io")],
      ["groups", groupDomain],
      ["domain", domain("orch.io/").slice(0, -1)],
      ["compact", compactMediaType],
      ["system", nameOf("orch-system")],
      ["public", nameOf("orch-public")],
      ["leases", nameOf("orch-node-lease")],
    ])
  }

  end(): void {
    for (const watch of this.watches.values()) watch.close()
    this.target.at.random.clear()
  }

  async step(step: Step, where: string): Promise<void> {
    const { fields, type } = step
    if (fields.only !== undefined && fields.only !== this.target.client.protocol) return
    switch (type) {
      case "do":
        return this.request(step, where)
      case "watch":
        return this.openWatch(step, where)
      case "events":
        return this.events(step, where)
      case "ended":
        return this.watch(fields.ended).ended()
      case "close":
        return this.watch(fields.close).close()
      case "advance":
        return this.target.at.clock.advance(milliseconds(fields.advance))
      case "forget":
        return this.target.at.store.compact({ revision: await this.target.at.store.revision() })
      case "together":
        return this.together(step, where)
    }
  }

  private watch(name: unknown): WatchStream {
    const watch = this.watches.get(String(name))
    if (watch === undefined) throw new Error(`no watch is called ${String(name)}`)
    return watch
  }

  private async request(step: Step, where: string): Promise<void> {
    const { times, until, suffixes, expect: wanted, capture } = step.fields
    this.target.at.random.clear()
    if (Array.isArray(suffixes)) this.target.at.random.draw(suffixes.flatMap((suffix) => suffixIntegers(String(suffix))))
    for (let index = 0; index < (typeof times === "number" ? times : 1); index++) {
      this.variables.set("i", index)
      let answer = await this.answer(step)
      // A loop of the server brings about the state; the runner's time limit is the limit.
      while (until === true && judgeAnswer(filled(wanted, this.variables), answer).length > 0) {
        await setImmediate()
        answer = await this.answer(step)
      }
      this.judge({ step, where, answer })
      this.captureFrom(capture, answer.body, where)
    }
  }

  private judge({ step, where, answer }: { step: Step; where: string; answer: Answer }): void {
    const faults = judgeAnswer(filled(step.fields.expect ?? 200, this.variables), answer)
    if (faults.length === 0) return
    const got = `got ${answer.status} ${shown(answer.headers)}\n${answer.text.slice(0, 2000)}`
    throw new ScenarioFailure(`${where}: ${filledText(String(step.fields.do), this.variables)}\n  ${faults.join("\n  ")}\n${got}`)
  }

  private async answer(step: Step): Promise<Answer> {
    const request = await requestOf(step.fields, { variables: this.variables, vendor: this.target.vendor, token: this.target.at.token })
    const sent = this.target.client.send(request)
    const { status, headers, body } =
      step.fields.clock === undefined ? await sent : await this.whileTimePasses(sent, milliseconds(step.fields.clock))
    return { status, headers, ...(await this.decoded(headers, body)) }
  }

  private async decoded(headers: HttpAnswer["headers"], raw: Buffer): Promise<Pick<Answer, "body" | "text">> {
    const body = headers["content-encoding"] === "gzip" ? gunzipSync(raw) : raw
    return { text: body.toString("utf8"), body: await decodeBody(body, String(headers["content-type"] ?? ""), this.target.vendor) }
  }

  /** Advances the clock to due timers, by `budgetMs` at most, until the answer is there. */
  private async whileTimePasses<T>(answer: Promise<T>, budgetMs: number): Promise<T> {
    const { clock, server } = this.target.at
    const endMs = clock.nowMs() + budgetMs
    let settled = false
    const settle = () => {
      settled = true
    }
    answer.then(settle, settle)
    // Timers that fall due anyway would use up the budget before the request waits.
    const { inFlight } = server.parts
    const { long } = inFlight.counts
    while (!settled && inFlight.counts.short === 0 && inFlight.counts.long <= long) await setImmediate()
    while (!settled) {
      await setImmediate()
      const dueMs = clock.nextDueMs()
      if (!settled && dueMs !== undefined && dueMs <= endMs) clock.advance(Math.max(0, dueMs - clock.nowMs()))
    }
    return answer
  }

  private async openWatch(step: Step, where: string): Promise<void> {
    const { fields } = step
    const context = { variables: this.variables, vendor: this.target.vendor, token: this.target.at.token }
    const request: HttpRequest = await requestOf({ ...fields, do: fields.watch }, context)
    const open = await this.target.client.open(request)
    if (open.status !== 200) throw new Error(`${where}: ${request.path}: expected 200, got ${open.status}`)
    this.watches.set(String(fields.as ?? "W"), new WatchStream(open, this.target.vendor))
  }

  private async events(step: Step, where: string): Promise<void> {
    const { events: name, expect: wanted, capture } = step.fields
    const list = filled(wanted, this.variables)
    if (!Array.isArray(list)) throw new Error(`${where}: expect is a list of events`)
    const got = await this.watch(name).next(list.length)
    const faults = differences(list, got, "events")
    if (faults.length > 0) throw new ScenarioFailure(`${where}: events ${String(name)}\n  ${faults.join("\n  ")}\ngot ${shown(got)}`)
    this.captureFrom(capture, got, where)
  }

  /** Sends requests at once; `statuses` lists the statuses of the answers, in order of size. */
  private async together(step: Step, where: string): Promise<void> {
    const { together, statuses } = step.fields
    if (!Array.isArray(together)) throw new Error(`${where}: together is a list of requests`)
    const steps = together.map((each: unknown) => stepOf(each, where))
    const answers = await Promise.all(steps.map((each) => this.answer(each)))
    if (statuses !== undefined) expect(answers.map(({ status }) => status).sort(), where).toEqual(statuses)
    for (const [index, each] of steps.entries()) {
      const answer = answers[index]
      if (answer !== undefined && each.fields.expect !== undefined)
        this.judge({ step: each, where: `${where}, request ${index + 1}`, answer })
    }
  }

  private captureFrom(capture: unknown, value: unknown, where: string): void {
    if (!isFields(capture)) return
    for (const [name, path] of Object.entries(capture)) {
      const found = valueAt(value, String(path))
      if (found === undefined) throw new Error(`${where}: nothing to capture at ${String(path)} in ${shown(value)}`)
      this.variables.set(name, found)
    }
  }
}

function milliseconds(duration: unknown): number {
  return Number(parseDuration(String(duration))) / 1e6
}

/** The alphabet of generated names, as published by the reference (`k8s.io/apimachinery` rand.String). */
const nameAlphabet = "bcdfghjklmnpqrstvwxz2456789"

function suffixIntegers(suffix: string): number[] {
  return [...suffix].map((letter) => nameAlphabet.indexOf(letter))
}
