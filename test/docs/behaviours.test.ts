/** The project of docs/BEHAVIOURS.md: generated, compiled and tested with the packed package. */
import { test } from "vitest"
import { follow } from "./project.ts"

const before = `
\`\`\`json file=tsconfig.json
{
  "compilerOptions": {
    "target": "ES2022",
    "module": "NodeNext",
    "lib": ["ES2023"],
    "strict": true,
    "exactOptionalPropertyTypes": true,
    "noUncheckedIndexedAccess": true,
    "skipLibCheck": false,
    "allowImportingTsExtensions": true,
    "noEmit": true
  },
  "include": ["**/*.ts"]
}
\`\`\`
\`\`\`console
$ echo '{"type": "module"}' > package.json
$ npm install orch-apiserver
…
$ npm install --save-dev typescript tsx
…
\`\`\``
const after = `
\`\`\`console
$ npx orch-apiserver gen --schemas schemas --out generated
2 kinds from 2 schema files: … written, … removed, … unchanged in … ms
$ npx tsc
$ npx tsx --test queue.test.ts
…
… pass 1
… fail 0
…
\`\`\``

test("docs/BEHAVIOURS.md", { timeout: 600_000 }, () => follow("docs/BEHAVIOURS.md", { before, after }))
