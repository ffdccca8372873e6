import { expect, test } from "vitest"
import { createManualClock } from "../../test/contract/manual-clock.ts"
import type { ApiObject } from "../base/json.ts"
import { timeText } from "../base/time.ts"
import { vendorProfile } from "../base/vendor.ts"
import { bootstrapTokens } from "./bootstrap-tokens.ts"

const vendor = vendorProfile("kubernetes")
const token = "abcdef.0123456789abcdef"
const data = { "token-id": "abcdef", "token-secret": "0123456789abcdef", "usage-bootstrap-authentication": "true" }

/** A Secret with these data, as text. */
function secretOf(texts: Readonly<Record<string, string>>, more: ApiObject = {}): ApiObject {
  const encoded = Object.entries(texts).map(([name, text]) => [name, Buffer.from(text).toString("base64")] as const)
  return { type: "bootstrap.kubernetes.io/token", metadata: {}, data: Object.fromEntries(encoded), ...more }
}

function authenticator(secret: ApiObject | undefined) {
  return bootstrapTokens({
    read: async (resource, namespace, name) =>
      resource === "secrets" && namespace === "kube-system" && name === "bootstrap-token-abcdef" ? secret : undefined,
    clock,
    vendor,
    audiences: ["server"],
  })
}

const clock = createManualClock()
const at = (offsetMs: number): string => timeText(clock.nowMs() + offsetMs)

test("a bootstrap token is that of its Secret", async () => {
  const secret = secretOf({ ...data, "auth-extra-groups": "system:bootstrappers:a,system:bootstrappers:b:c", expiration: at(1000) })
  expect(await authenticator(secret)(token, [])).toEqual({
    user: {
      name: "system:bootstrap:abcdef",
      groups: ["system:bootstrappers", "system:bootstrappers:a", "system:bootstrappers:b:c"],
      extra: {},
    },
  })
  expect(await authenticator(secret)(token, ["other"])).toBeUndefined()
})

test.each([
  ["without its Secret", undefined],
  ["of a Secret of another type", secretOf(data, { type: "Opaque" })],
  ["of a Secret that is going", secretOf(data, { metadata: { deletionTimestamp: at(0) } })],
  ["with another secret", secretOf({ ...data, "token-secret": "0123456789abcdee" })],
  ["with a longer secret", secretOf({ ...data, "token-secret": "0123456789abcdef0" })],
  ["of another name", secretOf({ ...data, "token-id": "abcdee" })],
  ["that has ended", secretOf({ ...data, expiration: at(0) })],
  ["with an end that is no time", secretOf({ ...data, expiration: "tomorrow" })],
  ["that only signs", secretOf({ ...data, "usage-bootstrap-authentication": "false" })],
  ["with a group of administrators", secretOf({ ...data, "auth-extra-groups": "system:masters" })],
  ["with an empty group", secretOf({ ...data, "auth-extra-groups": "system:bootstrappers:" })],
  ["without data", { type: "bootstrap.kubernetes.io/token", metadata: {} }],
] as const)("a token %s is not known", async (_what, secret) => {
  expect(await authenticator(secret)(token, [])).toBeUndefined()
})

test.each(["", "abcdef", "abcdef.0123456789abcde", "ABCDEF.0123456789abcdef", "abcdef.0123456789abcdef0", "../../x.0123456789abcdef"])(
  "%j is no bootstrap token",
  async (text) => expect(await authenticator(secretOf(data))(text, [])).toBeUndefined(),
)
