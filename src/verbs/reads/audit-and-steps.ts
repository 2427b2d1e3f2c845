/**
 * What happened to an agent: who did what to it, and the steps that were committed.
 *
 * Keeps A39, A40.
 */
import type * as z from 'zod';
import type { Step } from '../../core/agent/state';
import * as reading from '../../protocol/wire/readings';
import * as shape from '../../protocol/wire/shapes';
import { fromAgent } from '../verb';
import { cursorOf, limitOf, type Positioned, pageOfSteps } from './pages';

/** Who did what. */
export const audit = fromAgent({
  name: 'audit',
  method: 'GET',
  path: 'audit',
  action: 'read',
  summary: 'Actions on the agent with their callers, newest last. The root keeps those of removed agents.',
  status: 200,
  errors: ['invalid_cursor'],
  input: shape.pageInput,
  output: shape.pageOf(reading.auditEntry),
  handle({ object, input }) {
    const [after = 0] = cursorOf(input, 1);
    const limit = limitOf(input);
    const rows = object.store.audit({ after, limit: limit + 1 });
    const shown = rows.slice(0, limit);
    const items = shown.map(({ id: _id, ...entry }) => entry);
    return { body: rows.length > limit ? { items, cursor: String(shown.at(-1)?.id) } : { items } };
  },
  complete: (_context, reply) => reply,
  whenQueued: () => ({ items: [] }),
});

function checkpointsOf(sessionId: string, step: Step): Positioned<z.output<typeof reading.checkpoint>>[] {
  if (step.phase !== 'calls') return [];
  let at = step.repliedAt;
  for (const { settled } of step.calls) {
    // A step with an open call is not committed.
    if (settled === undefined) return [];
    // Nor is one that was closed because a newer run took its place.
    if (!settled.result.success && settled.result.error.code === 'superseded') return [];
    at = Math.max(at, settled.at);
  }
  const { id, turn, number, finishReason } = step;
  return [{ position: 1, item: { checkpointId: `${sessionId}.${id}`, turn, step: number, at, finishReason } }];
}

/** The committed steps. */
export const checkpoints = fromAgent({
  name: 'checkpoints',
  method: 'GET',
  path: 'checkpoints',
  action: 'read',
  summary: 'The committed steps, oldest first.',
  status: 200,
  errors: ['invalid_cursor'],
  input: shape.pageInput,
  output: shape.pageOf(reading.checkpoint),
  handle: ({ object, agent, input }) => ({
    body: pageOfSteps(object.store, input, (step) => checkpointsOf(agent.state.session.sessionId, step)),
  }),
  complete: (_context, reply) => reply,
  whenQueued: () => ({ items: [] }),
});
