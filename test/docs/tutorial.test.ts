/** The tutorial, followed word for word from an empty folder with the packed package. */
import { test } from "vitest"
import { follow } from "./project.ts"

test("docs/TUTORIAL.md", { timeout: 600_000 }, () => follow("docs/TUTORIAL.md"))
