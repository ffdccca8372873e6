import { expect, test } from "vitest"
import { hasReliableProgress } from "./server-version.ts"

test.each([
  ["3.4.30", false],
  ["3.4.31", true],
  ["3.5.12", false],
  ["3.5.13", true],
  ["3.5.21", true],
  ["3.6.0-rc.1", true],
  ["3.6.4", true],
  ["4.0.0", true],
  ["3.3.27", false],
  ["2.3.8", false],
  ["", false],
  ["not a version", false],
])("progress of %s: %s", (version, expected) => expect(hasReliableProgress(version)).toBe(expected))
