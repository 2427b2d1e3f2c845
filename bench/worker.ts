/** The Worker under the benchmark: trees with instant models beside bare facets that write as many rows. */
import { DurableObject } from 'cloudflare:workers';
import { z } from 'zod';
import { defineAgent, defineTool } from '../src/core/definition';
import type { ModelPort, ModelReply } from '../src/core/model';
import { createSubAgentTool } from '../src/core/relationship';
import { NO_USAGE } from '../src/core/usage';
import { AgentObject } from '../src/host/agent-object';
import { compose } from '../src/host/composition';

const usage = { ...NO_USAGE, inputTokens: 10, outputTokens: 5, modelCalls: 1 };
const reply = (content: ModelReply['content']): ModelReply => ({ content, finishReason: 'stop', usage, model: 'bench/instant' });

/** Answers at once: as many children as the message says, or one tool call and then a text. */
const instant: ModelPort = {
  async call(request) {
    if (request.agentType === 'fan' && request.step === 1) {
      const first = request.messages.at(-1);
      const width = Number(first?.role === 'user' ? first.content : 1);
      return reply(Array.from({ length: width }, (_, index) => ({ type: 'tool-call', providerId: `p${index}`, toolName: 'subagent__kid', input: { n: index } })));
    }
    if (request.agentType === 'kid' && request.step === 1) {
      return reply([{ type: 'tool-call', providerId: 'p', toolName: 'echo', input: { text: 'x' } }]);
    }
    return reply([{ type: 'text', text: 'done' }]);
  },
};

const echo = defineTool({ name: 'echo', description: 'Echoes.', inputSchema: z.object({ text: z.string() }), execute: ({ text }) => text });
const kid = defineAgent({ name: 'kid', systemPrompt: 'kid', model: instant, tools: [echo] });
const wide = { maxConcurrentChildren: 2_000, maxChildren: 2_000, maxTreeChildren: 100_000 };
const fan = defineAgent({ name: 'fan', systemPrompt: 'fan', model: instant, tools: [createSubAgentTool(kid, z.object({ n: z.number() }))], limits: wide });

compose({
  model: (definition) => definition.model as ModelPort,
  async verb(object, call) {
    const input = call.input as { width: number };
    const at = Date.now();
    const token = crypto.randomUUID().replaceAll('-', '');
    const runId = `r_${token}`;
    await object.create(object.newRootSession({ tags: [] }), {}, {
      type: 'start',
      at,
      token,
      runId,
      messages: [{ messageId: `m_${token}`, role: 'user', content: String(input.width), from: 'caller' }],
    });
    const { tree, agent } = object;
    if (!tree || !agent) throw new Error('no tree');
    await new Promise<void>((resolve) => {
      const stop = tree.log.listen(() => {
        const run = agent.state.run;
        if (run?.runId === runId && run.phase === 'ended') {
          stop();
          resolve();
        }
      });
    });
    const run = agent.state.run;
    return { ok: true, body: { outcome: run?.phase === 'ended' ? run.outcome.status : 'none', sequence: tree.log.last } };
  },
});

export class Fan extends AgentObject.of(fan) {}
export class Kid extends AgentObject.of(kid) {}

const TABLES = ['session', 'runs', 'steps', 'settlements', 'messages', 'outbox', 'receipts', 'children', 'overflow', 'files', 'file_chunks'];

/** A bare facet: the same number of tables, the same number of rows. */
export class BareKid extends DurableObject {
  run(rows: number): string {
    const { sql } = this.ctx.storage;
    for (const table of TABLES) sql.exec(`CREATE TABLE IF NOT EXISTS ${table} (id INTEGER PRIMARY KEY, data TEXT NOT NULL)`);
    const data = JSON.stringify({ text: 'x'.repeat(400) });
    for (let row = 0; row < rows; row++) sql.exec(`INSERT INTO ${TABLES[row % TABLES.length]} (data) VALUES (?)`, data);
    return 'done';
  }
}

export class BareFan extends DurableObject {
  async fan(width: number, rows: number): Promise<number> {
    const exports = this.ctx.exports as unknown as Record<string, never>;
    const done = await Promise.all(
      Array.from({ length: width }, async (_, index) => {
        const stub = this.ctx.facets.get(`kid:${index}`, () => ({ class: exports.BareKid as never })) as unknown as BareKid;
        return stub.run(rows);
      }),
    );
    return done.length;
  }
}

interface BenchEnv {
  FAN: DurableObjectNamespace<Fan>;
  BARE: DurableObjectNamespace<BareFan>;
}

export default {
  async fetch(request: Request, env: BenchEnv): Promise<Response> {
    const url = new URL(request.url);
    const name = url.searchParams.get('name') ?? 'one';
    const width = Number(url.searchParams.get('width') ?? 1);
    if (url.pathname === '/floor') {
      return Response.json(await env.BARE.getByName(name).fan(width, Number(url.searchParams.get('rows') ?? 16)));
    }
    const stub = env.FAN.getByName(name) as unknown as { offshoot(call: object): Promise<object> };
    return Response.json(await stub.offshoot({ kind: 'verb', path: [], verb: 'bench', input: { width } }));
  },
};
