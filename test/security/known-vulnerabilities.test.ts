/** Past vulnerabilities of similar servers, each with its test, whose title has the number. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"

const repository = join(import.meta.dirname, "..", "..")

/** Tests for authentication, authorization, audit, TLS, web hooks and proxies. A new one is a line and a test. */
const tests: Readonly<Record<string, string>> = {
  "CVE-2018-1002105": "test/api/subresources/node-agent.test.ts",
  "CVE-2018-1002102": "test/api/subresources/proxy.test.ts",
  "CVE-2020-8559": "test/api/subresources/node-agent.test.ts",
  "CVE-2020-8562": "test/api/subresources/proxy.test.ts",
  "CVE-2022-3294": "test/api/subresources/proxy.test.ts",
  "CVE-2019-11243": "runtime/hooks/hooks.test.ts",
  "CVE-2020-8561": "runtime/hooks/hooks.test.ts",
  "CVE-2019-11247": "test/security/access.test.ts",
  "CVE-2022-3162": "test/security/access.test.ts",
  "CVE-2019-11250": "test/security/canary-tokens.test.ts",
  "CVE-2020-8552": "test/security/growth.test.ts",
  "CVE-2021-25735": "runtime/registry/admission.test.ts",
  "CVE-2024-7598": "runtime/controllers/namespace/namespace-controller.test.ts",
  "CVE-2023-44487": "runtime/http2/hostile-clients.test.ts",
  "CVE-2023-39325": "runtime/http2/hostile-clients.test.ts",
  "CVE-2023-45288": "runtime/http2/hostile-clients.test.ts",
  "CVE-2025-8671": "runtime/http2/hostile-clients.test.ts",
  "etcd CVE-2026-73500": "runtime/http/connection-limits.test.ts",
  "etcd CVE-2026-73499": "test/security/access.test.ts",
  "CVE-2023-32082": "test/security/access.test.ts",
  "CVE-2021-28235": "test/security/access.test.ts",
  "etcd CVE-2018-16886": "test/authentication/request-header.test.ts",
  "etcd CVE-2018-1098": "test/security/access.test.ts",
  "CVE-2018-1099": "test/security/access.test.ts",
  "kcp GO-2024-3325": "test/security/access.test.ts",
  "kcp CVE-2025-29922": "test/security/front-ends.test.ts",
  "GO-2025-3985": "test/security/front-ends.test.ts",
  "CVE-2026-39429": "test/security/front-ends.test.ts",
  "k3s CVE-2023-32187": "test/security/growth.test.ts",
}

it.each(Object.entries(tests))("%s has a test", (number, path) => {
  const lines = readFileSync(join(repository, path), "utf8").split("\n")
  expect(lines.filter((line) => line.includes(number) && /"[^"]*\b(CVE|GO)-\d/.test(line))).not.toEqual([])
})
