import { expect, it } from 'vitest';
import { z } from 'zod';
import { MAX_ENCLOSED } from '../../src/core/agent/calls/enclosures';
import { Draft } from '../../src/core/agent/draft';
import { handedOver } from '../../src/core/agent/standard-agents/result-files';
import type { GivenFile } from '../../src/core/agent/state';
import { defineTool } from '../../src/core/definition/define-tool';
import { Machine, planned } from '../support/machine';
import { dualOf, promptOf } from '../support/prompts';

const ending = defineTool({
  name: 'done',
  description: 'Ends the session.',
  inputSchema: z.object({ files: z.array(z.string()) }),
  execute: () => '',
});
const FILE = { size: 1, mediaType: 'text/plain', etag: 'e' };
const pathsOf = (count: number, name: string) => Array.from({ length: count }, (_, at) => `${name}-${at}.md`);

/** The outcome of a call that ends its session with `now` files, where `before` files go along already. */
function given(before: number, now: number) {
  const done = { name: 'done', attachmentsProperty: 'files' };
  const { sides } = dualOf(
    'worker',
    {},
    { sideA: { prompt: promptOf('worker_a', { tools: [ending] }), sessionStop: done } },
  );
  if (sides === undefined) throw new Error('The agent has no sides.');
  const machine = new Machine({ child: true });
  machine.start();
  machine.reply({ calls: [planned.tool('done')] });
  const { run } = machine.state;
  if (run?.phase !== 'active') throw new Error('The run has ended.');
  const gives = pathsOf(before, 'before').map((path): GivenFile => ({ path, ...FILE }));
  const paths = pathsOf(now, 'now');
  const draft = new Draft({
    ...machine.state,
    run: { ...run, sides: { acting: 'side_a', turns: 0, steps: 1 }, gives },
  });
  const call = { ...machine.call(0), input: { files: paths } };
  const files = Object.fromEntries(paths.map((path) => [path, FILE]));
  const asked = { token: 'token00000000001', files };
  const result = handedOver(draft, call, { success: true, value: '' }, asked, {
    ...machine.rules,
    sides: { of: sides },
  });
  const after = draft.state.run;
  return { ended: result.success, files: after?.phase === 'active' ? after.gives?.length : undefined };
}

it('[SA68] the files of a session count together, those that went along before too', () => {
  expect(given(0, MAX_ENCLOSED)).toEqual({ ended: true, files: MAX_ENCLOSED });
  expect(given(1, MAX_ENCLOSED - 1)).toEqual({ ended: true, files: MAX_ENCLOSED });
  expect(given(1, MAX_ENCLOSED)).toEqual({ ended: false, files: 1 });
  expect(given(MAX_ENCLOSED, 1)).toEqual({ ended: false, files: MAX_ENCLOSED });
});
