import { commentLines, documentLines, proseFaults } from "./test/tidy/prose.ts"
import { readFileSync } from "node:fs"
import { execFileSync } from "node:child_process"
const files=execFileSync("git",["ls-files"],{encoding:"utf8"}).trim().split("\n")
for(const f of files){ if(!f.startsWith(process.argv[2]??"")||/^generated|^test\/golden\/[^/]+\/|package-lock/.test(f))continue
 const text=()=>readFileSync(f,"utf8")
 const t=/\.ts$/.test(f)?commentLines(text()):/\.md$/.test(f)?documentLines(text()):[]
 for(const x of proseFaults(t))console.log(f+":"+x)}
