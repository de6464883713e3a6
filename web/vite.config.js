// Two builds of the same front end: the lab as a page with chunks (the usual mode), and one script with one style sheet
// for files that are read offline (mode "single").
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";

const LAB = "http://127.0.0.1:8765";
const package_ = fileURLToPath(new URL("../src/workings", import.meta.url));

/** Of the fonts of KaTeX, which come in three formats, the one that every browser reads. */
const oneFontFormat = {
  name: "one-font-format",
  enforce: "pre",
  transform: (code, id) =>
    id.endsWith("katex.min.css")
      ? code.replaceAll(/src:url\((fonts\/[\w-]+\.woff2)\)[^}]*/g, 'src:url($1) format("woff2")')
      : undefined,
};

/** The choice of light or dark of an earlier visit stands before anything is drawn; it is the script of HTML pages. */
const themeFirst = {
  name: "theme-first",
  apply: "build",
  transformIndexHtml: () => [{ tag: "script", attrs: { src: "./theme.js" }, injectTo: "head-prepend" }],
  generateBundle() {
    const source = readFileSync(`${package_}/render/page/theme.js`, "utf8");
    this.emitFile({ type: "asset", fileName: "theme.js", source });
  },
};

export default defineConfig(({ mode }) => {
  const single = mode === "single";
  const quiet = { pluginTimings: false };
  const oneFile = {
    assetsInlineLimit: Infinity,
    cssCodeSplit: false,
    rolldownOptions: {
      input: "src/main.ts",
      checks: { emptyImportMeta: false, ...quiet }, // import.meta is Vite's own, for chunks that are not there
      output: {
        format: "iife",
        codeSplitting: false,
        entryFileNames: "single.js",
        assetFileNames: "single[extname]",
      },
    },
  };
  return {
    base: "./",
    plugins: single ? [oneFontFormat, svelte()] : [oneFontFormat, themeFirst, svelte()],
    build: {
      outDir: `${package_}/lab/app`,
      emptyOutDir: !single,
      target: "es2022",
      chunkSizeWarningLimit: 1000,
      modulePreload: single ? false : { polyfill: false },
      ...(single ? oneFile : { rolldownOptions: { checks: quiet } }),
    },
    // With `workings serve` beside it; the lab answers only pages that it knows to be its own.
    server: { proxy: { "/api": { target: LAB, changeOrigin: true, headers: { origin: LAB } } } },
    test: { include: ["src/**/*.test.ts"] },
  };
});
