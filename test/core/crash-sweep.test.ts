import { describe, expect, it } from 'vitest';
import type { Message } from '../../src/core/messages';
import { unpairedCalls } from '../../src/core/messages';
import { transcriptOf } from '../../src/core/transcript';
import { SqlAgentStore } from '../../src/store/agent-store';
import type { ObjectStorage } from '../../src/store/storage';
import type { World } from '../../src/testing/world';
import { begin, hasEnded, scriptedWorld, threeLevels } from '../support/trees';
import { VirtualTime } from '../support/virtual-time';

const ROOT = '/agents/top/one';

/** The transcript of every agent by address, without what is minted anew in each run. */
function transcripts(world: World): Record<string, unknown> {
  return Object.fromEntries(
    world.addresses().map((address) => {
      const store = new SqlAgentStore(world.storage(address) as unknown as ObjectStorage);
      const messages = transcriptOf(store.messages({}), store.steps({}));
      expect(unpairedCalls(messages)).toEqual([]);
      return [address, messages.map(plain)];
    }),
  );
}

function plain(message: Message): unknown {
  if (message.role === 'tool') return { tool: message.toolName, result: message.result };
  if (message.role !== 'assistant') return message;
  return {
    assistant: message.content.map((part) =>
      part.type === 'tool-call' ? { call: part.toolName, input: part.input } : part,
    ),
  };
}

/** Runs the tree with crashes at the given commits (counted over all objects and lives). */
async function run(crashAt: ReadonlySet<number>) {
  let commits = 0;
  let crashes = 0;
  const { agents, scripts } = threeLevels();
  const time = new VirtualTime({
    committed: () => {
      if (crashAt.has(++commits)) {
        crashes++;
        world.crash();
      }
    },
  });
  const { world, model } = scriptedWorld(time, agents, scripts);
  await begin(world, time, ROOT);
  await time.until(() => hasEnded(world, ROOT));
  await time.settle();
  const log = world.object(ROOT).tree?.log.page(1, ROOT).chunks ?? [];
  const found = { transcripts: transcripts(world), commits, crashes, log, calls: model.calls, problems: time.problems };
  world.close();
  return found;
}

describe('crash sweep in memory', () => {
  it('[G1, R2] ends in the same transcripts after a crash at any one commit', async () => {
    const calm = await run(new Set());
    expect(calm.crashes).toBe(0);
    for (let commit = 1; commit <= calm.commits; commit++) {
      const crashed = await run(new Set([commit]));
      expect(crashed.crashes, `commit ${commit}`).toBe(1);
      expect(crashed.transcripts, `commit ${commit}`).toEqual(calm.transcripts);
      const ends = crashed.log.filter(({ chunk }) => chunk.type === 'run_completed');
      expect(ends, `commit ${commit}`).toHaveLength(7);
    }
  });
});

describe('random crashes in memory', () => {
  it('[G1, R2] ends in the same transcripts after several crashes at random commits', async () => {
    const calm = await run(new Set());
    console.log('commits', calm.commits, calm.calls);
    let seed = 12345;
    const random = (n: number) => {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      return 1 + (seed % n);
    };
    for (let round = 0; round < 300; round++) {
      const at = new Set(Array.from({ length: 2 + (round % 5) }, () => random(calm.commits + 20)));
      const crashed = await run(at);
      expect(crashed.transcripts, `crashes at ${[...at]}`).toEqual(calm.transcripts);
    }
  });
});
