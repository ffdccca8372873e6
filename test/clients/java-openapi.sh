#!/usr/bin/env bash
# Generates Java clients from the published OpenAPI documents and compiles them, with the standard generator from Maven
# Central (needs Java and Maven). Takes minutes and downloads packages, so it is not part of `npm test`.
# Usage: test/clients/java-openapi.sh [FOLDER]; the results are left in FOLDER.
set -euo pipefail

repository="$(cd "$(dirname "$0")/../.." && pwd)"
folder="${1:-$(mktemp -d)}"
generator=org.openapitools:openapi-generator-cli:7.25.0

mvn --quiet dependency:copy "-Dartifact=$generator" "-DoutputDirectory=$folder" -Dmdep.stripVersion=true
(cd "$repository" && npm --silent run openapi -- --vendor=kubernetes --out "$folder/documents")

# A client of all groups from v2, and a client of one group from v3.
for document in v2 v3/apis/apps/v1; do
  name="${document//\//-}"
  echo "== $document"
  java -jar "$folder/openapi-generator-cli.jar" generate \
    --generator-name java --library native --skip-operation-example \
    --input-spec "$folder/documents/$document.json" --output "$folder/$name" \
    --global-property apis,models,supportingFiles,apiTests=false,modelTests=false,apiDocs=false,modelDocs=false \
    >"$folder/$name.log" 2>&1 || { cat "$folder/$name.log"; exit 1; }
  ! grep -E '\b(ERROR|WARN)\b' "$folder/$name.log" | sort | uniq -c | sort -rn | head -20
  (cd "$folder/$name" && mvn --quiet --batch-mode compile -Dmaven.javadoc.skip=true)
  echo "$(find "$folder/$name/src/main" -name '*.java' | wc -l) files generated and compiled"
done
echo "passed: $folder"
