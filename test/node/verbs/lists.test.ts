/** Lists that are read from the steps of a session, against a naive reading of the same steps. */
import { expect, it } from 'vitest';
import { MAX_HOOK_FAILURES } from '../../../src/core/agent/hooks/hooks';
import type { RepliedStep } from '../../../src/core/agent/state';
import { MAX_CALLS_OF_A_REPLY } from '../../../src/core/definition/reply-size';
import type { Range } from '../../../src/core/ports/agent-store';
import { failure } from '../../../src/protocol/errors';
import { logs } from '../../../src/verbs/ledger';
import { checkpoints } from '../../../src/verbs/reads/audit-and-steps';
import type { Page } from '../../../src/verbs/reads/pages';
import { call, replied, SETTLED } from '../../contract/stores-support';

interface Asked {
  readonly limit: number;
  readonly cursor?: string;
}
type List = { handle(context: never): unknown };

/** All pages of a list. */
function pagesOf(list: object, steps: readonly RepliedStep[], limit: number): Page<object>[] {
  const store = {
    steps: ({ after = 0, limit: most = steps.length }: Range) => steps.filter(({ id }) => id > after).slice(0, most),
  };
  const agent = { state: { session: { sessionId: 's_1' } } };
  const pages: Page<object>[] = [];
  let input: Asked | undefined = { limit };
  while (input) {
    const { body } = (list as List).handle({ object: { store }, agent, input } as never) as {
      readonly body: Page<object>;
    };
    pages.push(body);
    input = body.cursor === undefined ? undefined : { limit, cursor: body.cursor };
  }
  return pages;
}

const settled = (index: number) => ({ ...call(index), settled: SETTLED });

it('[A9, A10] the log has the model, the calls, the failed hooks and the compaction of each step, each on one page, also of the largest step', () => {
  const all = Array.from({ length: MAX_CALLS_OF_A_REPLY }, (_, index) => settled(index));
  const hookFailures = Array.from({ length: MAX_HOOK_FAILURES }, (_, index) => ({
    ...{ hook: 'afterTool' as const, callId: `c_${index}`, at: 9, error: failure('hook_failed') },
  }));
  const facts = { upToStep: 0, upToMessage: 0, summary: 'Before.', by: 'digest', startedAt: 3, at: 4 } as const;
  const compaction = { number: 1, ...facts } as NonNullable<RepliedStep['compaction']>;
  const steps = [replied(1, all, { hookFailures, compaction }), replied(2, [settled(0)])];
  const expected = [
    ...['model', ...all.map(() => 'tool'), ...hookFailures.map(() => 'hook'), 'compaction'],
    ...['model', 'tool'],
  ];
  for (const limit of [MAX_CALLS_OF_A_REPLY, MAX_CALLS_OF_A_REPLY + 1, MAX_CALLS_OF_A_REPLY + 20]) {
    const pages = pagesOf(logs, steps, limit);
    const items = pages.flatMap((page) => page.items) as { readonly kind: string; readonly toolCallId?: string }[];
    expect(items.map(({ kind }) => kind)).toEqual(expected);
    expect(items.flatMap(({ kind, toolCallId }) => (kind === 'tool' ? toolCallId : []))).toEqual([
      ...all.map(({ callId }) => callId),
      'c_0',
    ]);
    expect(pages.slice(0, -1).every((page) => page.items.length === limit)).toBe(true);
  }
});

it('[A40] checkpoints are the steps whose calls all have a result, however those ended, but for one that a newer run took the place of', () => {
  const failed = (code: 'tool_failed' | 'superseded') => ({
    ...call(1),
    settled: { ...SETTLED, at: 20, result: { success: false, error: failure(code) } } as const,
  });
  const steps = [
    replied(1, []),
    replied(2, [settled(0), failed('tool_failed')]),
    replied(3, [settled(0), failed('superseded')]),
    replied(4, [settled(0), call(1)]),
    replied(5, [settled(0)]),
  ];
  const [page] = pagesOf(checkpoints, steps, 10);
  const at = { turn: 1, step: 1, finishReason: 'stop' };
  expect(page?.items).toEqual([
    { checkpointId: 's_1.1', ...at, at: 7 },
    { checkpointId: 's_1.2', ...at, at: 20 },
    { checkpointId: 's_1.5', ...at, at: 9 },
  ]);
});
