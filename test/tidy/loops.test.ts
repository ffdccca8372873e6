/** Faults that the rule about loops finds, by planted examples. `test/tidy.test.ts` applies it to the product. */
import ts from "typescript"
import { expect, test } from "vitest"
import { loopFaults } from "./loops.ts"

const faultsOf = (text: string, path = "runtime/controllers/planted.ts"): string[] =>
  loopFaults(path, ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true))

test.each([
  ["a loop that awaits", "async function work(keys) {\n  for (const key of keys) await look(key)\n}"],
  ["one that awaits in an expression", "async function work(keys) {\n  for (const key of keys) states.set(key, await look(key))\n}"],
  ["one that waits for its items", "async function work(keys) {\n  for await (const key of keys) seen(key)\n}"],
  ["one that counts to a length", "async function work(keys) {\n  for (let at = 0; at < keys.length; at++) await look(keys[at])\n}"],
  [
    "one whose turn is that of another function",
    "async function work(keys) {\n  for (const key of keys) await look(() => turns.next())\n}",
  ],
  ["a walk over stored objects", "function all() {\n  return [...cache.snapshot().entries({ prefix })].map(parse)\n}"],
])("%s, without turns, is a fault", (_name, text) => {
  expect(faultsOf(text)).toEqual([expect.stringMatching(/^2: .*takes no turn/)])
  expect(faultsOf(text, "runtime/wire/planted.ts")).toEqual([])
})

test.each([
  [
    "turns",
    "async function work(keys) {\n  for (const key of keys) {\n    await look(key)\n    if (turns.isOver(1)) await turns.next()\n  }\n}",
  ],
  ["turns of the object", "async function work(keys) {\n  for (const key of keys) if (this.turns.pause(1)) await look(key)\n}"],
  ["turns that are handed on", "async function work(keys) {\n  for (const key of keys) await look(key, turns)\n}"],
  ["stages", "function* all() {\n  for (const one of cache.snapshot().entries({ prefix })) yield one\n}"],
  ["a helper that takes them", "async function work() {\n  await inParallel(cache.snapshot().entries({ prefix }), { atOnce: 2 }, look)\n}"],
  ["a reason", "async function work(keys) {\n  // Bounded: one key per address family.\n  for (const key of keys) await look(key)\n}"],
  ["another try", "async function work() {\n  for (let attempt = 1; ; attempt++) await look()\n}"],
  ["nothing to wait for", "function work(keys) {\n  for (const key of keys) look(key)\n}"],
])("with %s it is none", (_name, text) => expect(faultsOf(text)).toEqual([]))

test("a reason must say something", () => {
  expect(faultsOf("async function work(keys) {\n  // Bounded:\n  for (const key of keys) await look(key)\n}")).toHaveLength(1)
})
