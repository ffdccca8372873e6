/**
 * `npm start`: installs and builds what is missing, then serves on this machine only. Options after `--` are passed on;
 * the later value wins.
 */
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { buildBundle, installPackages, repository, requireNode } from "./freshness.mjs"

requireNode()
installPackages()
await buildBundle()
process.argv.splice(2, 0, "serve", "--bind-address=127.0.0.1", "--anonymous-auth=false")
await import(pathToFileURL(join(repository, "dist/main.js")).href)
