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
interface LastingKid extends Kid {
  again(rows: number): Promise<string>;
  hold(): Promise<string>;
}

function write({ sql }: DurableObjectStorage, rows: number): string {
  for (const statement of AGENT_MIGRATIONS.findLast(({ fresh }) => fresh)?.fresh ?? []) sql.exec(statement);
  for (let row = 1; row <= rows; row++) sql.exec('INSERT INTO messages (id, data) VALUES (?, ?)', row, DATA);
  return 'done';
}

export class BareKid extends DurableObject {
  run(rows: number): string {
    return write(this.ctx.storage, rows);
  }

  /** Has its tables, and stays in memory as an agent does whose model is asked. */
  hold(): string {
    setTimeout(() => undefined, 3_600_000);
    return write(this.ctx.storage, 0);
  }

  /** The same in a store that has its tables. */
  again(rows: number): string {
    for (let row = 1; row <= rows; row++) this.ctx.storage.sql.exec('INSERT INTO messages (data) VALUES (?)', DATA);
    return 'done';
  }
}

export class BareFan extends DurableObject {
  /** Calls new facets, at most `atOnce` of them at once. */
  async fan(first: number, width: number, rows: number, atOnce: number): Promise<number> {
    let begun = 0;
    const callsOn = async (): Promise<void> => {
      while (begun < width) await this.#kid(first + begun++).run(rows);
    };
    await Promise.all(Array.from({ length: Math.min(atOnce, width) }, callsOn));
    return width;
  }

  /** Calls new facets that stay at work. */
  async hold(width: number): Promise<number> {
    return (await Promise.all(Array.from({ length: width }, (_, n) => this.#kid(n).hold()))).length;
  }

  /** Calls one facet, which is there, again and again. */
  async again(times: number, rows: number): Promise<string> {
    for (let time = 0; time < times; time++) await this.#kid(0).again(rows);
    return 'done';
  }

  #kid(number: number): LastingKid {
    const cls = (this.ctx.exports as Record<string, unknown>).BareKid;
    const kid: unknown = this.ctx.facets.get(`kid:${number}`, () => ({ class: cls as never }));
    return kid as LastingKid;
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
      const kid: Kid = await this.subAgent(SdkKid, `kid:${first + n}`);
      return kid.run(rows);
    });
    return (await Promise.all(kids)).length;
  }
}
