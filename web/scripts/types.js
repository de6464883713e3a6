// The types of all answers, from the schema that is derived from lab/answers.py.
import { readFile, writeFile } from "node:fs/promises";
import { compile } from "json-schema-to-typescript";

/** Without the titles of properties, each of which would become a type of its own. */
function untitled(part) {
  if (Array.isArray(part)) return part.map(untitled);
  if (typeof part !== "object" || part === null) return part;
  const entries = Object.entries(part).map(([key, value]) => [key, untitled(value)]);
  return Object.fromEntries(entries.filter(([key, value]) => key !== "title" || typeof value !== "string"));
}

/** A tuple as the compiler knows it: in draft 7 of JSON schema, its items stood under another name. */
const inDraft7 = (text) => JSON.parse(text.replaceAll('"prefixItems":', '"items":'));

const file = new URL("../../src/workings/schema/lab.json", import.meta.url);
const { $defs } = inDraft7(await readFile(file, "utf8"));
const schema = { type: "object", $defs: untitled($defs) };
const options = { unreachableDefinitions: true, additionalProperties: false, bannerComment: "// Made by scripts/types.js." };
await writeFile(new URL("../src/answers.ts", import.meta.url), await compile(schema, "Lab", options));
