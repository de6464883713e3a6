// Lists: what can be opened, and the told steps of a trace in groups, as a list that can be searched. A long one is cut: whoever looks for something
// writes a word of it.
import type { LessonPath, Overview, ScenarioEntry, StepRow } from "../answers";

export interface ListedModule {
  readonly path: string;
  readonly title: string;
  readonly rows: StepRow[];
}

export interface Listed {
  readonly stages: readonly { readonly stage: StepRow["stage"]; readonly modules: readonly ListedModule[] }[];
  /** How many steps are not in the list. */
  readonly left: number;
}

const MOST = 200;

/** In the address: the list is open, and nothing is looked for in it. */
export const EVERY_STEP = "*";

/** The steps in which all of the words are found. The one that is `shown` is in a long list in any case. */
export function groupedSteps({ steps, modules }: Pick<Overview, "steps" | "modules">, words: string, shown: string, most = MOST): Listed {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const found = steps.filter((step) => step.told && wanted.every((word) => textOf(step).includes(word)));
  const rows = found.filter((step, place) => place < most || step.id === shown);
  const titles = new Map(modules.map(({ path, title }) => [path, title]));
  const stages = (["forward", "backward", "update"] as const).map((stage) => {
    const groups = new Map<string, ListedModule>();
    for (const row of rows.filter((row) => row.stage === stage)) {
      const group = groups.get(row.module) ?? { path: row.module, title: titles.get(row.module) ?? row.module, rows: [] };
      group.rows.push(row);
      groups.set(row.module, group);
    }
    return { stage, modules: [...groups.values()] };
  });
  return { stages: stages.filter(({ modules }) => modules.length), left: found.length - rows.length };
}

const textOf = ({ path, name, title, op }: StepRow): string => `${path} ${name} ${title} ${op}`.toLowerCase();

export interface Openable {
  /** Of a part of the path; nothing for what no lesson is about. */
  readonly title: string;
  readonly entries: readonly Pick<ScenarioEntry, "name" | "title" | "about">[];
}

/** What can be opened: what each lesson is about, in the order of the path, then everything else. */
export function openable({ parts }: LessonPath, scenarios: readonly ScenarioEntry[]): readonly Openable[] {
  const seen = new Set<string>();
  const groups = parts.map(({ title, lessons }) => {
    const fresh = lessons.filter(({ explored }) => explored && !seen.has(explored) && seen.add(explored));
    return { title, entries: fresh.map(({ explored, title, about }) => ({ name: explored, title, about })) };
  });
  const others = scenarios.filter(({ name }) => !seen.has(name));
  return [...groups, { title: "", entries: others }].filter(({ entries }) => entries.length);
}
