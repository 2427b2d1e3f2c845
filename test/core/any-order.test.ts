/**
 * The core under any order of events: what is right now, what comes too early, too late or twice. After each event,
 * what must hold of every state is looked at, and the state is compared with what a store gives back.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isEndChunk } from '../../src/core/chunks';
import { effects } from '../../src/core/effects';
import { failure } from '../../src/core/errors';
import type { AgentEvent } from '../../src/core/events';
import { transition } from '../../src/core/router';
import { type AgentState, type Call, currentStep, openCalls, type Settlement } from '../../src/core/state';
import { SqlAgentStore } from '../../src/store/agent-store';
import { migrate } from '../../src/store/migrate';
import { AGENT_MIGRATIONS } from '../../src/store/migrations';
import type { ObjectStorage } from '../../src/store/storage';
import { nodeStorage } from '../../src/testing/node-storage';
import { NIGHTLY, SEED } from '../support/crashes';
import { Machine, planned } from '../support/machine';

const ACTIONS = [
  'start',
  'send',
  'reply',
  'reply',
  'reply',
  'finish',
  'fail',
  'settle',
  'settle',
  'child',
  'child',
  'stopChild',
  'stop',
  'recover',
  'told',
  'change',
  'progress',
  'twice',
  'twice',
] as const;
type Action = { readonly what: (typeof ACTIONS)[number]; readonly n: number };
const action: fc.Arbitrary<Action> = fc.record({ what: fc.constantFrom(...ACTIONS), n: fc.nat(999) });

/** Events of which a second delivery must do nothing. Starts and messages have receipts, the others never leave an object. */
const REPEATABLE: ReadonlySet<AgentEvent['type']> = new Set([
  'model_replied',
  'model_failed',
  'tool_settled',
  'child_settled',
  'child_stop',
  'stop',
  'told',
]);

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) deepFreeze(part);
  }
  return value;
}

/** A machine that records each event that had an effect, and looks at everything after it. */
class Watched extends Machine {
  readonly events: AgentEvent[] = [];
  readonly store: SqlAgentStore;
  readonly #ends = new Map<string, number>();
  readonly #settlements = new Map<string, Settlement>();
  readonly #effects = new Map<string, string>();
  delivered: string[] = [];

  constructor() {
    super({
      limits: {
        maxSteps: 4,
        maxConcurrentCalls: 2,
        maxChildren: 3,
        modelRetries: 2,
        maxRecoveries: 3,
        maxToolReplays: 2,
      },
      finishTools: ['__finish__'],
      child: true,
    });
    const storage = nodeStorage() as unknown as ObjectStorage;
    migrate(storage, 'agent', AGENT_MIGRATIONS);
    this.store = new SqlAgentStore(storage);
    this.store.create(this.state);
  }

  override applyWhole(event: AgentEvent) {
    const before = deepFreeze(this.state);
    const again = transition(before, event, this.rules);
    const chunks = this.chunks.length;
    const answer = super.applyWhole(deepFreeze(event));
    expect(answer, 'SE3').toEqual(again);
    if (!answer.ok) {
      expect(this.state, 'SE4').toBe(before);
      return answer;
    }
    if (answer.changes.length > 0) this.events.push(event);
    this.store.transaction(() => this.store.write(answer.changes));
    expect(this.store.load(), 'SE1').toEqual(JSON.parse(JSON.stringify(this.state)));
    this.#look(before, chunks);
    return answer;
  }

  #look(before: AgentState, chunks: number): void {
    const { run, step, inbox } = this.state;
    for (const { body } of this.chunks.slice(chunks)) {
      if (isEndChunk(body)) this.#ends.set(run?.runId ?? '', (this.#ends.get(run?.runId ?? '') ?? 0) + 1);
      if (body.type === 'message_delivered') this.delivered.push(body.messageId);
    }
    expect(this.#ends.get(run?.runId ?? '') ?? 0, 'RN2').toBe(run?.phase === 'ended' ? 1 : 0);
    if (before.run?.phase === 'ended' && run?.runId === before.run.runId) expect(run.phase, 'RN2').toBe('ended');
    expect(run?.epoch ?? 0, 'RC1').toBeGreaterThanOrEqual(
      before.run?.runId === run?.runId ? (before.run?.epoch ?? 0) : 1,
    );
    expect((run?.turn ?? 0) - (before.run?.turn ?? 0), 'RN3').toBe(run?.runId === before.run?.runId ? 0 : 1);
    expect(step?.number ?? 1, 'ST2').toBeLessThanOrEqual(this.rules.limits.maxSteps);
    if (step?.phase === 'calls') for (const call of step.calls) this.#settledOnce(call);
    const accepted = this.changes.flatMap((change) =>
      change.put === 'message' && change.message.from !== 'offshoot' ? [change.message.messageId] : [],
    );
    const waiting = inbox.flatMap(({ from, messageId }) => (from === 'offshoot' ? [] : [messageId]));
    expect([...this.delivered, ...waiting], 'DL1').toEqual(accepted);
    this.#owes();
  }

  #settledOnce({ callId, settled }: Call): void {
    const known = this.#settlements.get(callId);
    if (known) expect(settled, 'CL2').toEqual(known);
    if (settled) this.#settlements.set(callId, settled);
  }

  /** SE2: everything that is open is owed, and nothing else; ids say what they stand for. */
  #owes(): void {
    const owed = effects(this.state, this.rules);
    expect(effects(JSON.parse(JSON.stringify(this.state)) as AgentState, this.rules), 'SE2').toEqual(
      JSON.parse(JSON.stringify(owed)),
    );
    expect(new Set(owed.map(({ id }) => id)).size, 'SE2').toBe(owed.length);
    for (const effect of owed) {
      const { kind } = effect;
      const what = JSON.stringify(
        kind === 'tool'
          ? [kind, effect.call.callId, effect.call.bodies, effect.epoch]
          : kind === 'model'
            ? effect
            : [kind, effect.id],
      );
      expect(this.#effects.get(effect.id) ?? what, 'SE2').toBe(what);
      this.#effects.set(effect.id, what);
    }
    const { run } = this.state;
    const kinds = owed.map(({ kind }) => kind);
    if (run === undefined) return expect(kinds).toEqual([]);
    if (run.phase === 'ended') return expect(kinds).toEqual(run.told ? [] : ['tell_parent']);
    const step = currentStep(this.state);
    if (step?.phase !== 'calls') return expect(kinds).toEqual(['model']);
    const open = openCalls(step);
    const of = (kind: 'tool' | 'child') => open.filter(({ plan }) => plan.kind === kind);
    expect(open.length, 'ST3').toBeGreaterThan(0);
    const bodies = run.stop ? of('tool').length : Math.min(of('tool').length, this.rules.limits.maxConcurrentCalls);
    expect(kinds.filter((kind) => kind === 'tool').length, 'CL3').toBe(bodies);
    expect(kinds.filter((kind) => kind === 'child').length, 'DG2').toBe(
      run.stop ? 0 : of('child').filter(({ stand }) => stand?.is !== 'stopping').length,
    );
    expect(kinds.filter((kind) => kind === 'stop_child').length, 'SP2').toBe(
      of('child').filter(({ stand }) => run.stop || stand?.is === 'stopping').length,
    );
    const begun = of('tool').filter(({ callId }) => run.stop?.bodies.includes(callId));
    if (run.stop) expect(of('tool'), 'SP2').toEqual(begun);
  }
}

const calls = (n: number) =>
  [
    planned.tool(),
    planned.child(),
    planned.tool('once', { replay: 'never' }),
    planned.refused(),
    planned.child(),
    planned.child(),
    planned.tool(),
    planned.child(),
  ].slice(n % 4, (n % 4) + (n % 6));

/** An open call of a kind, or any call that there ever was: what is reported may be late. */
function some(machine: Watched, kind: 'tool' | 'child', n: number): Call | undefined {
  const step = currentStep(machine.state);
  const open = step?.phase === 'calls' ? openCalls(step).filter(({ plan }) => plan.kind === kind) : [];
  const all = machine.changes.flatMap((change) =>
    change.put === 'step' && change.step.phase === 'calls' ? change.step.calls : [],
  );
  const from = open.length > 0 && n % 5 > 0 ? open : all;
  return from[n % Math.max(1, from.length)];
}

function perform(machine: Watched, { what, n }: Action): void {
  const { run } = machine.state;
  const epoch = run?.phase === 'active' ? run.epoch - (n % 11 === 0 ? 1 : 0) : 1;
  const tool = some(machine, 'tool', n);
  const child = some(machine, 'child', n);
  const generation = child?.plan.kind === 'child' ? child.plan.generation + (n % 13 === 0 ? 1 : 0) : 1;
  const runId = n % 7 === 0 ? 'r_other' : (run?.runId ?? 'r_none');
  const fence = n % 17 === 0 ? { ...machine.fence, attempt: machine.fence.attempt - 1 } : machine.fence;
  switch (what) {
    case 'start':
      return void machine.start();
    case 'send':
      return void machine.send(`${n}`);
    case 'reply':
      return void machine.reply(
        { text: `${n}`, calls: calls(n), ...(n % 19 === 0 ? { finishReason: 'length' as const } : {}) },
        fence,
      );
    case 'finish':
      return void machine.reply({ calls: [...calls(n % 3), planned.finish(n), planned.finish(n + 1)] }, fence);
    case 'fail':
      return void machine.fail('model_error', n % 3 > 0, fence);
    case 'settle':
      return void (
        tool &&
        machine.apply({
          type: 'tool_settled',
          callId: tool.callId,
          epoch,
          result: n % 2 ? { success: true, value: n } : { success: false, error: failure('tool_failed') },
          startedAt: 0,
        })
      );
    case 'child':
      return void (
        child &&
        machine.apply({
          type: 'child_settled',
          callId: child.callId,
          generation,
          outcome:
            n % 2
              ? { status: 'completed', output: n, completionReason: 'text' }
              : { status: 'failed', error: failure('aborted') },
          usage: machine.state.spent,
        })
      );
    case 'stopChild':
      return void (
        child &&
        machine.apply({ type: 'child_stop', callId: child.callId, generation, error: failure('child_timeout') })
      );
    case 'stop':
      return void machine.stop(n % 29 === 0 ? 'terminate' : 'abort', runId);
    case 'recover':
      return void machine.recover();
    case 'told':
      return void machine.apply({ type: 'told', runId });
    case 'change':
      return void (
        tool && machine.apply({ type: 'custom_changed', by: tool.callId, epoch, custom: { n }, patch: [] })
      );
    case 'progress':
      return void machine.apply({ type: 'model_progress', ...fence, deltas: [{ type: 'text', delta: `${n}` }] });
    case 'twice': {
      const events = machine.events.filter(({ type }) => REPEATABLE.has(type));
      const event = events[events.length - 1 - (n % Math.max(1, events.length))];
      if (event === undefined) return;
      const { state, chunks, changes } = machine;
      const sizes = [chunks.length, changes.length];
      machine.applyWhole(event);
      expect(machine.state, `${event.type} a second time`).toEqual(state);
      expect([machine.chunks.length, machine.changes.length], `${event.type} a second time`).toEqual(sizes);
    }
  }
}

describe('any order of events', () => {
  it('[SE1, SE2, SE3, SE4, RN2, CL2, CL3, ST2, ST3, DL1, RC1, DG2, DG3, SP1, SP2, SO1] keeps what must hold of every state', {
    timeout: 900_000,
  }, () => {
    const holds = fc.property(fc.array(action, { minLength: 20, maxLength: 120, size: 'max' }), (actions) => {
      const machine = new Watched();
      machine.start();
      for (const each of actions) perform(machine, each);
    });
    fc.assert(holds, { seed: SEED, numRuns: NIGHTLY ? 3_000 : 120 });
  });

  it('[SE5] leaves a state whose size does not grow with the history', () => {
    const machine = new Machine();
    const sizes: number[] = [];
    const written: number[] = [];
    for (let turn = 0; turn < 100; turn++) {
      machine.start('always the same');
      const before = machine.changes.length;
      machine.reply({ text: 'always the same', calls: [planned.tool(), planned.tool()] });
      machine.settle(1);
      machine.settle(0);
      machine.reply({ text: 'done' });
      sizes.push(
        JSON.stringify({ ...machine.state, spent: undefined, step: { ...machine.state.step, spent: undefined } })
          .length,
      );
      written.push(machine.changes.length - before);
    }
    // Numbers get a digit longer; nothing else may.
    expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThan(30);
    expect(new Set(written).size).toBe(1);
  });
});
