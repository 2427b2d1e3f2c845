/** Requests of people at the local address of a remote agent. */
import { expect, it } from 'vitest';
import type { PlacedRun } from '../../../../src/capabilities/remote/machine/state';
import { answerAtProxy } from '../../../../src/capabilities/remote/perform/proxy-verbs';
import type { RemoteRunner } from '../../../../src/capabilities/remote/perform/runner';
import { livesElsewhere } from '../../../../src/core/definition/children/elsewhere';
import type { RemoteAgentTransport, RemoteCall } from '../../../../src/core/definition/remote-transport';
import type { WaitingCall } from '../../../../src/core/tree/pending';
import type { RemoteParent } from '../../../../src/engine/children/children-elsewhere';
import type { JsonObject } from '../../../../src/protocol/json';
import { agentOf } from '../../../support/trees';
import { VirtualTime } from '../../../support/virtual-time';
import { atWork } from './child';

const far = agentOf('far');
const calls: RemoteCall[] = [];
const transport: RemoteAgentTransport = {
  label: 'a test',
  async call(request) {
    calls.push(request);
    return { ok: true, body: { messageId: 'm_1', delivery: 'queued' } };
  },
  async *stream() {},
};
livesElsewhere(far, transport);

/** A call of the agent that waits for a person. */
const waits: WaitingCall = { toolCallId: 's_1.c_1', toolName: 'publish', stepId: 1, kind: 'approval', requestedAt: 1 };
const asking: PlacedRun = { ...atWork, held: { ...atWork.held, waiting: [waits] } };

async function asked(verb: string, input: JsonObject, more: { isTrial?: true } = {}, placed: PlacedRun = asking) {
  calls.length = 0;
  const kept: unknown[] = [];
  const parent = { environment: new VirtualTime().environment, agentBy: () => far } as unknown as RemoteParent;
  const answered = (): void => undefined;
  const runner = {
    placed,
    answered,
    change: (run: PlacedRun) => void kept.push(run),
  } as unknown as RemoteRunner & {
    placed: PlacedRun;
  };
  const answer = await answerAtProxy(parent, runner, { kind: 'verb', path: [], verb, input, caller: 'ada', ...more });
  return { answer, kept };
}

it('[RM11, RM52] a message for an earlier run is refused and not sent', async () => {
  const { answer } = await asked('send', { content: 'Go', runId: 'r_before' });
  expect(answer).toMatchObject({ ok: false, error: { code: 'run_superseded' } });
  expect(calls).toEqual([]);
});

it.each([{ content: 'Go' }, { content: 'Go', runId: 'r_here' }])(
  '[RM11] a message for the run at work names its remote run: %j',
  async (input) => {
    expect((await asked('send', input)).answer).toMatchObject({ ok: true });
    expect(calls).toMatchObject([{ verb: 'send', body: { content: 'Go', runId: 'r_there' } }]);
  },
);

it('[RM13] a stop for an earlier run stops nothing', async () => {
  const { answer, kept } = await asked('abort', { runId: 'r_before' });
  expect(answer).toMatchObject({ ok: false, error: { code: 'run_superseded' } });
  expect(kept).toEqual([]);
  expect((await asked('abort', { runId: 'r_here' })).kept).toMatchObject([{ stop: { verb: 'abort' } }]);
});

it.each([
  ['send', { content: 'Go' }],
  ['submit', { kind: 'approval-response', toolCallId: 's_1.c_1', approved: true }],
])('[RM13, CH8] a trial of `%s` is not sent: the other side would carry it out', async (verb, input) => {
  expect((await asked(verb, input, { isTrial: true })).answer).toMatchObject({ ok: true });
  expect(calls).toEqual([]);
  await asked(verb, input);
  expect(calls).toMatchObject([{ verb }]);
});

it.each([
  ['late_answer', { ...asking, held: atWork.held }],
  ['late_answer', { ...asking, held: { ...atWork.held, waiting: [{ ...waits, toolCallId: 's_1.c_2' }] } }],
  ['interrupted', { ...asking, status: 'interrupted' }],
] as const)('[RM94, CH8] a trial of an answer to a call that waits no more is refused: %s', async (code, run) => {
  const input = { kind: 'approval-response', toolCallId: 's_1.c_1', approved: true };
  expect((await asked('submit', input, { isTrial: true }, run)).answer).toMatchObject({ ok: false, error: { code } });
  expect(calls).toEqual([]);
  // The other side decides of the answer itself.
  expect((await asked('submit', input, {}, run)).answer).toMatchObject({ ok: true });
});

it('[RM13] variables with a message are refused, as at any sub-agent', async () => {
  const { answer } = await asked('send', { content: 'Go', env: { KEY: 'x' } });
  expect(answer).toMatchObject({ ok: false, error: { code: 'owned_by_parent' } });
  expect(calls).toEqual([]);
});
