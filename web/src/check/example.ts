// An example with a mistake in it. All its numbers come from a trace of the lab: whoever forgets to divide by the root
// writes down the scores a second time.
import type { Overview, Window } from "../answers";
import { askTrace, openTrace, windowPath } from "../api/traces";
import { CORNER } from "../explorer/shapes";
import { matrixText } from "../explorer/whatif_matrix";
import { NOTHING, type Texts } from "./fields";

export const openExample = (signal?: AbortSignal): Promise<Overview> =>
  openTrace({ source: "example-1", run: "twin" }, signal);

export async function exampleOf(overview: Overview, signal?: AbortSignal): Promise<Texts> {
  const [Q, K, V, scores] = await Promise.all(["Q", "K", "V", "scores"].map((name) => textOf(overview, name, signal)));
  return { ...NOTHING, given: { Q: Q!, K: K!, V: V! }, got: { scores: scores!, scaled: scores! } };
}

async function textOf({ key, steps }: Overview, name: string, signal?: AbortSignal): Promise<string> {
  const step = steps.find((row) => row.name === name)!;
  const window = await askTrace<Window>(windowPath(key, step.id, [], CORNER), signal);
  return matrixText(window.numbers.flat());
}
