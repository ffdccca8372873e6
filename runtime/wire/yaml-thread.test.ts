import { afterEach, describe, expect, it } from "vitest"
import { timeout } from "../base/errors.ts"
import { yamlWaitingMax } from "../base/limits.ts"
import { parseYaml } from "./yaml.ts"
import { YamlThread, type YamlThreadOptions } from "./yaml-thread.ts"

const bad = { source: new URL("../../test/support/bad-thread.ts", import.meta.url), bundle: "" }
const open: YamlThread[] = []

function thread(options?: YamlThreadOptions): YamlThread {
  const made = new YamlThread(options)
  open.push(made)
  return made
}

afterEach(async () => {
  for (const one of open.splice(0)) await one.stop()
})

describe("the thread that reads YAML", { timeout: 60_000 }, () => {
  it("reads as the parser does, errors included", async () => {
    const reader = thread()
    const texts = ["a: [1, 2.5, yes, ~, 2001-01-01, 012]\nb: &x {c: d}\ne: *x\na: again", "", "- 9007199254740993\n- {<<: {a: 1}, a: 2}"]
    for (const text of texts) {
      const { value, duplicates } = parseYaml(text)
      const read = await reader.read(Buffer.from(text))
      expect({ ...read, json: JSON.parse(read.json) }).toEqual({
        json: JSON.parse(JSON.stringify(value, (_key, one) => (typeof one === "bigint" ? Number(one) : one))),
        duplicates,
      })
    }
    for (const [text, code] of [
      ["a: [", 400],
      ["a: *nope", 400],
      [`a: ${"x".repeat(1024 * 1024)}`, 413],
    ] as const) {
      let message = ""
      try {
        parseYaml(text)
      } catch (error) {
        message = String((error as Error).message)
      }
      await expect(reader.read(Buffer.from(text))).rejects.toMatchObject({ code, message })
    }
    await expect(reader.read(Buffer.from([0xff, 0x61]))).rejects.toMatchObject({ code: 400, message: expect.stringContaining("no UTF-8") })
  })

  it("keeps this thread free", async () => {
    const reading = thread().read(Buffer.from(`[${"{},".repeat(60_000)}]`))
    let turns = 0
    let isDone = false
    const count = (): void => {
      turns++
      if (!isDone) setImmediate(count)
    }
    setImmediate(count)
    expect(JSON.parse((await reading).json)).toHaveLength(60_000)
    isDone = true
    expect(turns).toBeGreaterThan(100)
  })

  it.each([
    ["throw", 413, "cannot be read: broken"],
    ["exit", 503, "has ended"],
    ["spin", 413, "takes longer than 500 ms"],
    ["eat", 413, "takes more than 64 MiB of memory"],
  ])("responds when the thread does this: %s, and reads the next document", async (word, code, message) => {
    const reader = thread({ thread: bad, timeoutMs: word === "spin" ? 500 : 30_000, memoryMiB: 64 })
    const [first, second] = await Promise.allSettled([reader.read(Buffer.from(word)), reader.read(Buffer.from("fine"))])
    expect(first).toMatchObject({ status: "rejected", reason: { code, message: expect.stringContaining(message) } })
    expect(second).toMatchObject({ status: "fulfilled", value: { json: '"fine"' } })
  })

  it("ends when idle, and starts again", async () => {
    const reader = thread({ thread: bad, idleMs: 1 })
    await reader.read(Buffer.from("one"))
    await expect.poll(() => reader.isRunning).toBe(false)
    expect(await reader.read(Buffer.from("two"))).toMatchObject({ json: '"two"' })
  })

  it("refuses documents when the queue is too long, and drops requests that ended", async () => {
    const reader = thread({ thread: bad })
    const gone = new AbortController()
    const all = Array.from({ length: yamlWaitingMax + 1 }, (_none, index) =>
      reader.read(Buffer.from(String(index)), index === 1 ? gone.signal : undefined),
    )
    await expect(reader.read(Buffer.from("more"))).rejects.toMatchObject({
      code: 429,
      message: expect.stringContaining(String(yamlWaitingMax)),
    })
    const late = timeout("too late", 0)
    gone.abort(late)
    const results = await Promise.allSettled(all)
    expect(results[1]).toEqual({ status: "rejected", reason: late })
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(yamlWaitingMax)
    await expect(reader.read(Buffer.from("x"), AbortSignal.abort(late))).rejects.toBe(late)
  })

  it("refuses the current document when it is stopped", async () => {
    const reader = thread({ thread: bad })
    const results = Promise.allSettled([reader.read(Buffer.from("spin")), reader.read(Buffer.from("a"))])
    await reader.stop()
    for (const result of await results) expect(result).toMatchObject({ status: "rejected", reason: { code: 503 } })
    expect(await reader.read(Buffer.from("b"))).toMatchObject({ json: '"b"' })
  })
})
