import svelte from "eslint-plugin-svelte";
import ts from "typescript-eslint";

export default ts.config(
  { ignores: ["node_modules/", "src/answers.ts"] },
  ...ts.configs.strict,
  ...svelte.configs.recommended,
  {
    files: ["**/*.svelte", "**/*.svelte.ts"],
    languageOptions: { parserOptions: { parser: ts.parser, extraFileExtensions: [".svelte"] } },
  },
  {
    rules: {
      "@typescript-eslint/no-non-null-assertion": "off", // where an index is known to be there
      "svelte/no-at-html-tags": "error", // but for drawings, which our own Python makes and escapes
      "svelte/no-navigation-without-resolve": "off", // the address is a hash, there is no router
      "svelte/prefer-svelte-reactivity": "off", // a map that nobody watches may be a plain one
      eqeqeq: "error",
    },
  },
);
