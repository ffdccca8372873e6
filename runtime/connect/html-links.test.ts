import { Readable } from "node:stream"
import { buffer } from "node:stream/consumers"
import fc from "fast-check"
import { expect, test } from "vitest"
import { htmlTagBytesMax } from "../limits.ts"
import { rewriteLinks } from "./html-links.ts"

/** The page as it comes out when it goes in as these pieces. */
async function rewritten(pieces: readonly Buffer[]): Promise<Buffer> {
  return buffer(Readable.from(pieces).pipe(rewriteLinks((link) => `/p${link}`)))
}

const page = `<!doctype html><A HREF = "/a" title="/t">é</A><img src='/i' alt="a > b"><img src=/u><!-- <a href="/c"> --><script src="/s">"<a href='/r'>"</script>
<style>a:after { content: '<a href="/r">' }</style><input formaction="/f" value="/v"/><a><a href>x < y</a><p href="/no">`
const expected = `<!doctype html><A HREF = "/p/a" title="/t">é</A><img src='/p/i' alt="a > b"><img src=/p/u><!-- <a href="/c"> --><script src="/p/s">"<a href='/r'>"</script>
<style>a:after { content: '<a href="/r">' }</style><input formaction="/p/f" value="/v"/><a><a href>x < y</a><p href="/no">`

test("links of known attributes change, all else stays", async () => {
  expect((await rewritten([Buffer.from(page)])).toString()).toBe(expected)
})

test("however the page is cut into pieces", async () => {
  const bytes = Buffer.from(page)
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: bytes.length }), { maxLength: 12 }), async (cuts) => {
      const places = [0, ...cuts.toSorted((left, right) => left - right), bytes.length]
      const pieces = places.slice(1).map((end, index) => bytes.subarray(places[index], end))
      expect((await rewritten(pieces)).toString()).toBe(expected)
    }),
    { numRuns: 60 },
  )
})

test("bytes that are no markup pass as they are", async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), async (bytes) => {
      const text = Buffer.from(bytes.map((byte) => (byte === 0x3d ? 0x3e : byte)))
      expect((await rewritten([text])).equals(text)).toBe(true)
    }),
    { numRuns: 60 },
  )
})

test("a tag that does not end is not gathered without bound", async () => {
  const long = Buffer.from(`<a href="${"x".repeat(2 * htmlTagBytesMax)}`)
  expect((await rewritten([long, Buffer.from("more")])).length).toBe(long.length + 4)
})
