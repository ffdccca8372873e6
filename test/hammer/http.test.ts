/**
 * The hammer over real HTTP: sends long runs in every header and every parameter to the built program, while another
 * client requests `/livez`.
 */
import { afterAll, beforeAll, expect, test } from "vitest"
import type { RequestCase } from "../fuzz/case.ts"
import { headers, parameters } from "../fuzz/draw.ts"
import { FuzzRun, heldMsOfTests } from "../fuzz/run.ts"
import { hammerUnits } from "./texts.ts"

/** A head may have 256 KiB. */
const headerCharacters = 250_000
const encodedCharacters = 240_000

let run: FuzzRun

beforeAll(async () => {
  run = await FuzzRun.start(heldMsOfTests)
}, 120_000)
afterAll(() => run.stop())

const path = "/api/v1/namespaces/default/configmaps"

function request(asked: Partial<RequestCase>): RequestCase {
  return { type: "request", protocol: "http1", method: "GET", path: `${path}/none`, headers: {}, ...asked }
}

/** The units that a field may contain: no control characters, no blanks at either end. */
const fieldUnits = hammerUnits.filter((unit) => /^[\x20-\x7e\u00a0-\u00ff]+$/.test(unit))

test.each(Object.keys(headers))("header %s", { timeout: 300_000 }, async (name) => {
  for (const unit of fieldUnits) {
    const value = `a${unit.repeat(Math.floor(headerCharacters / unit.length))}b`
    const finding = await run.take(request({ headers: { [name]: value } }))
    expect(finding, `${name}: a${unit}...b`).toBeUndefined()
  }
})

test.each(Object.keys(parameters))("parameter %s", { timeout: 300_000 }, async (name) => {
  for (const unit of hammerUnits) {
    const encoded = encodeURIComponent(unit.toWellFormed())
    const value = encoded.repeat(Math.floor(encodedCharacters / encoded.length))
    const finding = await run.take(request({ path: `${path}?limit=1&${name}=a${value}` }))
    expect(finding, `${name}=a${encoded}...`).toBeUndefined()
  }
})

test("the path", { timeout: 300_000 }, async () => {
  for (const unit of hammerUnits) {
    const encoded = unit === "/" ? unit : encodeURIComponent(unit.toWellFormed())
    const long = encoded.repeat(Math.floor(encodedCharacters / encoded.length))
    for (const place of [`/${long}`, `/apis/${long}x`, `${path}/${long}`, `/openapi/${long}`])
      expect(await run.take(request({ path: place })), `${place.slice(0, 60)}...`).toBeUndefined()
  }
})
