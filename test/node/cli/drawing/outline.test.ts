/** The tree that a terminal draws, against a plain reading of what is known, for logs of any order. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FrameOptions, renderFrame } from '../../../../src/cli/drawing/frame';
import { type Node, outline } from '../../../../src/cli/drawing/outline';
import { paint } from '../../../../src/cli/terminal/style';
import { cleanLine } from '../../../../src/cli/terminal/text';
import type { SequencedChunk } from '../../../../src/protocol/chunks';
import { reduceAll } from '../../../../src/protocol/view/reduce';
import type { AgentView, DelegationView, TreeView } from '../../../../src/protocol/view/view';
import { anyLog } from '../../../support/any-log';
import { LOG_START, newLog } from '../../../support/log';
import { present } from '../../../support/present';
import { sized } from '../../../support/sizes';

/** Trees of any shape: each agent is begun by one before it, ends or not, and may have a further run. */
const anyTree: fc.Arbitrary<SequencedChunk[]> = fc
  .array(
    fc.record({
      parent: fc.nat(),
      end: fc.constantFrom('', 'completed', 'completed', 'interrupted', 'asks'),
      again: fc.boolean(),
    }),
    { maxLength: 14 },
  )
  .map((members) => {
    const log = newLog();
    const agents = [log.root('boss', 'b').run('r0', 'all of it').step(1)];
    for (const [at, { parent, again }] of members.entries()) {
      const above = present(agents[parent % agents.length]);
      const agent = above
        .spawn(`c_${at}`, 'worker', `${at + 1}~1`, { task: `part ${at}` })
        .run(`r${at + 1}`)
        .step(1);
      if (again)
        agent
          .completed('once')
          .run(`r${at + 1}b`)
          .step(1);
      agents.push(agent);
    }
    // The last first: an agent that has ended begins nothing.
    for (const [at, { end }] of [...members.entries()].toReversed()) {
      const agent = present(agents[at + 1]);
      if (end === 'completed') agent.commit().completed('ok');
      else if (end === 'interrupted') agent.interrupted('enough');
      else if (end === 'asks') agent.tool(`t_${at}`, 'send', {}).asks('approval', `t_${at}`, 'send', {});
    }
    return log.entries;
  });

const anyView = fc.oneof(anyLog, anyTree).map(reduceAll);

const WORKS = new Set(['running']);
const RESTS = new Set(['completed', 'failed', 'interrupted', 'terminated']);
const waits = ({ calls }: AgentView) => calls.filter(({ status }) => status === 'waiting');
const worksOn = (agent: AgentView) => WORKS.has(agent.status) && waits(agent).length === 0;
const isQueued = ({ status }: AgentView) => status === 'queued' || status === 'idle';

/** What an agent has below it: of its newest run, and what works on from before. */
function below(view: TreeView, { runs, delegations }: AgentView): DelegationView[] {
  const newest = runs.at(-1)?.runId;
  return delegations.filter(({ runId, agentId }) => {
    const child = view.agents.find((one) => one.agentId === agentId);
    return runId === newest || newest === undefined || (child !== undefined && worksOn(child));
  });
}

const nodesIn = (nodes: readonly Node[]): Node[] => nodes.flatMap((node) => [node, ...nodesIn(node.children)]);

/** Those who are reached from the top; where nobody is at the top, from the first one. */
function reached(view: TreeView): Set<string> {
  const top = view.agents.filter(({ parentId }) => parentId === undefined);
  const found = new Set((top.length > 0 ? top : view.agents.slice(0, 1)).map(({ agentId }) => agentId));
  for (const agentId of found) {
    const agent = view.agents.find((one) => one.agentId === agentId);
    for (const one of agent ? below(view, agent) : [])
      if (view.agents.some((other) => other.agentId === one.agentId)) found.add(one.agentId);
  }
  return found;
}

/** The lines of a frame as large as it likes, and what stands below the tree. */
function drawn(view: TreeView, options: Partial<FrameOptions> = {}) {
  const all = { width: 1_000, height: 1_000, now: LOG_START + 60_000, tick: 0, title: '', ...options };
  const lines = renderFrame(view, all).map((line) => paint(line, false));
  const rows = lines.slice(0, -1);
  // A large frame has an empty line before its last one.
  return { rows: rows.at(-1) === '' ? rows.slice(0, -1) : rows, foot: present(lines.at(-1)) };
}

/** The line of an agent: its guide, the sign of its standing, and how many are hidden below it. */
const AGENT = /^(?<guide>[├└│─ ]*)(?<sign>[⠋·?✓✗■]) (?:worker|boss)(?: [^ (]+)?(?: \(\+(?<hidden>\d+)\))?(?: {2}|$)/u;
const agentRows = (rows: readonly string[]): { [name: string]: string | undefined }[] =>
  rows.flatMap((row) => {
    const groups = AGENT.exec(row)?.groups;
    return groups ? [groups] : [];
  });

describe('the tree of a terminal', () => {
  it('[K3] has each agent once that works for the top now, below one that it works for, in the order in which they began', () => {
    fc.assert(
      fc.property(anyView, (view) => {
        const nodes = nodesIn(outline(view));
        const ids = nodes.map(({ agent }) => agent.agentId);
        expect(new Set(ids)).toEqual(reached(view));
        expect(ids.length).toBe(new Set(ids).size);
        for (const { agent, children } of nodes) {
          const all = below(view, agent);
          const order = children.map((child) => all.findIndex(({ agentId }) => agentId === child.agent.agentId));
          expect(order).toEqual(order.toSorted((one, other) => one - other));
          expect(order).not.toContain(-1);
          for (const { agent: child, before } of children)
            expect(before.length).toBe(Math.min(all.filter(({ agentId }) => agentId === child.agentId).length - 1, 8));
        }
      }),
    );
  });

  it('[K3] shows how each of them stands, how deep it is, and how many there are of each', () => {
    fc.assert(
      fc.property(anyView, (view) => {
        const { rows, foot } = drawn(view);
        const nodes = nodesIn(outline(view));
        const signOf = (agent: AgentView): string => {
          if (worksOn(agent)) return '⠋';
          if (isQueued(agent)) return '·';
          return RESTS.has(agent.status) ? ({ completed: '✓', failed: '✗' }[agent.status] ?? '■') : '?';
        };
        const depthOf = new Map<Node, number>();
        for (const node of nodes) for (const child of node.children) depthOf.set(child, (depthOf.get(node) ?? 0) + 1);
        const shown = agentRows(rows).map(({ guide = '', sign }) => [guide.length / 3, sign]);
        expect(shown).toEqual(nodes.map((node) => [depthOf.get(node) ?? 0, signOf(node.agent)]));
        const counts = [
          [view.agents.filter(worksOn).length, 'working'],
          [view.agents.filter(isQueued).length, 'queued'],
          [view.agents.filter(({ status }) => status === 'failed').length, 'failed'],
        ] as const;
        for (const [count, word] of counts)
          expect(/ · (\d+) (?:working|queued|failed)/u.test(foot) && foot.includes(` · ${count} ${word}`)).toBe(
            count > 0,
          );
        if (view.agents.length > 0) expect(foot).toMatch(new RegExp(`^${view.agents.length} agents?\\b`, 'u'));
      }),
    );
  });

  it('[K3, K15] says below an agent what it waits for, or why it has ended', () => {
    fc.assert(
      fc.property(anyView, (view) => {
        const { rows } = drawn(view);
        const nodes = nodesIn(outline(view));
        const at = rows.flatMap((row, index) => (AGENT.test(row) ? [index] : []));
        for (const [index, { agent, before }] of nodes.entries()) {
          const [from = 0, to = rows.length] = at.slice(index, index + 2);
          const said = rows.slice(from + 1 + before.length, to).map((row) => row.replace(/^[│ ]+/u, ''));
          const end = agent.runs.at(-1)?.end;
          const [call] = waits(agent);
          if (RESTS.has(agent.status) && agent.status !== 'completed') {
            const why =
              end && ('error' in end ? `${end.error.message} (${end.error.code})` : 'reason' in end ? end.reason : '');
            expect(said.join('\n').trim()).toBe(cleanLine(why ?? '').trim());
          } else if (call && !isQueued(agent) && agent.status !== 'completed') {
            const more = waits(agent).length > 1 ? ` (and ${waits(agent).length - 1} more)` : '';
            const what = 'kind' in call && call.kind === 'approval' ? 'an approval' : 'a result from a person';
            expect(said).toEqual([cleanLine(`${call.toolName} waits for ${what}${more}`).trim()]);
          }
        }
      }),
    );
  });

  it('[K4] counts each agent that a terminal has no room for: in its line, or in that of the one above it', () => {
    fc.assert(
      fc.property(anyView, fc.integer({ min: 3, max: 20 }), (view, height) => {
        const { rows } = drawn(view, { height });
        const all = nodesIn(outline(view)).length;
        const shown = agentRows(rows);
        const hidden = shown.reduce((sum, { hidden = '0' }) => sum + Number(hidden), 0);
        const more = /^… and (\d+) more agents?$/mu.exec(rows.join('\n'))?.[1];
        expect(shown.length + (more === undefined ? hidden : Number(more))).toBe(all);
      }),
      { numRuns: sized(80, 300) },
    );
  });
});
