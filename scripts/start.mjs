/** `npm start`: installs and builds missing parts, then runs the command `start`. Options after `--` are passed on. */
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { buildBundle, installPackages, repository, requireNode } from "./freshness.mjs"

requireNode()
installPackages()
await buildBundle()
process.argv.splice(2, 0, "start")
await import(pathToFileURL(join(repository, "dist/main.js")).href)
