/**
 * What children cost without Offshoot: bare facets, and facets of the SDK's `Agent`. Both make the same tables once, in
 * each child, and write a number of rows in one go.
 */
import { DurableObject } from 'cloudflare:workers';
import { Agent } from 'agents';
import { AGENT_MIGRATIONS } from '../src/store/migrations';

/** A small row: what is measured is the number of them. */
const DATA = JSON.stringify({ text: 'x'.repeat(400) });

interface Kid {
  run(rows: number): Promise<string>;
}

function write({ sql }: DurableObjectStorage, rows: number): string {
  for (const step of AGENT_MIGRATIONS) for (const statement of step.statements) sql.exec(statement);
  for (let row = 1; row <= rows; row++) sql.exec('INSERT INTO messages (id, data) VALUES (?, ?)', row, DATA);
  return 'done';
}

export class BareKid extends DurableObject {
  run(rows: number): string {
    return write(this.ctx.storage, rows);
  }
}

export class BareFan extends DurableObject {
  async fan(first: number, width: number, rows: number): Promise<number> {
    const cls = (this.ctx.exports as Record<string, unknown>).BareKid;
    const kids = Array.from({ length: width }, (_, n) => {
      const kid: unknown = this.ctx.facets.get(`kid:${first + n}`, () => ({ class: cls as never }));
      return (kid as Kid).run(rows);
    });
    return (await Promise.all(kids)).length;
  }
}

export class SdkKid extends Agent {
  run(rows: number): string {
    return write(this.ctx.storage, rows);
  }
}

export class SdkFan extends Agent {
  async fan(first: number, width: number, rows: number): Promise<number> {
    await this.lifecycle.start();
    const kids = Array.from({ length: width }, async (_, n) => {
      const kid: unknown = await this.subAgent(SdkKid, `kid:${first + n}`);
      return (kid as Kid).run(rows);
    });
    return (await Promise.all(kids)).length;
  }
}
