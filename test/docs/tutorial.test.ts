/** Documents, followed word for word from an empty folder with the packed package. */
import { onTestFinished, test } from "vitest"
import { emptyFolder, follow } from "./project.ts"

test("docs/TUTORIAL.md", { timeout: 600_000 }, async () => {
  const { folder, remove } = emptyFolder()
  onTestFinished(remove)
  await follow("docs/TUTORIAL.md", folder)
})
