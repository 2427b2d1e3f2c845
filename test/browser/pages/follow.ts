/** A page that follows the run that its hash names, `#{connection}{address}`, and shows what it holds. */
import { createClient, type TreeView } from '../../../src/client';

interface Element {
  id: string;
  textContent: string | null;
  append(child: Element): void;
}
declare const document: { readonly body: Element; createElement(name: string): Element };
declare const location: { readonly hash: string };

/** What the page holds, for whoever looks into it. */
interface Held {
  readonly sequences: number[];
  view?: TreeView;
}
const held: Held = { sequences: [] };
Object.assign(globalThis, { held });

const line = (id: string) => {
  const element = document.createElement('p');
  element.id = id;
  document.body.append(element);
  return (text: string) => {
    element.textContent = text;
  };
};
const [status, connection, losses, trouble] = ['status', 'connection', 'losses', 'trouble'].map(line);

async function follow(over: string, address: string): Promise<void> {
  const client = createClient({ baseUrl: '' });
  let lost = 0;
  for await (const { event, view } of client.watch(address, {
    over: over === 'socket' ? 'socket' : 'sse',
    stay: true,
  })) {
    held.view = view;
    if (event.type === 'chunk') held.sequences.push(event.entry.sequence);
    if (event.type === 'rest') status?.(event.status);
    if (event.type !== 'connection') continue;
    if (event.problem !== undefined) lost += 1;
    losses?.(String(lost));
    connection?.(event.problem === undefined ? 'there' : 'lost');
  }
}

const [, over = '', address = ''] = /^#(\w+)(\/.*)$/u.exec(location.hash) ?? [];
follow(over, address).catch((error: unknown) => trouble?.(String(error)));
