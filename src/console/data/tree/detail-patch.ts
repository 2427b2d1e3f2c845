/** What has changed in an agent's detail since it was told last: the unchanged parts are not copied again. */
import type { AgentView, CallView, RunView, StepView } from '../../../client';

/** A list: how long it is now, and the items that are others than before. */
interface ListPatch<Item> {
  readonly length: number;
  readonly items: readonly (readonly [at: number, item: Item])[];
}

interface RunPatch {
  /** Without its steps. */
  readonly run: RunView;
  readonly steps: ListPatch<StepView>;
}

type Lists = 'delegations' | 'messages' | 'customs' | 'statePatches';

/** From nothing, or from what was told before. */
export type DetailPatch =
  | { readonly whole: AgentView }
  | {
      /** Without its lists. */
      readonly agent: Omit<AgentView, Lists | 'runs' | 'calls'>;
      readonly runs: ListPatch<RunPatch>;
      readonly calls: ListPatch<CallView>;
      readonly lists: { readonly [Name in Lists]: ListPatch<AgentView[Name][number]> };
    };

function changed<Item, Told = Item>(
  before: readonly Item[],
  after: readonly Item[],
  tell: (item: Item, before: Item | undefined) => Told,
): ListPatch<Told> {
  if (before === after) return { length: after.length, items: [] };
  const items = after.flatMap((item, at) => (before[at] === item ? [] : [[at, tell(item, before[at])] as const]));
  return { length: after.length, items };
}

function patched<Item, Told = Item>(
  before: readonly Item[],
  { length, items }: ListPatch<Told>,
  take: (told: Told, before: Item | undefined) => Item,
): readonly Item[] {
  if (items.length === 0 && length === before.length) return before;
  const after = before.slice(0, length);
  for (const [at, told] of items) after[at] = take(told, before[at]);
  return after;
}

const same = <Item>(item: Item): Item => item;

/** What a page is told that holds `before`. */
export function detailPatch(before: AgentView | undefined, after: AgentView): DetailPatch {
  if (before === undefined || before.agentId !== after.agentId) return { whole: after };
  const { runs, calls, delegations, messages, customs, statePatches, ...agent } = after;
  return {
    agent,
    runs: changed(before.runs, runs, (run, old) => ({
      run: { ...run, steps: [] },
      steps: changed(old?.runId === run.runId ? old.steps : [], run.steps, same),
    })),
    calls: changed(before.calls, calls, same),
    lists: {
      delegations: changed(before.delegations, delegations, same),
      messages: changed(before.messages, messages, same),
      customs: changed(before.customs, customs, same),
      statePatches: changed(before.statePatches, statePatches, same),
    },
  };
}

/** What the page holds then. */
export function detailAfter(before: AgentView | undefined, patch: DetailPatch): AgentView | undefined {
  if ('whole' in patch) return patch.whole;
  if (before === undefined) return undefined;
  const { lists } = patch;
  return {
    ...patch.agent,
    runs: patched(before.runs, patch.runs, ({ run, steps }, old) => ({
      ...run,
      steps: patched(old?.runId === run.runId ? old.steps : [], steps, same),
    })),
    calls: patched(before.calls, patch.calls, same),
    delegations: patched(before.delegations, lists.delegations, same),
    messages: patched(before.messages, lists.messages, same),
    customs: patched(before.customs, lists.customs, same),
    statePatches: patched(before.statePatches, lists.statePatches, same),
  };
}
