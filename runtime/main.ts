#!/usr/bin/env node
/** The program `orch-apiserver`. */
import { processContext } from "./commands/context.ts"
import { run } from "./commands/run.ts"

process.exitCode = await run(process.argv.slice(2), processContext())
