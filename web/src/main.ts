import "../../src/workings/render/page/tokens.css";
import "../../src/workings/render/page/blocks.css";
import "../../src/workings/render/page/paper.css";
import "./shell/shell.css";
import { mount } from "svelte";
import type { Start } from "./answers";
import { ask } from "./api/ask";
import { asProblem } from "./api/problem";
import { viewAt } from "./address/view";
import App from "./App.svelte";
import { PAGES } from "./pages";
import { openOnPaper } from "./shell/paper";
import ProblemBox from "./shell/ProblemBox.svelte";

const target = document.getElementById("app")!;

async function start(): Promise<void> {
  void PAGES[viewAt(location.hash).page](); // on its way while the lab answers
  try {
    await ask<Start>("/api/start"); // the lab is there, or the answers of an offline file are unpacked
    target.replaceChildren(); // an offline file can be read before this script runs
    mount(App, { target });
  } catch (error) {
    mount(ProblemBox, { target, props: { problem: asProblem(error)!, heading: true } });
  }
}

openOnPaper();
void start();
