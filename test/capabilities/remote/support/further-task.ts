/** A companion elsewhere that was given its second task, through a network that loses what a test wants it to. */
import { expect } from 'vitest';
import type { StopVerb } from '../../../../src/core/agent/runs/stop-verb';
import { type RemoteAnswer, type RemoteCall, RemoteError } from '../../../../src/core/definition/remote-transport';
import { command } from '../../../../src/verbs/command';
import { type Tree, type TreeOptions, type TreeParts, withTree } from '../../../support/harness';
import { present } from '../../../support/present';
import { agentOf, answer, noteTool, toolResults } from '../../../support/trees';
import { critics, JUDGE, kind, questions, type Script, spawn } from './critic-elsewhere';
import { elsewhere } from './elsewhere';

/** The network of a companion that was given its second task, and what a test does with it. */
export interface Net {
  /** Its second task was given. */
  isSecond: boolean;
  /** What works for ever there at what it was asked last. */
  hangs: string | undefined;
  /** Starts of its second task that are on their way. */
  readonly starts: (() => Promise<RemoteAnswer>)[];
  /** What becomes of a start of the second task: it is on its way for ever, or its answer is lost, or it is as ever. */
  loses: 'start' | 'answer' | undefined;
  /** What the other side says to a call in place of doing it. */
  says?(call: RemoteCall, perform: () => Promise<RemoteAnswer>): RemoteAnswer | Promise<RemoteAnswer> | undefined;
  readonly calls: RemoteCall[];
  /** What its critic does with a second start (EN1). */
  readonly onConcurrentStart: 'refuse' | 'queue';
  /** After how many events a stream is cut, by its number. */
  cutsAfter?(stream: number): number | undefined;
}

export const refusal = (status: number, code: string): RemoteAnswer => ({ ok: false, code, title: 'No.', status });

/** A writer that gives its critic two tasks, through such a network. */
export function parts(net: Net) {
  const writer: Script = ({ step }) => {
    if (step === 1) return { calls: [spawn('Draft 1')] };
    if (step > 2) return { text: 'Published.' };
    net.isSecond = true;
    return { calls: [spawn('Draft 2', { keepMemory: true })] };
  };
  const critic: Script = ({ messages }) => {
    const last = questions(messages).at(-1);
    if (last !== undefined && last === net.hangs) return { hang: true };
    return { finish: { answer: `about ${questions(messages).join(' and ')}` } };
  };
  const call = async (request: RemoteCall, perform: () => Promise<RemoteAnswer>): Promise<RemoteAnswer> => {
    net.calls.push(request);
    const said = net.says?.(request, perform);
    if (said) return said;
    if (request.verb !== 'start' || !net.isSecond || net.loses === undefined) return perform();
    if (net.loses === 'answer') await perform();
    else net.starts.push(perform);
    throw new RemoteError('remote_timed_out', 'No answer came.');
  };
  const { onConcurrentStart } = net;
  return (tree: Tree): TreeParts => ({
    agents: [
      agentOf('writer', { persistentAgents: [{ agent: kind }], tools: [noteTool(tree)] }),
      agentOf('critic', { onConcurrentStart, tools: [noteTool(tree)], outputSchema: answer }),
    ],
    scripts: { writer, critic },
    env: { transport: elsewhere(tree, { call, cutsAfter: (stream) => net.cutsAfter?.(stream) }) },
  });
}

export const newNet = (given: Partial<Net> = {}): Net => ({
  ...{ isSecond: false, hangs: undefined, starts: [], loses: 'start', calls: [], onConcurrentStart: 'refuse' },
  ...given,
});

export const waits = (tree: Tree, ms: number): Promise<void> => {
  const from = tree.time.now;
  return tree.time.until(() => tree.time.now >= from + ms);
};

/** Until the second task was asked for, and its answer did not come. */
export async function within(net: Net, body: (tree: Tree, there: string) => Promise<void>, options: TreeOptions = {}) {
  await withTree(parts(net), options, async (tree) => {
    await tree.start();
    await tree.time.until(() => net.isSecond && net.calls.some(({ verb }) => verb === 'usage'));
    await waits(tree, 500);
    await body(tree, present(critics(tree)[0]));
  });
}

/** Stopped, until it has ended. */
export async function stop(tree: Tree, verb: StopVerb): Promise<void> {
  const from = tree.time.now;
  tree.stopSurely(verb);
  await tree.time.until(() => tree.ended);
  expect(tree.time.now - from).toBeLessThan(60_000);
}

/** The starts of the second task come there now; gives what they are answered. */
export const comeLate = (tree: Tree, { starts }: Net): Promise<RemoteAnswer[]> =>
  tree.soon(Promise.all(starts.map((start) => start())));

export const outcomes = (tree: Tree): unknown[] =>
  toolResults(tree).map((one) => (one.success ? one.value : { code: one.error.code }));

/** What its runs have failed with, as the log here has it. */
export const failures = (tree: Tree): unknown[] =>
  tree.log.flatMap(({ chunk }) => (chunk.type === 'run_failed' && chunk.address === JUDGE ? [chunk.error.code] : []));
export const turns = (tree: Tree, there: string) => tree.store(there).runs({}).length;

/** Somebody else gives the session there a turn. */
export async function ofOthers(tree: Tree, there: string): Promise<string | undefined> {
  await tree.soon(command(tree.world.object(there), there, 'start', { message: 'Of somebody else' }));
  return tree.state(there).run?.runId;
}

export const TOLD = [
  { task: 1, output: { answer: 'about Draft 1' } },
  { task: 2, output: { answer: 'about Draft 1 and Draft 2' } },
];
