// The trace of a view. The panel tries an edit before it goes into the address, and then the page asks for the same: the
// last answers are kept, so that this costs one request.
import type { Overview } from "../answers";
import type { View } from "../address/view";
import { canonical } from "../api/ask";
import { openTrace } from "../api/traces";
import { wantedOf } from "./whatif";

const MOST = 20;
const kept = new Map<string, Overview>();

export async function openView(view: View, signal?: AbortSignal): Promise<Overview> {
  const wanted = wantedOf(view);
  const key = canonical(wanted);
  const overview = kept.get(key) ?? (await openTrace(wanted, signal));
  kept.delete(key);
  kept.set(key, overview); // now the last one
  if (kept.size > MOST) kept.delete(kept.keys().next().value!);
  return overview;
}
