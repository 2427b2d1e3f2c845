/** A transcript that is read at any chunk: with the stream behind it, it is the whole, and nothing of it twice. */
import { describe, expect, it } from 'vitest';
import { createSubAgentTool } from '../../src/core/definition/children/relationship';
import { command } from '../../src/verbs/command';
import { type Tree, type TreeParts, withTree } from '../support/harness';
import { agentOf, noteTool, question } from '../support/trees';

const LEAF = '/agents/top/one/sub/leaf/1~1';
const note = (text: string) => ({ name: 'note', input: { text } });
const long = (word: string) => Array.from({ length: 60 }, (_, at) => `${word}${at}`).join(' ');

/** An agent and its sub-agent, each of which says much, runs tools and says more. */
const make = (tree: Tree): TreeParts => {
  const tools = [noteTool(tree)];
  const leaf = agentOf('leaf', { tools });
  const top = agentOf('top', { tools: [...tools, createSubAgentTool(leaf, question)] });
  const scripts = {
    top: [
      { text: long('first '), calls: [note('1'), note('2')] },
      { text: long('then '), calls: [{ name: 'subagent__leaf', input: { q: 'x' } }, note('3')] },
      { text: long('last ') },
    ],
    leaf: [{ text: long('below '), calls: [note('4')] }, { text: long('done ') }],
  };
  return { agents: [top, leaf], scripts };
};

/** Chunks of a step that a transcript with its reply stands for. */
const PARTS: ReadonlySet<string> = new Set(['step_started', 'text_delta']);

const read = (tree: Tree, address: string) =>
  command(tree.world.object(tree.address), address, 'messages', {}, { caller: 'ada' });

type Snapshot = Awaited<ReturnType<typeof read>>;

/** What a transcript shows of an agent, against its chunks up to the sequence that it is of. */
function compared(tree: Tree, address: string, { items, asOfSequence }: Snapshot) {
  const own = tree.log.filter(({ chunk }) => chunk.address === address);
  const isBefore = ({ sequence }: { readonly sequence: number }): boolean => sequence <= asOfSequence;
  const ended = own.flatMap((entry) =>
    entry.chunk.type === 'tool_end' ? [{ ...entry, id: entry.chunk.toolCallId }] : [],
  );
  const shown = items.flatMap((item) => (item.role === 'tool' ? [item.toolCallId] : []));
  const steps = new Set(own.flatMap(({ chunk }) => (chunk.type === 'text_delta' ? [chunk.step] : [])));
  const delivered = own.flatMap((entry) =>
    entry.chunk.type === 'message_delivered' && isBefore(entry) ? [entry.chunk.messageId] : [],
  );
  const inItems = new Set(items.flatMap((item) => ('messageId' in item ? [item.messageId] : [])));
  return {
    results: [
      shown.toSorted(),
      ended
        .filter(isBefore)
        .map(({ id }) => id)
        .toSorted(),
    ],
    // Of each step the text is in the transcript, or all of it comes after.
    texts: [...steps].map((step) => {
      const deltas = own.filter(({ chunk }) => PARTS.has(chunk.type) && chunk.step === step);
      const isShown = items.some((item) => item.role === 'assistant' && item.step === step);
      return deltas.every((entry) => isBefore(entry) === isShown);
    }),
    missing: delivered.filter((id) => !inItems.has(id)),
  };
}

describe('a transcript', () => {
  it.each([
    ['of the root', '/agents/top/one'],
    ['of a sub-agent', LEAF],
  ])('[A12] F147: %s and the stream behind it lose, repeat and hide nothing, at each chunk', async (_, address) => {
    await withTree(make, {}, async (tree) => {
      const taken: Promise<Snapshot | undefined>[] = [];
      await tree.start();
      const root = tree.world.object(tree.address).tree;
      let last = 0;
      root?.watch(() => {
        // To read is to ask the root, which says so too.
        if (root.log.last === last) return;
        last = root.log.last;
        taken.push(read(tree, address).catch(() => undefined));
      });
      await tree.finish();
      await tree.rest();
      const snapshots = (await tree.soon(Promise.all(taken))).flatMap((one) => one ?? []);
      const sequences = new Set(snapshots.map(({ asOfSequence }) => asOfSequence));
      expect(sequences.size).toBeGreaterThan(1);
      for (const snapshot of snapshots) {
        const { results, texts, missing } = compared(tree, address, snapshot);
        const at = `at ${snapshot.asOfSequence}`;
        expect(results[0], at).toEqual(results[1]);
        expect(
          texts.every((isWhole) => isWhole),
          at,
        ).toBe(true);
        expect(missing, at).toEqual([]);
      }
    });
  });
});
