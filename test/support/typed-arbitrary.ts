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
