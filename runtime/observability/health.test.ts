import { expect, test } from "vitest"
import { createManualClock } from "../../test/contract/manual-clock.ts"
import { healthRememberedMs } from "../base/limits.ts"
import { answerHealth, loggedCheck, cachedCheck } from "./health.ts"
import { HealthResults } from "./health-results.ts"

test("the results of checks are counted by endpoint, whoever probes", async () => {
  let fault: string | undefined = "away"
  const etcd = { name: "etcd", check: async () => fault }
  const results = new HealthResults()
  const checks = { healthz: [etcd], livez: [etcd], readyz: [etcd] }
  const ask = (path: string) =>
    answerHealth(checks, { path, query: new URLSearchParams(), results, showsReasons: false, warning: () => undefined })
  await ask("/readyz")
  fault = undefined
  await ask("/readyz/etcd")
  await ask("/livez")
  const lines = (await results.text()).split("\n").filter((line) => !line.startsWith("#") && line !== "")
  expect(lines).toEqual([
    'kubernetes_healthcheck{name="etcd",type="livez"} 1',
    'kubernetes_healthcheck{name="etcd",type="readyz"} 1',
    'kubernetes_healthchecks_total{name="etcd",status="success",type="livez"} 1',
    'kubernetes_healthchecks_total{name="etcd",status="error",type="readyz"} 1',
    'kubernetes_healthchecks_total{name="etcd",status="success",type="readyz"} 1',
  ])
})

test("reasons are withheld from users without access to everything", async () => {
  const etcd = { name: "etcd", check: async () => "connect ECONNREFUSED 10.1.2.3:2379" }
  const checks = { healthz: [etcd], livez: [etcd], readyz: [etcd] }
  const ask = async (path: string, showsReasons: boolean) =>
    (
      await answerHealth(checks, {
        path,
        query: new URLSearchParams("verbose"),
        results: new HealthResults(),
        showsReasons,
        warning: () => "of /registry/secrets/a",
      })
    )?.text
  for (const path of ["/healthz", "/livez", "/readyz", "/readyz/etcd"]) {
    expect(await ask(path, false)).toContain("reason withheld")
    expect(await ask(path, false)).not.toMatch(/10\.1|registry/)
    expect(await ask(path, true)).toContain("ECONNREFUSED")
  }
  expect(await ask("/readyz", true)).toContain("warn: of /registry/secrets/a\n")
})

test("many probes share one request to the store, which is repeated after a moment", async () => {
  const clock = createManualClock()
  let asked = 0
  let answer: (fault: string | undefined) => void = () => undefined
  const ask = (): Promise<string | undefined> => {
    asked++
    return new Promise((resolve) => {
      answer = resolve
    })
  }
  const { check } = cachedCheck({ name: "etcd", check: ask }, clock)
  const together = [check(), check(), check()]
  // Probes that arrive during a slow check wait for it.
  clock.advance(10 * healthRememberedMs)
  together.push(check())
  answer("away")
  expect(await Promise.all(together)).toEqual(["away", "away", "away", "away"])
  clock.advance(healthRememberedMs - 1)
  expect([await check(), asked]).toEqual(["away", 1])
  clock.advance(1)
  const later = check()
  answer(undefined)
  expect([await later, asked]).toEqual([undefined, 2])
})

test("a result is logged when it changes, not with every probe", async () => {
  const said: unknown[] = []
  let fault: string | undefined
  const log = { warn: (values: object) => said.push(values), info: (values: object) => said.push(values) }
  const { check } = loggedCheck({ name: "etcd", check: async () => fault }, log)
  fault = "not there yet"
  expect(await check()).toBe("not there yet")
  fault = undefined
  await check()
  fault = "away"
  for (let probe = 0; probe < 3; probe++) expect(await check()).toBe("away")
  fault = undefined
  await check()
  expect(said).toEqual([{ check: "etcd", reason: "away" }, { check: "etcd" }])
})
