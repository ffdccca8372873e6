import { createHmac } from "node:crypto"
import { afterEach, beforeEach, expect, test } from "vitest"
import { beforeCommit, countCommits, failCommits, retried } from "../../../test/support/controller-faults.ts"
import { openRegistry, type OpenRegistry } from "../../../test/support/open-registry.ts"
import { timeText } from "../../base/time.ts"
import type { KeyedController } from "../keyed-controller.ts"
import { detachedSignature, startBootstrapSigner } from "./bootstrap-signer.ts"
import { startTokenCleaner } from "./token-cleaner.ts"

let one: OpenRegistry
let signer: KeyedController
let cleaner: KeyedController
beforeEach(async () => {
  one = await openRegistry()
  signer = startBootstrapSigner(one)
  cleaner = startTokenCleaner(one)
})
afterEach(async () => {
  await Promise.all([signer.stop(), cleaner.stop()])
  await one.close()
})

const idle = async (): Promise<void> => {
  await signer.idle()
  await cleaner.idle()
}

const secretText = "0123456789abcdef"

async function makeToken(id: string, more: Record<string, string> = {}, type = "bootstrap.orch.io/token"): Promise<void> {
  const stringData = { "token-id": id, "token-secret": secretText, "usage-bootstrap-signing": "true", ...more }
  await one.create("secrets", { metadata: { name: `bootstrap-token-${id}`, namespace: "orch-system" }, type, stringData })
  await idle()
}

async function makeInfo(kubeconfig = "the: kubeconfig"): Promise<void> {
  await one.create("configmaps", { metadata: { name: "cluster-info", namespace: "orch-public" }, data: { kubeconfig, mine: "kept" } })
  await idle()
}

const inSeconds = (seconds: number): string => timeText(one.clock.nowMs() + seconds * 1000)

async function info(): Promise<Record<string, string>> {
  return ((await one.get("configmaps", "orch-public/cluster-info"))?.["data"] ?? {}) as Record<string, string>
}

const tokens = async (): Promise<string[]> => (await one.names("secrets")).map((name) => name.replace("orch-system/bootstrap-token-", ""))

test("the signature is a JSON Web Signature without its content", () => {
  const signature = detachedSignature("the: kubeconfig", { id: "abcdef", secret: secretText })
  const [header = "", content, signed] = signature.split(".")
  expect(JSON.parse(Buffer.from(header, "base64url").toString())).toEqual({ alg: "HS256", kid: "abcdef" })
  expect(content).toBe("")
  const whole = `${header}.${Buffer.from("the: kubeconfig").toString("base64url")}`
  expect(signed).toBe(createHmac("sha256", secretText).update(whole).digest("base64url"))
})

test("each token that may sign signs, and what else is there stays", async () => {
  await makeInfo()
  await makeToken("aaaaaa")
  await makeToken("bbbbbb", { "usage-bootstrap-signing": "false" })
  await makeToken("cccccc", { expiration: inSeconds(60) })
  await makeToken("dddddd", {}, "Opaque")
  await makeToken("eeeeee", { "token-secret": "short" })
  await makeToken("ffffff", { "token-id": "another" })
  expect(Object.keys(await info()).sort()).toEqual(["jws-kubeconfig-aaaaaa", "jws-kubeconfig-cccccc", "kubeconfig", "mine"])
})

test("a content that changes is signed anew, and a token that goes signs no more", async () => {
  await makeToken("aaaaaa")
  await makeInfo()
  const before = (await info())["jws-kubeconfig-aaaaaa"]
  await one.update("configmaps", "orch-public/cluster-info", (old) => ({
    ...old,
    data: { ...(old["data"] as object), kubeconfig: "other" },
  }))
  await idle()
  expect((await info())["jws-kubeconfig-aaaaaa"]).toBe(detachedSignature("other", { id: "aaaaaa", secret: secretText }))
  expect((await info())["jws-kubeconfig-aaaaaa"]).not.toBe(before)
  await one.remove("secrets", "orch-system/bootstrap-token-aaaaaa")
  await idle()
  expect(await info()).toEqual({ kubeconfig: "other", mine: "kept" })
})

test("a token that expires signs no more and goes, though nothing changes", async () => {
  await makeInfo()
  await makeToken("aaaaaa", { expiration: inSeconds(60) })
  await makeToken("bbbbbb", { expiration: "tomorrow" })
  await makeToken("cccccc")
  expect(await tokens()).toEqual(["aaaaaa", "cccccc"])
  await cleaner.stop()
  one.clock.advance(60_000)
  await idle()
  expect(Object.keys(await info())).not.toContain("jws-kubeconfig-aaaaaa")
  cleaner = startTokenCleaner(one)
  await idle()
  expect(await tokens()).toEqual(["cccccc"])
})

test("each of several tokens signs until its own end, and the others go on, though nothing is deleted", async () => {
  await cleaner.stop()
  await makeInfo()
  await makeToken("aaaaaa", { expiration: inSeconds(120) })
  await makeToken("bbbbbb", { expiration: inSeconds(60) })
  await makeToken("cccccc", { expiration: inSeconds(180) })
  await makeToken("dddddd")
  const signing = async (): Promise<string[]> =>
    Object.keys(await info())
      .flatMap((name) => name.split("jws-kubeconfig-").slice(1))
      .sort()
  const seen = [await signing()]
  for (let minute = 1; minute <= 3; minute++) {
    one.clock.advance(59_999)
    await signer.idle()
    expect(await signing()).toEqual(seen.at(-1))
    one.clock.advance(1)
    await signer.idle()
    seen.push(await signing())
  }
  expect(seen).toEqual([["aaaaaa", "bbbbbb", "cccccc", "dddddd"], ["aaaaaa", "cccccc", "dddddd"], ["cccccc", "dddddd"], ["dddddd"]])
  cleaner = startTokenCleaner(one)
})

test("a token that is prolonged stays, also when that happens right before it would go", async () => {
  await makeToken("aaaaaa", { expiration: inSeconds(60) })
  const path = "orch-system/bootstrap-token-aaaaaa"
  const later = { expiration: inSeconds(300) }
  const done = beforeCommit(one, `/secrets/${path}`, () => one.update("secrets", path, (old) => ({ ...old, stringData: later })))
  one.clock.advance(60_000)
  await retried(one, cleaner)
  expect([done(), await tokens()]).toEqual([true, ["aaaaaa"]])
  one.clock.advance(240_000)
  await retried(one, cleaner)
  expect(await tokens()).toEqual([])
})

test("nothing is written without a change; a store that fails is tried again", async () => {
  await makeToken("aaaaaa")
  await makeInfo()
  const commits = countCommits(one, "/cluster-info")
  await signer.stop()
  signer = startBootstrapSigner(one)
  await idle()
  expect(commits()).toBe(0)
  const twice = failCommits(one, "/cluster-info", 2)
  await makeToken("bbbbbb")
  await retried(one, signer)
  expect([twice(), Object.keys(await info())]).toEqual([2, expect.arrayContaining(["jws-kubeconfig-bbbbbb"])])
  await makeToken("cccccc", { expiration: inSeconds(10) })
  const fails = failCommits(one, "bootstrap-token-cccccc", 2)
  one.clock.advance(10_000)
  await retried(one, cleaner)
  expect([fails(), await tokens()]).toEqual([2, ["aaaaaa", "bbbbbb"]])
})

test("without the ConfigMap nothing is made", async () => {
  await makeToken("aaaaaa")
  expect(await one.names("configmaps")).toEqual([])
})
