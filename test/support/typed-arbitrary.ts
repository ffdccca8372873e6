/** Objects of the shared example type, for property tests. */
import fc from "fast-check"
import type { JsonObject, JsonValue } from "../../runtime/base/json.ts"

const text = fc.constantFrom("a", "b", "c", "d")
const labels = fc.dictionary(fc.constantFrom("x", "y", "z"), text, { maxKeys: 3 })
const orNull = (value: fc.Arbitrary<JsonValue>): fc.Arbitrary<JsonValue> => fc.option(value, { freq: 12 })

const { child, free } = fc.letrec<{ child: JsonObject; free: JsonValue }>((tie) => ({
  child: fc.record({ text: orNull(text), labels: orNull(labels), child: tie("child") }, { requiredKeys: [] }),
  free: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom<JsonValue>(null, 1, "x", true, []),
    fc.array(tie("free"), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom("p", "q"), tie("free"), { maxKeys: 2 }),
  ),
}))

const port = fc.record(
  { port: fc.integer({ min: 0, max: 3 }), protocol: fc.constantFrom("TCP", "UDP"), text, names: fc.uniqueArray(text) },
  { requiredKeys: ["port"] },
)

/** Sets and keyed lists hold no duplicates. */
export const anyObject: fc.Arbitrary<JsonObject> = fc.record(
  {
    text: orNull(text),
    count: fc.integer(),
    labels: orNull(labels),
    frozen: labels,
    items: fc.array(text, { maxLength: 3 }),
    names: orNull(fc.uniqueArray(text)),
    ports: orNull(fc.uniqueArray(port, { selector: (item) => `${item.port}${item.protocol ?? "TCP"}` })),
    child: orNull(child),
    whole: child,
    children: fc.dictionary(fc.constantFrom("k", "l"), child, { maxKeys: 2 }),
    free: orNull(free),
    raw: free,
  },
  { requiredKeys: [] },
)

const few = (most: number) => ({ maxLength: most, size: "max" }) as const
const names = fc.uniqueArray(fc.nat({ max: 400 }).map(String), few(300))
const wide = fc.dictionary(fc.nat({ max: 400 }).map(String), text, { maxKeys: 300, size: "max" })
const widePort = fc.record({ port: fc.nat({ max: 300 }), protocol: fc.constantFrom("TCP", "UDP"), text, names }, { requiredKeys: ["port"] })

/** Objects of the shared example type with long lists and wide maps, also nested. Lists may hold duplicates. */
export const largeObject: fc.Arbitrary<JsonObject> = fc.record(
  {
    text,
    labels: fc.oneof(wide, labels),
    names: fc.oneof(fc.array(fc.nat({ max: 400 }).map(String), few(300)), orNull(fc.array(text))),
    ports: fc.oneof(fc.array(port, few(200)), fc.array(widePort, { maxLength: 4 }), orNull(fc.array(port))),
    child: fc.record({ text, labels: orNull(wide) }, { requiredKeys: [] }),
    children: fc.dictionary(fc.constantFrom("k", "l"), fc.record({ labels: wide }, { requiredKeys: [] })),
    free: fc.oneof(wide, orNull(free)),
    metadata: fc.record({ managedFields: fc.array(wide, { maxLength: 1 }), labels: wide }, { requiredKeys: [] }),
  },
  { requiredKeys: [] },
)
