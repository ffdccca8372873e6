import { Readable } from "node:stream"
import { buffer } from "node:stream/consumers"
import fc from "fast-check"
import { expect, test, vi } from "vitest"
import { htmlTagBytesMax, turnWorkMax } from "../base/limits.ts"
import { rewriteLinks } from "./html-links.ts"

/** Returns the page that results from feeding in these pieces. */
async function rewritten(pieces: readonly Buffer[]): Promise<Buffer> {
  return buffer(Readable.from(pieces).pipe(rewriteLinks((link) => `/p${link}`)))
}

const page = `<!doctype html><A HREF = "/a" title="/t">é</A><img src='/i' alt="a > b"><img src=/u><!-- <a href="/c"> --><script src="/s">"<a href='/r'>"</script>
<style>a:after { content: '<a href="/r">' }</style><input formaction="/f" value="/v"/><a><a href>x < y</a><p href="/no">`
const expected = `<!doctype html><A HREF = "/p/a" title="/t">é</A><img src='/p/i' alt="a > b"><img src=/p/u><!-- <a href="/c"> --><script src="/p/s">"<a href='/r'>"</script>
<style>a:after { content: '<a href="/r">' }</style><input formaction="/p/f" value="/v"/><a><a href>x < y</a><p href="/no">`

test("links in known attributes change, everything else stays", async () => {
  expect((await rewritten([Buffer.from(page)])).toString()).toBe(expected)
})

test("the result does not depend on how the page is cut into pieces", async () => {
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

test("bytes that are not markup pass unchanged", async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), async (bytes) => {
      const text = Buffer.from(bytes.map((byte) => (byte === 0x3d ? 0x3e : byte)))
      expect((await rewritten([text])).equals(text)).toBe(true)
    }),
    { numRuns: 60 },
  )
})

test("an endless link is not buffered without bound, and the page after it is rewritten", async () => {
  const long = Buffer.from(`<a href="/${"x".repeat(2 * htmlTagBytesMax)}`)
  expect((await rewritten([long, Buffer.from("more")])).length).toBe(long.length + 4)
  expect((await rewritten([long, Buffer.from('"><a href="/b">')])).toString()).toBe(`${long.toString()}"><a href="/p/b">`)
})

test.each([
  ["&#x2F;a&#47;b", "/p/a/b"],
  ["&sol;a?b=1&amp;c", "/p/a?b=1&#38;c"],
  ["/a?b=1&amp;c&lt;", "/p/a?b=1&amp;c&lt;"],
  ["/&eacute;&quot;", "/p/%C3%A9&#34;"],
  ["&#9999999999999;&#xD800;&", undefined],
  ["", undefined],
])("the path of %s may be written with character references", async (value, expected = value) => {
  const rewrite = (link: string): string => (link.startsWith("/") ? `/p${link}` : link)
  for (const quote of ['"', "'", ""]) {
    const at = await buffer(Readable.from([Buffer.from(`<a href=${quote}${value}${quote}>`)]).pipe(rewriteLinks(rewrite)))
    expect(at.toString()).toBe(`<a href=${quote}${expected}${quote}>`)
  }
})

const hostile = [
  "<a<a",
  "<a href=",
  '<a href="',
  "<a href='/x",
  "<!--",
  "<!-",
  "<![CDATA[",
  '"',
  "<",
  "</",
  "</script",
  "<script>",
  "<a ",
  "=",
  "&",
]

/** Counts the characters that the tokenizer examines for these pieces; it reads a page character by character. */
async function looks(pieces: readonly Buffer[]): Promise<number> {
  const spy = vi.spyOn(String.prototype, "charCodeAt")
  try {
    await rewritten(pieces)
    return spy.mock.calls.length
  } finally {
    spy.mockRestore()
  }
}

test.each(hostile)("a page of %j is read once, whatever its pieces", async (text) => {
  const page = Buffer.from(text.repeat(Math.ceil(20_000 / text.length)))
  for (const size of [1, 7, 1000, page.length]) {
    const pieces = Array.from({ length: Math.ceil(page.length / size) }, (_, index) => page.subarray(index * size, (index + 1) * size))
    expect(await looks(pieces)).toBeLessThan(3 * page.length)
  }
})

test.each(hostile)("ten megabytes of %j pass with at most one tag held back", async (text) => {
  const piece = Buffer.from(text.repeat(Math.ceil(65_536 / text.length)))
  const links = rewriteLinks((link) => link)
  let [sent, passed] = [0, 0]
  links.on("data", (chunk: Buffer) => {
    passed += chunk.length
  })
  while (sent < 10_000_000) {
    await new Promise((resolve) => links.write(piece, resolve))
    sent += piece.length
    expect(sent - passed).toBeLessThanOrEqual(htmlTagBytesMax)
  }
})

test("any markup gives the same result whatever its pieces, and is unchanged when no link changes", async () => {
  const parts = [
    ...hostile,
    "/x",
    ">",
    "'",
    " ",
    "href",
    "SRC",
    "=",
    "é",
    "<img",
    "</title",
    "<title>",
    "<plaintext>",
    "-->",
    "a",
    "\n",
    "x&#47;",
  ]
  const markup = fc.array(fc.constantFrom(...parts), { maxLength: 40 }).map((some) => Buffer.from(some.join("")))
  await fc.assert(
    fc.asyncProperty(markup, fc.integer({ min: 1, max: 9 }), async (bytes, size) => {
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) => bytes.subarray(index * size, (index + 1) * size))
      expect((await rewritten(pieces)).equals(await rewritten([bytes]))).toBe(true)
      const same = await buffer(Readable.from(pieces).pipe(rewriteLinks((link) => link)))
      expect(same.equals(bytes)).toBe(true)
    }),
    { numRuns: 500 },
  )
})

test("a page of nothing but links yields to other work", async () => {
  const links = rewriteLinks((link) => link).resume()
  await new Promise((resolve) => links.write("", resolve))
  let others = 0
  let isDone = false
  const other = (): void => {
    others++
    if (!isDone) setImmediate(other)
  }
  setImmediate(other)
  await new Promise((resolve) => links.write(Buffer.from("<a href=/>".repeat(20_000)), resolve))
  isDone = true
  expect(others).toBeGreaterThan((20_000 * 2) / turnWorkMax - 1)
})
