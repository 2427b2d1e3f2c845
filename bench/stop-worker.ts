/** The Worker whose trees are stopped: the library's own routes over its own classes, each with the floor as one more method. */
import type { AgentDefinition } from '../src/core/definition/definition';
import { AgentObject, createWorker, OffshootDirectory } from '../src/worker';
import { asylum, bed, deaf, hanging, hospital, house, inn, ward } from './stop-agents';

export { OffshootDirectory };

/** Which facets are asked: `number` slots of a class from `first` on, and the same below each of them. */
interface FloorTree {
  readonly className: string;
  readonly first: number;
  readonly number: number;
  readonly below?: FloorTree;
}

interface Floored {
  floor(tree: FloorTree | undefined): Promise<number>;
}

/** An agent that can do what any stop has to do at least: write a row, and call each of its children. */
function floored(definition: AgentDefinition) {
  return class extends AgentObject.of(definition) {
    #made = false;

    /** How many rows were written, in this facet and below it. */
    async floor(tree: FloorTree | undefined): Promise<number> {
      const { sql } = this.ctx.storage;
      if (!this.#made) sql.exec('CREATE TABLE IF NOT EXISTS bench_floor (id INTEGER PRIMARY KEY, at INTEGER)');
      this.#made = true;
      sql.exec('INSERT OR REPLACE INTO bench_floor (id, at) VALUES (1, ?)', Date.now());
      if (tree === undefined) return 1;
      const { className, first, number, below } = tree;
      const asked = Array.from({ length: number }, (_, n) => this.#child(className, first + n).floor(below));
      return (await Promise.all(asked)).reduce((sum, rows) => sum + rows, 1);
    }

    #child(className: string, slot: number): Floored {
      const cls = (this.ctx.exports as Record<string, unknown>)[className];
      const stub: unknown = this.ctx.facets.get(`${className}\0slot:${slot}`, () => ({ class: cls as never }));
      return stub as Floored;
    }
  };
}

export class Bed extends floored(bed) {}
export class Deaf extends floored(deaf) {}
export class Ward extends floored(ward) {}
export class House extends floored(house) {}
export class Hospital extends floored(hospital) {}
export class Asylum extends floored(asylum) {}
export class Inn extends floored(inn) {}

const worker = createWorker({ agents: [House, Hospital, Asylum, Inn, Ward, Bed, Deaf] });

/** The classes of children by the address class of their root. */
const CHILDREN: { readonly [root: string]: string } = { house: 'Bed', hospital: 'Ward', asylum: 'Deaf', inn: 'Bed' };

/** `/floor?root=house&name=a&first=1&number=10&below=0` is the floor, `/facts` are the model calls. */
async function floorOf(url: URL, env: Record<string, DurableObjectNamespace>): Promise<number> {
  const text = (name: string): string => url.searchParams.get(name) ?? '';
  const root = text('root');
  const stub: unknown = env[root.toUpperCase()]?.getByName(text('name'));
  const below = Number(text('below'));
  const tree: FloorTree = {
    className: CHILDREN[root] ?? '',
    first: Number(text('first')),
    number: Number(text('number')),
    ...(below > 0 ? { below: { className: 'Bed', first: 1, number: below } } : {}),
  };
  return (stub as Floored).floor(tree);
}

export default {
  async fetch(request: Request, env: Record<string, DurableObjectNamespace>, context: object): Promise<Response> {
    const url = new URL(request.url);
    if (url.pathname === '/facts') return Response.json(hanging);
    if (url.pathname === '/floor') return Response.json(await floorOf(url, env));
    return worker.fetch(request, env, context);
  },
};
