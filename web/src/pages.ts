// The pages by name, each loaded when it is first needed.
import type { Component } from "svelte";
import type { PageName } from "./address/view";

/** Some pages need no view; `never` stands for both sorts. */
export const PAGES: Readonly<Record<PageName | "inside", () => Promise<{ default: Component<never> }>>> = {
  home: () => import("./pages/Home.svelte"),
  lesson: () => import("./pages/Lesson.svelte"),
  explore: () => import("./explorer/Explorer.svelte"),
  practice: () => import("./pages/Practice.svelte"),
  check: () => import("./pages/Check.svelte"),
  progress: () => import("./pages/Progress.svelte"),
  models: () => import("./pages/Models.svelte"),
  inside: () => import("./offline/Inside.svelte"),
  nowhere: () => import("./pages/Nowhere.svelte"),
};
