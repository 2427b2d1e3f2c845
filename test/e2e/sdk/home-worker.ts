/** A Worker whose agents have sub-agents of their author's making. */
import { defineAgent } from '../../../src/index';
import { scriptedModel } from '../../../src/model/scripted';
import { AgentObject, createWorker, OffshootDirectory } from '../../../src/worker';

const shelf = defineAgent({
  name: 'shelf',
  systemPrompt: 'Keep things.',
  model: scriptedModel([{ text: 'Kept.' }], { record: false }),
});

export class Shelf extends AgentObject.of(shelf) {
  /** Makes those that are not there, one below the other. */
  async make(names: readonly string[]): Promise<void> {
    const [name, ...rest] = names;
    if (name !== undefined) await (await this.subAgent(Shelf, name)).make(rest);
  }

  async keep(what: string): Promise<string> {
    this.ctx.storage.kv.put('kept', what);
    return `${this.name} keeps ${what}`;
  }

  async kept(): Promise<string> {
    return `${this.name} has ${String(this.ctx.storage.kv.get('kept') ?? 'nothing')}`;
  }

  /** The names of those that lie in it. */
  async inside(): Promise<string[]> {
    return this.listSubAgents(Shelf).map(({ name }) => name);
  }

  /** One below becomes a client of an MCP server; gives what the server's tools are called. */
  async connectBelow([name, ...rest]: readonly string[], url: string): Promise<string[]> {
    if (name !== undefined) return (await this.subAgent(Shelf, name)).connectBelow(rest, url);
    await this.addMcpServer('facts', url);
    return this.getMcpServers().tools.map(({ name }) => name);
  }

  override async onRequest(request: Request): Promise<Response> {
    return Response.json({ name: this.name, path: new URL(request.url).pathname });
  }
}
export { OffshootDirectory };

export default createWorker({ agents: [Shelf] });
