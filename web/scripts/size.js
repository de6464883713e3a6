// How much a browser loads before it shows anything: what index.html names, and what that imports at once.
import { readFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";

const MOST = 350_000; // bytes, gzipped
const FEWEST = 2; // scripts that every page loads at once
const app = new URL("../../src/workings/lab/app/", import.meta.url);
const NAMED = /(?:src|href)="\.?\/?([^"]+\.(?:js|css))"/g;
const IMPORTED = /(?:^|[;}\n])import(?:[^"'();]*from)?["']\.\/([^"']+\.js)["']/g;

const read = (name) => readFile(new URL(name, app), "utf8");
const waiting = [...(await read("index.html")).matchAll(NAMED)].map(([, name]) => name);
const sizes = new Map([["index.html", gzipSync(await read("index.html")).length]]);
while (waiting.length) {
  const name = waiting.pop();
  if (sizes.has(name)) continue;
  const text = await read(name);
  sizes.set(name, gzipSync(text).length);
  const folder = name.slice(0, name.lastIndexOf("/") + 1);
  waiting.push(...[...text.matchAll(IMPORTED)].map(([, found]) => folder + found));
}
const scripts = [...sizes.keys()].filter((name) => name.endsWith(".js")).length;
if (scripts < FEWEST) throw new Error(`Only ${scripts} scripts were found: the patterns above no longer see what is loaded.`);
const total = [...sizes.values()].reduce((sum, size) => sum + size);
for (const [name, size] of sizes) console.log(`${String(size).padStart(8)}  ${name}`);
console.log(`${String(total).padStart(8)}  bytes gzipped at the start, of at most ${MOST}`);
if (total > MOST) process.exit(1);
